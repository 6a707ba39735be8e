# SPDX-License-Identifier: Apache-2.0
"""Which rows of each data file are dead: the rules of the table format, row by row in Python, as a second opinion."""
import datetime
import decimal
import json
import re
import struct
import zlib

import pyarrow as pa
import pyarrow.parquet as pq

from tests.reexpress.avro_container import read_roaring64
from tests.reexpress.snapshot import DATA, EQUALITY_DELETES, POSITION_DELETES

PATH_ID, POS_ID = 2147483546, 2147483545
FIELD_ID = b"PARQUET:field_id"


def dead_rows(snapshot):
    """{path: ascending positions} of the data files that have any."""
    data = [e for e in snapshot.entries if e.content == DATA]
    vectors, positions, equality = {}, [], []
    for entry in snapshot.entries:
        if entry.file["file_format"].upper() == "PUFFIN":
            if vectors.setdefault(entry.file["referenced_data_file"], entry) is not entry:
                raise ValueError("two deletion vectors for one data file")
        elif entry.content == POSITION_DELETES:
            positions.append((entry, read_position_deletes(snapshot, entry)))
        elif entry.content == EQUALITY_DELETES:
            equality.append(EqualityDeletes(snapshot, entry))
    paths = {e.path for e in data}
    out = {}
    for entry in data:
        rows = pq.read_metadata(snapshot.local(entry.path)).num_rows
        dead = set()
        vector = vectors.get(entry.path)
        if vector is not None and entry.sequence <= vector.sequence:
            dead.update(read_vector(snapshot, vector))
        else:
            for delete, by_path in positions:
                if entry.sequence <= delete.sequence and in_scope(delete, entry, paths):
                    dead.update(by_path.get(entry.path, ()))
        applicable = [e for e in equality if e.applies_to(entry)]
        if applicable:
            columns = DataFile(snapshot, entry)
            for delete in applicable:
                dead.update(delete.matches(columns, rows))
        dead = sorted(p for p in dead if p < rows)
        if dead:
            out[entry.path] = dead
    return out


def in_scope(delete, entry, paths):
    """A delete of one file is matched by path alone; any other by spec and partition."""
    target = delete.file.get("referenced_data_file")
    lower, upper = (as_dict(delete.file.get(k)).get(PATH_ID) for k in ("lower_bounds", "upper_bounds"))
    if target is None and lower is not None and lower == upper and lower.decode(errors="replace") in paths:
        target = lower.decode()
    return target == entry.path if target is not None else delete.partition == entry.partition


def as_dict(pairs):
    return {p["key"]: p["value"] for p in pairs or ()}


def read_position_deletes(snapshot, entry):
    if entry.file["file_format"].upper() != "PARQUET":
        raise ValueError(f"position deletes in {entry.file['file_format']}")
    table = pq.read_table(snapshot.local(entry.path), partitioning=None)
    columns = {int(f.metadata[FIELD_ID]): table.column(i).to_pylist() for i, f in enumerate(table.schema)}
    out = {}
    for path, position in zip(columns[PATH_ID], columns[POS_ID]):
        if path is None or position is None or position < 0:
            raise ValueError("a malformed row of a position-delete file")
        out.setdefault(path, []).append(position)
    return out


def read_vector(snapshot, entry):
    start, size = entry.file["content_offset"], entry.file["content_size_in_bytes"]
    blob = snapshot.local(entry.path).read_bytes()[start:start + size]
    length, = struct.unpack(">i", blob[:4])
    body, crc = blob[4:-4], struct.unpack(">I", blob[-4:])[0]
    if length != len(body) or body[:4] != b"\xd1\xd3\x39\x64" or zlib.crc32(body) != crc:
        raise ValueError("a damaged deletion vector")
    positions = read_roaring64(body[4:])
    if len(positions) != entry.file["record_count"]:
        raise ValueError("cardinality of a deletion vector")
    return positions


class EqualityDeletes:
    def __init__(self, snapshot, entry):
        self.entry, self.ids = entry, entry.file["equality_ids"]
        self.is_global = not snapshot.spec(entry.spec_id)["fields"]
        self.types = [field_of(snapshot, i)["type"] for i in self.ids]
        file = ParquetColumns(snapshot.local(entry.path), None)
        keys = [file.values(i, t) for i, t in zip(self.ids, self.types)]
        if None in keys:
            raise ValueError("an equality-delete file without its key")
        self.keys = set(zip(*keys))

    def applies_to(self, data):
        return data.sequence < self.entry.sequence and (self.is_global or data.partition == self.entry.partition)

    def matches(self, data_file, rows):
        columns = [data_file.values(i, t, rows) for i, t in zip(self.ids, self.types)]
        return [n for n, key in enumerate(zip(*columns)) if key in self.keys]


