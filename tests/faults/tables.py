# SPDX-License-Identifier: Apache-2.0
"""Small tables to damage. Their Parquet files have page checksums, their manifests (but for the first table's) the checksums of
Avro's snappy codec; `alive` holds their rows as the builder knows them, not as an engine reads them."""
import dataclasses

from tests.fixtures.builder import Field, Table, part

ID, V, P = Field(1, "id", "long"), Field(2, "v", "string"), Field(3, "p", "string")
CHECKED = {"write_page_checksum": True, "data_page_size": 512, "row_groups": 60}


@dataclasses.dataclass
class Damaged:
    table: Table
    alive: dict  # id -> v
    dead: set  # ids

    @property
    def name(self):
        return self.table.name


def rows(start, stop):
    return [(i, f"value {i * i} of {i}") for i in range(start, stop)]


def finish(table, all_rows, dead, codec="snappy", **how):
    for snapshot in table.snapshots:
        snapshot.list_codec = codec
        files = sum(len(m.live()) for m in snapshot.manifests if not m.content)
        snapshot.json["summary"] = {"operation": snapshot.operation, "total-data-files": str(files)}
        for manifest in snapshot.manifests:
            manifest.codec = codec
    table.write(**how)
    alive = {r[0]: r[1] for r in all_rows if r[0] not in dead}
    return Damaged(table, alive, set(dead))


def v1(warehouse):
    """Version 1, manifests deflated, metadata in plain JSON."""
    t = Table(warehouse, "faults.v1", [ID, V], 1)
    with t.commit() as c:
        c.data(rows(0, 150), **CHECKED)
    with t.commit() as c:
        c.data(rows(150, 300), **CHECKED)
    return finish(t, rows(0, 300), (), codec="deflate")


def v2(warehouse):
    """Position deletes and equality deletes over two files, in separate delete manifests."""
    t = Table(warehouse, "faults.v2", [ID, V])
    with t.commit() as c:
        a = c.data(rows(0, 150), **CHECKED)
        c.data(rows(150, 300), **CHECKED)
    with t.commit() as c:
        c.position_delete([(a, p) for p in (0, 1, 59, 60, 149)], **CHECKED)
    with t.commit() as c:
        c.equality_delete(["id"], [(i,) for i in (2, 160, 299)], **CHECKED)
    return finish(t, rows(0, 300), {0, 1, 59, 60, 149, 2, 160, 299})


def v3(warehouse):
    """Deletion vectors of three files in one Puffin file."""
    t = Table(warehouse, "faults.v3", [ID, V], 3)
    with t.commit() as c:
        files = [c.data(rows(n, n + 100), **CHECKED) for n in (0, 100, 200)]
    dead = ([0, 1, 50], [*range(10, 80)], [99])
    with t.commit() as c:
        c.deletion_vectors([(f, {"positions": p, "kind": k}) for f, p, k in zip(files, dead, ("auto", "run", "auto"))])
    return finish(t, rows(0, 300), {100 * n + p for n, ps in enumerate(dead) for p in ps})


def partitioned(warehouse):
    """Deletes scoped by partition: a position-delete file over two data files, equality deletes of one partition."""
    t = Table(warehouse, "faults.partitioned", [ID, V, P], spec=[part("p")])
    with t.commit() as c:
        x = [c.data([(*r, "x") for r in rows(n, n + 60)], partition=("x",), **CHECKED) for n in (0, 60)]
        c.data([(*r, "y") for r in rows(120, 180)], partition=("y",), **CHECKED)
    with t.commit() as c:
        c.position_delete([(x[0], 3), (x[1], 0), (x[1], 59)], partition=("x",), **CHECKED)
        c.equality_delete(["id"], [(5,), (125,), (179,)], partition=("y",), **CHECKED)
    return finish(t, rows(0, 180), {3, 60, 119, 125, 179})


def gz(warehouse):
    """Metadata in gzip; position deletes of one file."""
    t = Table(warehouse, "faults.gz", [ID, V])
    with t.commit() as c:
        a = c.data(rows(0, 100), **CHECKED)
    with t.commit() as c:
        c.position_delete([(a, p) for p in range(0, 100, 7)], **CHECKED)
    return finish(t, rows(0, 100), set(range(0, 100, 7)), gz=True)


TABLES = [v1, v2, v3, partitioned, gz]


def files_by_kind(damaged):
    """{kind: path relative to the table}, one file of each kind the table has."""
    table, out = damaged.table, {}
    relative = lambda path: path[len(table.location) + 1:]
    out["metadata"] = f"metadata/v{table.steps}{'.gz' if damaged.name.endswith('gz') else ''}.metadata.json"
    out["manifest list"] = relative(table.current.list_path)
    for manifest in table.current.manifests:
        out.setdefault("manifest of deletes" if manifest.content else "manifest of data", relative(manifest.path))
        for entry in manifest.live():
            kind = ("data", "position deletes", "equality deletes")[entry.file["content"]]
            out.setdefault("puffin" if entry.path.endswith(".puffin") else kind, relative(entry.path))
    return out
