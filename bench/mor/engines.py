# SPDX-License-Identifier: Apache-2.0
"""The engines side by side: each a process of its own that is asked one query at a time.

Every engine has `ask(question) -> Answer`. A peer that cannot be started, that refuses a query, answers too late or dies
is an answer with a reason, never an exception.
"""
import json
import os
import pathlib
import selectors
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

PEERS = pathlib.Path(__file__).parent / "peers"
START_SECONDS = 240
FIRST_ANSWER_SECONDS = 40   # more for the first answer of a process: a virtual machine warms up
IDLE_SECONDS = 0.03
IDLE_SECONDS_MAX = 1.0


@dataclass(frozen=True)
class Question:
    table: str          # ns.name below the warehouse
    metadata: str       # path of the newest metadata file
    query: str          # "q6"
    sql: str            # with {t} for the table
    columns: tuple      # what the query reads, key columns of equality deletes included
    where: str = ""


@dataclass
class Answer:
    ms: float | None = None
    rows: list | None = None        # lists of texts, None for NULL; absent where the engine gives none (the floor)
    reason: str | None = None       # why there is no time
    facts: dict = field(default_factory=dict)


class Process:
    """A child in a session of its own, spoken to by lines of JSON."""

    def __init__(self, command):
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self.child = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.log, start_new_session=True)
        self.buffer = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.child.stdout, selectors.EVENT_READ)

    def write(self, text):
        self.child.stdin.write(text.encode())
        self.child.stdin.flush()

    def read(self, seconds):
        """The next line as an object; TimeoutError, or EOFError when the process is gone."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not self.selector.select(left):
                raise TimeoutError
            part = os.read(self.child.stdout.fileno(), 1 << 20)
            if not part:
                raise EOFError(self.last_words())
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def last_words(self):
        self.child.wait()
        self.log.seek(0)
        lines = [line.strip() for line in self.log.read().splitlines() if line.strip()]
        return f"exit code {self.child.returncode}" + (f": {lines[-1][:300]}" if lines else "")

    def wait_until_idle(self):
        """Until no process of the session has used the processor for a moment: garbage collectors and compilers go on."""
        end = time.monotonic() + IDLE_SECONDS_MAX
        before = session_ticks(self.child.pid)
        while time.monotonic() < end:
            time.sleep(IDLE_SECONDS)
            now = session_ticks(self.child.pid)
            if now == before:
                return
            before = now

    def close(self):
        for stream in (self.child.stdin, self.child.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        try:
            self.child.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.child.pid, signal.SIGKILL)  # grandchildren too: Spark's JVM
        except ProcessLookupError:
            pass
        self.child.wait()
        self.selector.close()
        self.log.close()


def session_ticks(session_id):
    """Processor time of all processes of a session, in clock ticks."""
    ticks = 0
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session_id:
            ticks += int(fields[11]) + int(fields[12])
    return ticks


class Engine:
    """One that keeps a process from question to question. Subclasses say how it is started and how its lines are meant."""

    def __init__(self, key, name, threads, answer_seconds):
        self.key = key
        self.name = name
        self.threads = threads
        self.answer_seconds = answer_seconds
        self.process = None
        self.is_fresh = True   # has not answered since it was started
        self.absent = None     # why the engine takes no part
        self.version = None
        self.caches = None
        self.given_up = {}     # table: why nothing more is asked of it

    def start(self):
        """Finds out whether the engine is there at all."""
        try:
            self.begin()
        except (TimeoutError, EOFError, OSError, subprocess.SubprocessError) as error:
            self.absent = f"does not start: {str(error) or f'no answer in {START_SECONDS} s'}"
            self.stop()

    def ask(self, question):
        if reason := self.absent or self.given_up.get(question.table):
            return Answer(reason=reason)
        seconds = self.answer_seconds
        try:
            if self.process is None:
                self.begin()
            seconds += FIRST_ANSWER_SECONDS * self.is_fresh
            self.process.write(self.request(question))
            answer = self.parse(self.process.read(seconds))
            self.is_fresh = False
            self.process.wait_until_idle()
            return answer
        except TimeoutError:
            self.stop()
            reason = f"gave up after {seconds:g} s"
            self.given_up[question.table] = f"{reason} on {question.query}"
            return Answer(reason=reason)
        except (EOFError, BrokenPipeError) as error:
            self.stop()
            return Answer(reason=f"the process ended, {error}")

    def begin(self):
        self.process = Process(self.command())
        self.is_fresh = True
        self.greet()

    def stop(self):
        if self.process:
            self.process.close()
        self.process = None

    def command(self):
        raise NotImplementedError

    def greet(self):
        """Reads what the process says first."""

    def request(self, question):
        raise NotImplementedError

    def parse(self, message):
        raise NotImplementedError


class Peer(Engine):
    """One of peers/*.py, under the Python that has it."""

    def __init__(self, key, name, python, arguments, **options):
        super().__init__(key, name, **options)
        self.python = python
        self.arguments = arguments

    def command(self):
        return [self.python, PEERS / f"{self.key.split('_')[0]}_peer.py", *self.arguments()]

    def greet(self):
        hello = self.process.read(START_SECONDS)
        self.version, self.caches = hello["version"], hello["caches"]

    def request(self, question):
        return json.dumps({"table": question.table, "metadata": question.metadata, "sql": question.sql}) + "\n"

    def parse(self, message):
        return Answer(message.get("ms"), message.get("rows"), message.get("error"))


class VecRuntime(Engine):
    """`vecruntime bench -`: one process, one run a question."""

    def __init__(self, key, name, binary, warehouse, **options):
        super().__init__(key, name, **options)
        self.binary = binary
        self.warehouse = warehouse
        self.caches = "see ARCHITECTURE.md; never decoded data or results"

    def command(self):
        return [self.binary, "bench", "-", "--warehouse", self.warehouse, "--threads", self.threads, "--warm", "0",
                "--runs", "1", "--format", "lines", "--answer", "--keep-going"]

    def greet(self):
        self.version = version_of(self.binary)

    def request(self, question):
        return question.sql.format(t=question.table) + ";\n"

    def parse(self, message):
        if error := message.get("error"):
            return Answer(reason=f"{error['kind']}: {error['message']}")
        return Answer(message["median_ms"], json_rows(message["answer"]), facts={"phases": message["phases"]})


class ColdVecRuntime(Engine):
    """A fresh process a question, from its start to its end; `peak_bytes` is the kernel's count of its memory."""

    def __init__(self, key, name, binary, warehouse, **options):
        super().__init__(key, name, **options)
        self.binary = binary
        self.warehouse = warehouse
        self.version = version_of(binary)
        self.caches = "none but the page cache"

    def start(self):
        pass

    def ask(self, question):
        command = [str(self.binary), "query", "--warehouse", str(self.warehouse), "--threads", str(self.threads), "--format",
                   "json", question.sql.format(t=question.table)]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            start = time.perf_counter()
            pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
                (os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)])
            _, status, usage = os.wait4(pid, 0)
            ms = (time.perf_counter() - start) * 1e3
            out.seek(0)
            errors.seek(0)
            if code := os.waitstatus_to_exitcode(status):
                return Answer(reason=f"exit code {code}: {errors.read().decode(errors='replace').strip()[-300:]}")
            rows = [json.loads(line, parse_float=str, parse_int=str) for line in out.read().splitlines() if line]
        return Answer(ms, json_rows(rows), facts={"peak_bytes": usage.ru_maxrss * 1024})


class Floor(Engine):
    """vecruntime_floor: inflates the pages the question needs, and answers nothing."""

    def __init__(self, key, name, binary, warehouse, **options):
        super().__init__(key, name, **options)
        self.binary = binary
        self.warehouse = warehouse

    def command(self):
        return [self.binary, "--warehouse", self.warehouse, "--threads", self.threads]

    def request(self, question):
        return json.dumps({"table": question.table, "columns": question.columns, "where": question.where}) + "\n"

    def parse(self, message):
        facts = {k: message[k] for k in ("pages", "compressed_bytes", "inflated_bytes", "method") if k in message}
        return Answer(message.get("ms"), None, message.get("error"), facts)


def json_rows(objects):
    """Rows as JSON objects to lists of texts."""
    return [[None if value is None else str(value) for value in row.values()] for row in objects]


def version_of(binary):
    return subprocess.run([str(binary), "--version"], capture_output=True, text=True, check=True).stdout.strip()
