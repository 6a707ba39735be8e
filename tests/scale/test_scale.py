# SPDX-License-Identifier: Apache-2.0
"""Cases E20 and P20: many deletes cost seconds and bounded memory. The questions and answers are those of make_scale.py."""
import collections
import json
import pathlib
import subprocess
import sys

import pytest

MAKER = pathlib.Path(__file__).resolve().parents[1] / "fixtures/make_scale.py"
SECONDS = 60  # an engine that works through files x deletes takes minutes to hours
MEMORY_KIB = 2 << 20
BUDGET = "256MiB"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale")
    subprocess.run([sys.executable, MAKER, folder], check=True)
    return folder


def questions(warehouse):
    blocks = (warehouse / "scale.test").read_text().split("query\n")[1:]
    for block in blocks:
        sql, rows = block.split("\n----\n")
        yield sql, rows.split()


@pytest.mark.parametrize("threads", ["1", "4"])
def test_many_deletes(cli, warehouse, threads):
    asked = 0
    for sql, rows in questions(warehouse):
        done = subprocess.run(
            ["/bin/sh", "-c", f'ulimit -v {MEMORY_KIB}; exec "$@"', "sh", cli, "query", sql, "--warehouse", warehouse, "--format", "json",
             "--threads", threads, "--memory", BUDGET], capture_output=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, f"{sql}: {done.stderr.decode()}"
        assert multiset(done.stdout.decode().splitlines()) == multiset(rows), sql
        asked += 1
    assert asked == 6


def multiset(rows):
    return collections.Counter(json.dumps(json.loads(r), sort_keys=True) for r in rows)
