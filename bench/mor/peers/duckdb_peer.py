# SPDX-License-Identifier: Apache-2.0
"""DuckDB with its Iceberg extension. usage: duckdb_peer.py WAREHOUSE THREADS"""
import glob
import importlib.util
import os
import sys

import duckdb

import protocol


def load_extension(connection, name):
    """Extensions come as wheels; their file is loaded by path, since nothing may be downloaded while measuring."""
    folder = os.path.dirname(importlib.util.find_spec(f"duckdb_extension_{name}").origin)
    [path] = glob.glob(f"{folder}/**/{name}.duckdb_extension", recursive=True)
    connection.execute(f"LOAD '{path}'")


connection = duckdb.connect()
connection.execute(f"SET threads = {int(sys.argv[2])}")
for extension in ("parquet", "avro", "iceberg"):
    try:
        load_extension(connection, extension)
    except duckdb.Error as error:  # parquet is built in
        if extension != "parquet":
            raise error


def run(request):
    return connection.execute(request["sql"].format(t=f"iceberg_scan('{request['metadata']}')")).fetchall()


protocol.serve(duckdb.__version__, "external file cache (its default)", run)