class DataFile:
    """Values of a data file by field id: from the file, else the identity partition, else the initial default."""

    def __init__(self, snapshot, entry):
        self.snapshot, self.entry = snapshot, entry
        mapping = snapshot.metadata.get("properties", {}).get("schema.name-mapping.default")
        self.file = ParquetColumns(snapshot.local(entry.path), json.loads(mapping) if mapping else None)

    def values(self, field_id, target, rows):
        found = self.file.values(field_id, target)
        if found is not None:
            return found
        partition = list(self.entry.file["partition"].values())
        for field, value in zip(self.snapshot.spec(self.entry.spec_id)["fields"], partition):
            if field["source-id"] == field_id and field["transform"] == "identity":
                return [from_avro(value, target)] * rows
        default = field_of(self.snapshot, field_id).get("initial-default")
        return [from_json(default, target)] * rows


class ParquetColumns:
    def __init__(self, path, mapping):
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
        self.paths = dict(paths_by_id(schema))
        if not self.paths and mapping is not None:
            self.paths = dict(paths_by_mapping(schema, mapping))
        self.file = file

    def values(self, field_id, target):
        """None when the file has no such column."""
        path = self.paths.get(field_id)
        if path is None:
            return None
        column = self.file.read(columns=[".".join(path)]).column(path[0])
        for name in path[1:]:
            column = pa.chunked_array([pa.compute.struct_field(c, name) for c in column.chunks])
        return canonical(column, target)


def paths_by_id(fields, path=()):
    for field in fields:
        here = (*path, field.name)
        if field.metadata and FIELD_ID in field.metadata:
            yield int(field.metadata[FIELD_ID]), here
        if pa.types.is_struct(field.type):
            yield from paths_by_id(field.type, here)


def paths_by_mapping(fields, mapping, path=()):
    for field in fields:
        known = next((m for m in mapping if field.name in m["names"]), None)
        if known is None:
            continue
        if "field-id" in known:
            yield known["field-id"], (*path, field.name)
        if pa.types.is_struct(field.type):
            yield from paths_by_mapping(field.type, known.get("fields", ()), (*path, field.name))


def field_of(snapshot, field_id):
    def search(fields):
        for field in fields:
            if field["id"] == field_id:
                return field
            if isinstance(field["type"], dict) and (found := search(field["type"].get("fields", ()))):
                return found
        return None
    for schema in reversed(snapshot.schemas):
        if found := search(schema["fields"]):
            return found
    raise ValueError(f"key {field_id} is in no schema")


# --- values in one form per Iceberg type, equal exactly when the table format calls them equal
NS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def canonical(column, target):
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([c.storage for c in column.chunks], kind.storage_type)
        kind = kind.storage_type
    if pa.types.is_date32(kind):
        factor = 86400 * 10**9 if target.startswith("timestamp") else 1
        return scaled(column.cast(pa.int32()), factor)
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return scaled(column.cast(pa.int64()), NS[kind.unit])
    if pa.types.is_time32(kind):
        return scaled(column.cast(pa.int32()), NS[kind.unit])
    if target.startswith("decimal"):
        scale = int(re.search(r",\s*(\d+)", target)[1])
        return [unscaled(v, kind, scale) for v in column.to_pylist()]
    return [canonical_value(v) for v in column.to_pylist()]


def scaled(column, factor):
    return [v if v is None else v * factor for v in column.to_pylist()]


def unscaled(value, kind, scale):
    if value is None:
        return None
    if isinstance(value, bytes):
        return int.from_bytes(value, "big", signed=True)
    if isinstance(value, int) and not pa.types.is_decimal(kind):
        return value
    return int(value.scaleb(scale, decimal.Context(prec=60)))


def canonical_value(value):
    if isinstance(value, float):
        return "NaN" if value != value else struct.pack(">d", value)
    return value.encode() if isinstance(value, str) else value


def from_avro(value, target):
    if value is None:
        return None
    if target.startswith("decimal"):
        return int.from_bytes(value, "big", signed=True) if isinstance(value, bytes) else value
    if target in ("time", "timestamp", "timestamptz"):
        return value * 1000
    return float_or(value, target)


def float_or(value, target):
    return canonical_value(float(value) if target in ("float", "double") else value)


def from_json(value, target):
    if value is None:
        return None
    if target.startswith("decimal"):
        return unscaled(decimal.Decimal(value), pa.decimal128(38, 0), int(re.search(r",\s*(\d+)", target)[1]))
    if target == "date":
        return (datetime.date.fromisoformat(value) - datetime.date(1970, 1, 1)).days
    if target.startswith("time") or target in ("uuid", "binary") or target.startswith("fixed"):
        raise ValueError(f"a default of type {target} as a key")
    return float_or(value, target)
