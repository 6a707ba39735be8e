# SPDX-License-Identifier: Apache-2.0
"""The current snapshot of a Hadoop table on local disk: its metadata, manifests and live entries, read with nothing of
the engine under test."""
import dataclasses
import gzip
import json
import pathlib
import re

from tests.reexpress.avro_container import Container, read_container

EXISTING, ADDED, DELETED = 0, 1, 2
DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2


@dataclasses.dataclass(eq=False)
class Entry:
    file: dict  # the data_file record; its partition as a dict by Avro name, in order
    spec_id: int
    sequence: int

    @property
    def path(self):
        return self.file["file_path"]

    @property
    def content(self):
        return self.file.get("content") or DATA

    @property
    def partition(self):
        """The tuple in a form that compares as Iceberg does: NaN equals NaN, -0.0 differs from 0.0."""
        return self.spec_id, tuple(repr(v) for v in self.file["partition"].values())


@dataclasses.dataclass(eq=False)
class Manifest:
    list_record: dict
    container: Container
    entries: list  # live ones

    @property
    def path(self):
        return self.list_record["manifest_path"]


class Snapshot:
    def __init__(self, table_dir):
        self.dir = pathlib.Path(table_dir)
        self.metadata_file = newest_metadata(self.dir / "metadata")
        content = self.metadata_file.read_bytes()
        self.gzipped = content[:2] == b"\x1f\x8b"
        self.metadata = json.loads(gzip.decompress(content) if self.gzipped else content)
        self.location = self.metadata["location"]
        current = self.metadata.get("current-snapshot-id")
        self.json = next((s for s in self.metadata.get("snapshots", ()) if s["snapshot-id"] == current), None)
        self.manifests = self.read_manifests() if self.json else []

    @property
    def entries(self):
        return [e for m in self.manifests for e in m.entries]

    @property
    def version(self):
        return self.metadata["format-version"]

    @property
    def schemas(self):
        """Newest last, the current one at the very end."""
        all_of_them = self.metadata.get("schemas") or [self.metadata["schema"]]
        current = self.metadata.get("current-schema-id", 0)
        return [s for s in all_of_them if s.get("schema-id", 0) != current] + [
            s for s in all_of_them if s.get("schema-id", 0) == current]

    def spec(self, spec_id):
        specs = self.metadata.get("partition-specs") or [{"spec-id": 0, "fields": self.metadata["partition-spec"]}]
        return next(s for s in specs if s["spec-id"] == spec_id)

    def local(self, path):
        for prefix in (self.location, self.location.replace("file:", "", 1)):
            if path.startswith(prefix.rstrip("/") + "/"):
                return self.dir / path[len(prefix.rstrip("/")) + 1:]
        raise ValueError(f"{path} is outside {self.location}")

    def read_manifests(self):
        if "manifest-list" not in self.json:
            raise ValueError("manifests are inline")
        listing = read_container(self.local(self.json["manifest-list"]).read_bytes())
        return [self.read_manifest(record) for record in listing.records]

    def read_manifest(self, record):
        container = read_container(self.local(record["manifest_path"]).read_bytes())
        sequence = record.get("sequence_number") or 0
        entries = []
        for r in container.records:
            if r["status"] == DELETED:
                continue
            own = r.get("sequence_number")
            if own is None and r["status"] == EXISTING and self.version > 1 and sequence:
                raise ValueError("an EXISTING entry without a sequence number")
            entries.append(Entry(r["data_file"], record["partition_spec_id"], sequence if own is None else own))
        return Manifest(record, container, entries)


def newest_metadata(folder):
    def version(path):
        match = re.fullmatch(r"v?(\d+)(-[^.]*)?(\.gz)?\.metadata\.json(\.gz)?", path.name)
        return int(match[1]) if match else -1
    return max(folder.iterdir(), key=version)
