# SPDX-License-Identifier: Apache-2.0
"""Polars. usage: polars_peer.py WAREHOUSE THREADS"""
import os
import sys

os.environ["POLARS_MAX_THREADS"] = sys.argv[2]

import polars  # noqa: E402  reads the environment

import protocol  # noqa: E402


def run(request):
    frame = polars.scan_iceberg(request["metadata"])
    return polars.SQLContext(t=frame).execute(request["sql"].format(t="t")).collect().rows()


protocol.serve(polars.__version__, "none", run)
