# SPDX-License-Identifier: Apache-2.0
"""The three forms of one delete: each takes a copied table and its dead rows and puts other delete files in place of those
it has. Data manifests stay as they are, but for the sizes of data files that gain a key column."""
import gzip
import json
import types

import pyarrow.parquet as pq

from tests.fixtures.builder import files
from tests.fixtures.builder.avro_file import avro_bytes
from tests.fixtures.builder.manifest import data_file_fields, list_bytes, required
from tests.fixtures.builder.puffin import PuffinFile, dv_blob
from tests.fixtures.builder.types import Field
from tests.reexpress.dead_rows import paths_by_id
from tests.reexpress.key_column import add_key_column
from tests.reexpress.snapshot import ADDED, DATA, DELETED, EQUALITY_DELETES, POSITION_DELETES

KEY = Field(100001, "reexpressed_key", "long", True)


class Form:
    """Rewrites the current snapshot in place; a subclass says what the delete files of one data manifest are."""

    lowest_version = 2

    def __init__(self, snapshot, dead):
        self.snapshot, self.dead = snapshot, dead
        self.version = max(snapshot.version, self.lowest_version)
        self.sequence = snapshot.metadata.get("last-sequence-number", 0) + 1
        self.files = 0

    def apply(self):
        records, deletes = [], []
        for manifest in self.snapshot.manifests:
            data = [e for e in manifest.entries if e.content == DATA]
            if len(data) != len(manifest.entries):
                if data:
                    raise ValueError("a manifest of both data and deletes")
                continue
            records.append(self.data_manifest(manifest))
            dead = [e for e in data if e.path in self.dead]
            if dead:
                deletes.append(self.delete_manifest(manifest, self.delete_entries(dead)))
        self.write_snapshot(records + deletes)

    def data_manifest(self, manifest):
        return {"content": 0, "sequence_number": 0, "min_sequence_number": 0, **manifest.list_record}

    def new_path(self, suffix):
        self.files += 1
        return f"{self.snapshot.location.rstrip('/')}/data/reexpressed-{self.files:05d}{suffix}"

    def put(self, path, content):
        local = self.snapshot.local(path)
        local.parent.mkdir(parents=True, exist_ok=True)
        local.write_bytes(content)
        return len(content)

    def delete_entry(self, path, size, like, **columns):
        return {"file_path": path, "file_format": "PARQUET", "partition": like.file["partition"],
                "file_size_in_bytes": size, **columns}

    def delete_manifest(self, data_manifest, entries):
        """Its partition tuples have the schema and spec of the data manifest they come from."""
        container = data_manifest.container
        fields = data_file_fields(self.version, types.SimpleNamespace(fields=()), ())
        source = next(f for f in container.schema["fields"] if f["name"] == "data_file")["type"]["fields"]
        partition = next(f for f in source if f["name"] == "partition")
        fields = [partition if f["name"] == "partition" else f for f in fields]
        optional = lambda name, field_id: {"name": name, "type": ["null", "long"], "default": None, "field-id": field_id}
        schema = {"type": "record", "name": "manifest_entry", "fields": [
            required("status", "int", 0), optional("snapshot_id", 1), optional("sequence_number", 3),
            optional("file_sequence_number", 4), required("data_file", {"type": "record", "name": "r2", "fields": fields}, 2)]}
        records = [{"status": ADDED, "snapshot_id": self.snapshot.json["snapshot-id"], "data_file": e} for e in entries]
        header = {**container.header, "content": "deletes", "format-version": str(self.version)}
        path = f"{self.snapshot.location.rstrip('/')}/metadata/reexpressed-{self.files:05d}.avro"
        length = self.put(path, avro_bytes(schema, records, header))
        return {"manifest_path": path, "manifest_length": length, "content": 1, "sequence_number": self.sequence,
                "partition_spec_id": data_manifest.list_record["partition_spec_id"],
                "min_sequence_number": self.sequence, "added_snapshot_id": self.snapshot.json["snapshot-id"],
                "added_files_count": len(entries), "existing_files_count": 0, "deleted_files_count": 0,
                "added_rows_count": sum(e["record_count"] for e in entries), "existing_rows_count": 0,
                "deleted_rows_count": 0, "partitions": data_manifest.list_record.get("partitions")}

    def write_snapshot(self, records):
        metadata, current = self.snapshot.metadata, self.snapshot.json
        if self.version >= 3:
            self.assign_row_ids(records)
        path = f"{self.snapshot.location.rstrip('/')}/metadata/reexpressed-list.avro"
        header = {"snapshot-id": str(current["snapshot-id"]), "sequence-number": str(self.sequence)}
        self.put(path, list_bytes(self.version, records, header))
        current.update({"manifest-list": path, "sequence-number": self.sequence})
        metadata.update({"format-version": self.version, "last-sequence-number": self.sequence})
        content = json.dumps(metadata, indent=1).encode()
        self.snapshot.metadata_file.write_bytes(gzip.compress(content, mtime=0) if self.snapshot.gzipped else content)

    def assign_row_ids(self, records):
        """As the first writer of v3 does it; rows that have ids keep them."""
        metadata, current = self.snapshot.metadata, self.snapshot.json
        start = next_id = metadata.get("next-row-id", 0)
        for record in records:
            if record["content"] == 0 and record.get("first_row_id") is None:
                record["first_row_id"] = next_id
                next_id += (record.get("added_rows_count") or 0) + (record.get("existing_rows_count") or 0)
        metadata["next-row-id"] = next_id
        current.setdefault("first-row-id", start)
        current.setdefault("added-rows", next_id - start)

    def by_partition(self, entries):
        groups = {}
        for entry in entries:
            groups.setdefault(entry.partition, []).append(entry)
        return groups.values()


