# SPDX-License-Identifier: Apache-2.0
"""`vecruntime bench` over the fixture tables: names, counts, order of its numbers, errors, and queries that come one by one."""
import json
import subprocess

import pytest

from tests.conftest import ROOT

WAREHOUSE = ROOT / "tests" / "fixtures" / "warehouse"
NOT_FOUND, INVALID_ARGUMENT = 3, 2
SCRIPT = """
-- counts what is alive
-- name: alive
SELECT count(*) FROM ecase.e7;
/* -- name: not this one; */ SELECT id,
   name -- a comment inside
FROM ecase.e7 WHERE id > 5;
-- SELECT 1;
-- name: literal
SELECT 'a;b' AS text
"""


@pytest.fixture
def bench(cli, tmp_path):
    def run(script, *options, file="queries.sql"):
        path = tmp_path / file
        path.write_text(script)
        done = subprocess.run([str(cli), "bench", "--warehouse", str(WAREHOUSE), "--threads", "2", *options, str(path)],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr
    return run


def rows_of(cli, sql):
    done = subprocess.run([str(cli), "query", "--warehouse", str(WAREHOUSE), "--format", "json", sql], capture_output=True, text=True,
                          timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_json_is_a_list_of_queries(bench, cli):
    code, out, err = bench(SCRIPT, "--warm", "1", "--runs", "3", "--format", "json", "--answer")
    assert code == 0, err
    alive, selected, literal = json.loads(out)
    assert [q["query"] for q in (alive, selected, literal)] == [
        "alive", "SELECT id, name -- a comment inside FROM ecase.e7 WHERE id > 5", "literal"]
    for query in (alive, selected, literal):
        assert 0 < query["min_ms"] <= query["median_ms"] <= query["max_ms"]
        assert query["first_ms"] > 0
        assert query["phases"]["plan"] >= 0
    assert {"open", "load deletes", "decode", "deletes", "filter", "I/O", "inflate", "operators"} <= alive["phases"].keys()
    assert alive["answer"] == rows_of(cli, "SELECT count(*) FROM ecase.e7")
    assert selected["answer"] == rows_of(cli, "SELECT id, name FROM ecase.e7 WHERE id > 5")
    assert (alive["rows"], selected["rows"], literal["answer"]) == (1, len(selected["answer"]), [{"text": "a;b"}])


def test_no_warm_run(bench):
    code, out, err = bench("SELECT count(*) FROM ecase.e7", "--warm", "0", "--runs", "1", "--format", "json")
    assert code == 0, err
    [query] = json.loads(out)
    assert query["first_ms"] == query["min_ms"] == query["median_ms"] == query["max_ms"]
    assert "answer" not in query


def test_table_shows_every_query(bench):
    code, out, err = bench(SCRIPT, "--warm", "0", "--runs", "1")
    assert code == 0, err
    assert all(text in out for text in ("alive", "literal", "median ms", "deletes", "3 rows"))


def test_error_ends_the_run_after_what_was_measured(bench):
    code, out, err = bench("SELECT 1; SELECT * FROM ecase.none; SELECT 2", "--warm", "0", "--runs", "1", "--format", "json")
    assert code == NOT_FOUND
    assert "ecase.none" in err
    assert [q["query"] for q in json.loads(out)] == ["SELECT 1"]


def test_keep_going(bench):
    code, out, err = bench("SELECT 1; SELECT * FROM ecase.none; SELECT 2", "--warm", "0", "--runs", "1", "--format", "json", "--keep-going")
    assert code == 0, err
    first, failed, last = json.loads(out)
    assert (failed["error"]["kind"], failed["query"]) == ("NotFound", "SELECT * FROM ecase.none")
    assert "error" not in first and last["query"] == "SELECT 2"


@pytest.mark.parametrize("options", [("--format", "csv"), ("--runs", "0"), ("--warm", "-1")])
def test_refused_options(bench, options):
    assert bench("SELECT 1", *options)[0] == INVALID_ARGUMENT


def test_empty_file(bench):
    code, out, err = bench("-- nothing\n;", "--format", "json")
    assert code == INVALID_ARGUMENT and "no query" in err, err


def test_missing_file(cli, tmp_path):
    done = subprocess.run([str(cli), "bench", str(tmp_path / "none.sql")], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == NOT_FOUND and "none.sql" in done.stderr


def test_standard_input_is_answered_as_it_comes(cli):
    """A driver that measures several engines side by side asks the next query only after the last answer."""
    with subprocess.Popen([str(cli), "bench", "-", "--warehouse", str(WAREHOUSE), "--warm", "0", "--runs", "1", "--format", "lines",
                           "--answer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for number in (1, 2):
            process.stdin.write(f"SELECT\n{number} AS n;\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["answer"] == [{"n": number}]
        process.stdin.write("SELECT 3 AS n")  # the last one needs no semicolon
        process.stdin.close()
        assert json.loads(process.stdout.readline())["answer"] == [{"n": 3}]
        assert process.wait(timeout=30) == 0
