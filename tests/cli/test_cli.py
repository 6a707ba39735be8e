# SPDX-License-Identifier: Apache-2.0
"""The command line from the outside: where results go, what an error leaves behind, signals, exit codes."""
import io
import json
import os
import pathlib
import pty
import select
import signal
import stat
import subprocess
import threading
import time

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from tests.fixtures.builder import Field, Table

ROWS = 30000
OK, INVALID, NOT_FOUND, UNSUPPORTED, CORRUPT, IO, EXHAUSTED, CANCELLED = 0, 2, 3, 4, 5, 6, 9, 130
# About 50 ms a row, so a batch of one row is soon over (of a dictionary all values would be asked at once).
SLOW = "SELECT count(*) FROM {} WHERE levenshtein(repeat(v, 600), repeat(v, 599)) > 0"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    t = Table(folder, "cli.t", [Field(1, "id", "long"), Field(2, "v", "string")])
    with t.commit() as c:
        for start in range(0, ROWS, 3000):
            c.data([(i, f"value {i}") for i in range(start, start + 3000)], row_groups=1000, use_dictionary=False)
    t.write()
    broken = Table(folder, "cli.broken", [Field(1, "id", "long"), Field(2, "v", "string")])
    with broken.commit() as c:
        for start in range(0, ROWS, 3000):
            last = c.data([(i, f"value {i}") for i in range(start, start + 3000)], write_page_checksum=True)
    broken.write()
    path = pathlib.Path(broken.local(last.path))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return folder


@pytest.fixture
def run(cli, warehouse):
    def run(*arguments, **options):
        return subprocess.run([cli, *map(str, arguments), "--warehouse", str(warehouse)], capture_output=True, timeout=120,
                              check=False, **{"stdin": subprocess.DEVNULL, **options})
    return run


def stdout_to_full(cli, warehouse, *arguments):
    with open("/dev/full", "wb") as full:
        return subprocess.run([cli, *arguments, "--warehouse", str(warehouse)], stdout=full, stderr=subprocess.PIPE, timeout=60,
                              check=False)


@pytest.mark.parametrize("arguments,code,text", [
    (["bogus"], INVALID, "no such command: bogus"),
    (["query", "SELECT 1", "--format", "xml"], INVALID, "xml"),
    (["query", "SELEC 1"], INVALID, "PARSE_SYNTAX_ERROR"),
    (["query", "SELECT 1", "--threads", "-1"], INVALID, "threads"),
    (["query", "SELECT 1", "--memory", "lots"], INVALID, "lots"),
    (["query", "SELECT 1; SELECT 2", "--format", "arrow"], INVALID, "binary output"),
    (["query", "--file", "/nowhere.sql"], NOT_FOUND, "/nowhere.sql"),
    (["query", "--file", "/"], IO, "directory"),
    (["query", "SELECT * FROM cli.nothing"], NOT_FOUND, "cli.nothing"),
    (["query", "INSERT INTO cli.t VALUES (1)"], UNSUPPORTED, "INSERT"),
    (["query", "SELECT 1", "--output", "/nowhere/x.csv"], IO, "/nowhere/x.csv"),
    (["query", "SELECT 1", "--output", "/", "--format", "csv"], IO, "directory"),
    (["query", "SELECT 1", "--output", "x.unknown"], INVALID, "x.unknown"),
    (["scan", "cli.t", "--ref", "main", "--snapshot", "1"], INVALID, "not both"),
    (["scan", "cli.t", "--snapshot", "7"], NOT_FOUND, "7"),
    (["inspect", "cli.nothing"], NOT_FOUND, "cli.nothing"),
    (["explain", "SELECT id FROM cli.t WHERE"], INVALID, "PARSE_SYNTAX_ERROR"),
    (["query", "SELECT * FROM cli.broken"], CORRUPT, "data-00009.parquet"),
])
def test_errors(run, arguments, code, text):
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    assert text in done.stderr.decode()
    assert done.stdout == b""


def test_keep_going_tells_of_failures(run):
    done = run("query", "SELECT 1 AS a; SELECT 1 / 0; SELECT * FROM cli.nothing; SELECT 2 AS a", "--keep-going", "--format", "json")
    blocks = done.stdout.decode().split("\n\n")
    assert [blocks[0], blocks[3]] == ['{"a":1}', '{"a":2}']
    assert [json.loads(b)["error"]["kind"] for b in blocks[1:3]] == ["InvalidArgument", "NotFound"]
    assert done.returncode == INVALID and b"2 of 4 statements failed" in done.stderr


@pytest.mark.parametrize("command", [
    ["query", "SELECT * FROM cli.t", "--format", "table"], ["query", "SELECT * FROM cli.t", "--format", "csv"],
    ["query", "SELECT * FROM cli.t", "--format", "json"], ["query", "SELECT * FROM cli.t", "--format", "arrow"],
    ["query", "SELECT * FROM cli.t", "--format", "parquet"], ["query", "SELECT 1"], ["scan", "cli.t"], ["inspect", "cli.t"],
    ["explain", "SELECT * FROM cli.t"]])
def test_a_full_disk_is_an_error(cli, warehouse, command):
    done = stdout_to_full(cli, warehouse, *command)
    assert done.returncode == IO
    assert len(done.stderr.decode().splitlines()) == 1, done.stderr


