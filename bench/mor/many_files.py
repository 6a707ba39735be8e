# SPDX-License-Identifier: Apache-2.0
"""Makes lineitem with 100 data files and many small delete files, and the same deletes in one file each.

usage: many_files.py --dir DIR --scale S --money double|decimal [--build-dir DIR]
"""
import argparse
import json
import os
import pathlib
import random
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "oracle"))

import lineitem  # noqa: E402  its folder is no package
import spark_session  # noqa: E402

DATA_FILES = 100
POSITION_FILES = 1000
EQUALITY_FILES = 200
KEYS_PER_FILE = 5000
ROWS_DELETED = 0.1          # share that the position deletes remove
BASE = f"{lineitem.BASE}.hundred"


def position_deletes(counts):
    """`counts`: {path: rows}. Sorted positions of each data file, the same for every call."""
    chosen = random.Random(7)
    return {path: sorted(chosen.sample(range(rows), int(rows * ROWS_DELETED))) for path, rows in sorted(counts.items())}


def position_file(oracle, name, deletes):
    """Writes one position-delete file of {path: positions} and returns the Java DeleteFile."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    table = oracle.table(name)
    path = f"{table.location()}/data/pos-{uuid.uuid4()}.parquet"
    local = spark_session.local_path(path)
    schema = pa.schema([pa.field("file_path", pa.string(), nullable=False, metadata={"PARQUET:field_id": "2147483546"}),
                        pa.field("pos", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "2147483545"})])
    paths = [p for p, positions in sorted(deletes.items()) for _ in positions]
    rows = [row for _, positions in sorted(deletes.items()) for row in positions]
    pq.write_table(pa.table({"file_path": paths, "pos": rows}, schema=schema), local, compression="zstd", store_schema=False)
    builder = oracle.iceberg.FileMetadata.deleteFileBuilder(table.spec()).ofPositionDeletes()
    builder = (builder.withPath(path).withFormat("parquet").withRecordCount(len(rows))
               .withFileSizeInBytes(os.path.getsize(local)))
    if len(deletes) == 1:
        builder = builder.withReferencedDataFile(next(iter(deletes)))
    return builder.build()


def make_position_tables(oracle, maker):
    for name, files_per_data_file in (("files_pos_1000", POSITION_FILES // DATA_FILES), ("files_pos_1", 0)):
        table = f"{lineitem.NAMESPACE}.{name}"
        start_table(oracle, maker, table)
        counts = {f.location(): f.recordCount() for f in oracle.data_files(table)}
        deletes = position_deletes(counts)
        files = [{path: positions[i::files_per_data_file]} for path, positions in deletes.items()
                 for i in range(files_per_data_file)] or [deletes]
        oracle.row_delta(table, deletes=[position_file(oracle, table, part) for part in files])
        yield name


def make_equality_tables(oracle, maker):
    keys = [r[0] for r in oracle.sql(f"SELECT DISTINCT l_orderkey FROM local.{BASE}").collect()]
    # At small scales fewer keys a file: some rows have to stay alive.
    keys = sorted(random.Random(11).sample(keys, min(EQUALITY_FILES * KEYS_PER_FILE, len(keys) * 2 // 3)))
    per_file = -(-len(keys) // EQUALITY_FILES)
    for name, size in (("files_eq_200", per_file), ("files_eq_1", len(keys))):
        table = f"{lineitem.NAMESPACE}.{name}"
        start_table(oracle, maker, table)
        # Every file spans the whole range of keys, as the batches of a stream do.
        parts = [keys[i::-(-len(keys) // size)] for i in range(-(-len(keys) // size))]
        oracle.row_delta(table, deletes=[
            oracle.equality_delete_file(table, ["l_orderkey"], [(k,) for k in part]) for part in parts])
        yield name


def start_table(oracle, maker, table):
    oracle.drop(table)
    maker.create(table, 2)
    oracle.copy_data_files(BASE, table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--money", choices=("double", "decimal"), default="double")
    parser.add_argument("--build-dir", type=pathlib.Path)
    options = parser.parse_args()
    recorded = options.dir / "answers-many-files.json"
    if recorded.exists():
        return
    options.dir.mkdir(parents=True, exist_ok=True)
    source = lineitem.make_source(options.dir, options.scale)
    oracle = spark_session.start(options.dir.absolute() / "warehouse", memory="6g", build_dir=options.build_dir,
                                 conf={"spark.sql.shuffle.partitions": "4", "spark.sql.adaptive.enabled": "true"})
    maker = lineitem.Maker(oracle, source, DATA_FILES, options.money)
    oracle.drop(BASE)
    maker.create(BASE, 2)
    maker.source.repartition(DATA_FILES).writeTo(f"local.{BASE}").append()
    answers = {}
    for make in (make_position_tables, make_equality_tables):
        for name in make(oracle, maker):
            answers[name] = lineitem.record_answers(oracle, name)
            print(f"made {name}: {answers[name]['count']['rows'][0]}", file=sys.stderr, flush=True)
    lineitem.save(recorded, answers)
    oracle.spark.stop()


if __name__ == "__main__":
    main()
