# SPDX-License-Identifier: Apache-2.0
"""chDB (ClickHouse in process). usage: chdb_peer.py WAREHOUSE THREADS"""
import os
import sys

import chdb
from chdb import session

import protocol

WAREHOUSE, THREADS = sys.argv[1], int(sys.argv[2])
os.chdir(WAREHOUSE)
connection = session.Session()


def run(request):
    path = request["table"].replace(".", "/")
    statement = request["sql"].format(t=f"icebergLocal('{path}')") + f" SETTINGS max_threads = {THREADS}"
    lines = str(connection.query(statement, "TabSeparated")).rstrip("\n").split("\n")
    return [[None if value == "\\N" else value for value in line.split("\t")] for line in lines]


engine = str(connection.query("SELECT version()", "TabSeparated")).strip()
protocol.serve(f"{chdb.__version__} (ClickHouse {engine})", "Iceberg metadata files cache (its default)", run)