def test_output_does_not_replace_a_device(run, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    done = run("query", "SELECT 1 AS a", "--output", pipe)
    reader.join(30)
    assert (done.returncode, got) == (OK, [b"a\n1\n"])
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    done = run("query", "SELECT 1 AS a", "--output", "/dev/full", "--format", "csv")
    assert done.returncode == IO
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_output_follows_a_link(run, tmp_path):
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("target.csv")
    assert run("query", "SELECT 1 AS a", "--output", tmp_path / "link.csv").returncode == OK
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "target.csv").read_text() == "a\n1\n"


@pytest.mark.parametrize("statement", ["SELECT * FROM cli.broken", "SELECT id, 1 / (id - 29999) FROM cli.t"])
def test_a_failed_export_leaves_what_was_there(run, tmp_path, statement):
    out = tmp_path / "out.csv"
    out.write_text("old")
    done = run("query", statement, "--output", out, "--memory", "2MiB", "--threads", "1")
    assert done.returncode in (CORRUPT, INVALID), done.stderr
    assert out.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


READERS = {
    "csv": lambda p: pa.csv.read_csv(p), "parquet": pq.read_table, "arrow": lambda p: pa.ipc.open_file(p).read_all(),
    "arrows": lambda p: pa.ipc.open_stream(p).read_all(),
    "json": lambda p: pa.Table.from_pylist([json.loads(line) for line in p.read_text().splitlines()])}


@pytest.mark.parametrize("suffix", READERS)
def test_a_file_may_be_larger_than_the_budget(run, tmp_path, suffix):
    out = tmp_path / f"out.{suffix}"
    done = run("scan", "cli.t", "--where", "id >= 100", "--output", out, "--memory", "600KB")
    assert done.returncode == OK, done.stderr
    rows = READERS[suffix](out).sort_by("id").to_pydict()
    assert rows == {"id": list(range(100, ROWS)), "v": [f"value {i}" for i in range(100, ROWS)]}
    done = run("scan", "cli.t", "--where", "id >= 100", "--memory", "600KB", "--format", "csv")
    assert (done.returncode, done.stdout) == (EXHAUSTED, b"")
    assert b"query result" in done.stderr


def test_an_ordered_file_keeps_its_order(run, tmp_path):
    out = tmp_path / "out.parquet"
    done = run("query", "SELECT id FROM cli.t ORDER BY id % 1000, id DESC", "--output", out, "--threads", "8", "--batch-rows", "100")
    assert done.returncode == OK, done.stderr
    assert pq.read_table(out)["id"].to_pylist() == sorted(range(ROWS), key=lambda i: (i % 1000, -i))


def start_slow(cli, warehouse, out, stderr):
    """A statement that takes long, once it runs: the file it fills is there."""
    process = subprocess.Popen([cli, "query", SLOW.format("cli.t"), "--batch-rows", "1", "--warehouse", str(warehouse), "--output", str(out)],
                               stdout=subprocess.PIPE, stderr=stderr, stdin=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(out.parent.iterdir()) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return process


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGTERM])
def test_interrupt(cli, warehouse, tmp_path, interrupt):
    process = start_slow(cli, warehouse, tmp_path / "out.csv", subprocess.PIPE)
    process.send_signal(interrupt)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == CANCELLED, stderr
    assert b"Cancelled" in stderr and stdout == b""
    assert not list(tmp_path.iterdir())


def test_interrupt_while_reading_sql(cli, warehouse):
    process = subprocess.Popen([cli, "query", "--warehouse", str(warehouse)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == -signal.SIGTERM


def test_progress_on_a_terminal(cli, warehouse, tmp_path):
    main, terminal = pty.openpty()
    process = start_slow(cli, warehouse, tmp_path / "out.csv", terminal)
    os.close(terminal)
    shown = b""
    while b"10 files" not in shown:
        assert select.select([main], [], [], 60)[0], shown
        shown += os.read(main, 65536)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    os.close(main)
    assert b"rows" in shown


def test_no_progress_elsewhere(cli, warehouse, tmp_path):
    process = start_slow(cli, warehouse, tmp_path / "out.csv", subprocess.PIPE)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1].decode().splitlines() == ["vecruntime: Cancelled: the statement was cancelled"]


def test_a_closed_pipe_ends_without_a_word(cli, warehouse):
    process = subprocess.Popen([cli, "scan", "cli.t", "--format", "csv", "--warehouse", str(warehouse)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == -signal.SIGPIPE


@pytest.mark.parametrize("file_format", ["csv", "json", "arrow", "parquet", "table"])
def test_no_rows(run, file_format):
    done = run("query", "SELECT id, v, id AS v FROM cli.t WHERE id < 0", "--format", file_format)
    assert done.returncode == OK, done.stderr
    names = {"arrow": lambda b: pa.ipc.open_stream(b).schema.names, "parquet": lambda b: pq.ParquetFile(io.BytesIO(b)).schema_arrow.names,
             "csv": lambda b: b.decode().strip().split(","), "json": lambda b: ["id", "v", "v"] if b == b"" else None,
             "table": lambda b: [c.strip() for c in b.decode().splitlines()[1].strip("│").split("│")]}[file_format](done.stdout)
    assert names == ["id", "v", "v"]


def test_a_file_stays_when_every_statement_fails(run, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("before\n")
    assert run("query", "SELECT nothing FROM cli.t", "--keep-going", "--output", out).returncode != OK
    assert out.read_text() == "before\n" and [file.name for file in tmp_path.iterdir()] == ["out.csv"]
    assert run("query", "SELECT nothing FROM cli.t; SELECT 1 AS one", "--keep-going", "--output", out).returncode != OK
    assert "one" in out.read_text()
