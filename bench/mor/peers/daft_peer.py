# SPDX-License-Identifier: Apache-2.0
"""Daft, planning through PyIceberg. usage: daft_peer.py WAREHOUSE THREADS"""
import importlib.metadata
import os
import sys

os.environ["DAFT_PROGRESS_BAR"] = "0"
os.environ["DAFT_ANALYTICS_ENABLED"] = "0"

import daft  # noqa: E402  reads the environment
from pyiceberg.table import StaticTable  # noqa: E402

import protocol  # noqa: E402

daft.set_runner_native(int(sys.argv[2]))


def run(request):
    table = daft.read_iceberg(StaticTable.from_metadata(request["metadata"]))
    return [list(row.values()) for row in daft.sql(request["sql"].format(t="t"), t=table).to_pylist()]


protocol.serve(f"{importlib.metadata.version('daft')} (PyIceberg {importlib.metadata.version('pyiceberg')})", "none", run)