class PositionFiles(Form):
    """One file per partition, which a reader finds by partition; where that is for one data file, its path is in the
    bounds or in referenced_data_file, in turn."""

    def delete_entries(self, dead):
        return [self.delete_file(group) for group in self.by_partition(dead)]

    def delete_file(self, group):
        pairs = [(e.path, p) for e in sorted(group, key=lambda e: e.path) for p in self.dead[e.path]]
        columns = {"content": POSITION_DELETES, "record_count": len(pairs)}
        path = self.new_path(".parquet")
        size = self.put(path, files.parquet_bytes(files.position_delete_table(pairs)))
        if len(group) == 1 and self.files % 2:
            columns["referenced_data_file"] = group[0].path
        elif len(group) == 1:
            bound = [{"key": files.FILE_PATH.id, "value": group[0].path.encode()}]
            columns |= {"lower_bounds": bound, "upper_bounds": bound}
        return self.delete_entry(path, size, group[0], **columns)


class DeletionVectors(Form):
    """One Puffin file per data manifest holds the vectors of all its data files; their containers alternate in kind."""

    lowest_version = 3

    def delete_entries(self, dead):
        puffin, path, out = PuffinFile(), self.new_path(".puffin"), []
        for i, entry in enumerate(dead):
            positions = self.dead[entry.path]
            blob = dv_blob(positions, "run" if i % 2 else "auto")
            offset, length = puffin.add(blob, entry.path, len(positions))
            out.append(self.delete_entry(path, 0, entry, content=POSITION_DELETES, record_count=len(positions),
                                         file_format="PUFFIN", referenced_data_file=entry.path, content_offset=offset,
                                         content_size_in_bytes=length))
        size = self.put(path, puffin.finish())
        for record in out:
            record["file_size_in_bytes"] = size
        return out


class EqualityDeletes(Form):
    """Every data file gains a column of unique numbers, dropped from the table's schema since; deletes name the numbers.
    One file per partition, in it the rows of all its data files."""

    def apply(self):
        self.first_key, self.sizes = {}, {}
        self.add_keys()
        schemas = self.snapshot.metadata["schemas"]
        past = {**schemas[0], "schema-id": max(s["schema-id"] for s in schemas) + 1}
        past["fields"] = [*past["fields"], {**KEY.to_json(), "required": False}]
        schemas.append(past)
        self.snapshot.metadata["last-column-id"] = KEY.id
        super().apply()

    def add_keys(self):
        next_key = 1
        mapping = self.snapshot.metadata.get("properties", {}).get("schema.name-mapping.default")
        without_ids = False
        for entry in self.snapshot.entries:
            if entry.content != DATA or entry.path in self.first_key:
                continue
            local = self.snapshot.local(entry.path)
            has_ids = any(paths_by_id(pq.read_schema(local)))
            without_ids |= not has_ids
            self.first_key[entry.path] = next_key
            content = add_key_column(local.read_bytes(), KEY.name, KEY.id if has_ids else None, next_key)
            local.write_bytes(content)
            self.sizes[entry.path] = len(content)
            next_key += pq.read_metadata(local).num_rows
        if without_ids:
            if not mapping:
                raise ValueError("files without ids and no name mapping")
            names = [*json.loads(mapping), {"field-id": KEY.id, "names": [KEY.name]}]
            self.snapshot.metadata["properties"]["schema.name-mapping.default"] = json.dumps(names)

    def data_manifest(self, manifest):
        for record in manifest.container.records:
            if record["status"] != DELETED:
                record["data_file"]["file_size_in_bytes"] = self.sizes[record["data_file"]["file_path"]]
        length = self.put(manifest.path, manifest.container.to_bytes())
        return {**super().data_manifest(manifest), "manifest_length": length}

    def delete_entries(self, dead):
        out = []
        for group in self.by_partition(dead):
            keys = [self.first_key[e.path] + p for e in group for p in self.dead[e.path]]
            path = self.new_path(".parquet")
            size = self.put(path, files.parquet_bytes(files.logical_table([KEY], [(k,) for k in keys])))
            out.append(self.delete_entry(path, size, group[0], content=EQUALITY_DELETES, record_count=len(keys),
                                         equality_ids=[KEY.id]))
        return out


FORMS = {"positions": PositionFiles, "vectors": DeletionVectors, "equality": EqualityDeletes}
