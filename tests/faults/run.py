# SPDX-License-Identifier: Apache-2.0
"""Asks the command line about a damaged copy of a table and judges what comes back."""
import collections
import json
import os
import pathlib
import shutil
import subprocess

from tests.faults.damage import DIRECTORY, MISSING
from tests.oracle.vecruntime_cli import parse

TIMEOUT_S = 20
MEMORY_KIB = 4 << 20
EXIT_CODES = {"InvalidArgument": 2, "NotFound": 3, "Unsupported": 4, "CorruptData": 5, "IoError": 6,
              "ResourceExhausted": 9, "PermissionDenied": 10}
# What a sound program may say of a file that is not there, or not what it was.
EXPECTED_KINDS = {MISSING: {"NotFound", "IoError"}, DIRECTORY: {"IoError", "NotFound", "CorruptData"}}
WRONG_CONTENT = {"CorruptData", "IoError"}


def statements(name):
    return [f"SELECT id, v FROM {name}", f"SELECT count(*) AS n FROM {name}",
            f"SELECT id FROM {name} WHERE id >= 50 AND v IS NOT NULL"]


def right_answers(damaged):
    return [[{"id": i, "v": v} for i, v in damaged.alive.items()], [{"n": len(damaged.alive)}],
            [{"id": i} for i in damaged.alive if i >= 50]]


def run_cli(cli, warehouse, *arguments):
    """(exit code, stdout, stderr); "timeout" in place of the code. The address space is bounded, but under ASan."""
    limit = "" if "ASAN_OPTIONS" in os.environ else f"ulimit -v {MEMORY_KIB}; "
    command = ["/bin/sh", "-c", limit + 'exec "$@"', "sh", str(cli), "query", "--warehouse", str(warehouse), "--format", "json",
               *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return "timeout", "", ""
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def multiset(rows):
    return collections.Counter(json.dumps(r, sort_keys=True) for r in rows)


class Workspace:
    """A copy of one table; each damage is put in place, asked about, and undone."""

    def __init__(self, cli, damaged, source, folder):
        self.cli, self.damaged, self.warehouse = cli, damaged, pathlib.Path(folder)
        shutil.copytree(source, self.warehouse, dirs_exist_ok=True)
        self.dir = self.warehouse.joinpath(*damaged.name.split("."))
        self.script = self.warehouse / "statements.sql"
        self.script.write_text("".join(s + ";\n" for s in statements(damaged.name)))

    def judge(self, file, damage):
        """What is wrong with the answers, as a list of sentences."""
        path = self.dir / file
        content = path.read_bytes()
        path.unlink()
        if damage.content == DIRECTORY:
            path.mkdir()
        elif damage.content != MISSING:
            path.write_bytes(damage.content)
        try:
            return self.judge_batch(file, damage) + (self.judge_single(file, damage) if damage.must_fail else [])
        finally:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            path.write_bytes(content)

    def judge_batch(self, file, damage):
        code, out, err = run_cli(self.cli, self.warehouse, "--keep-going", "--file", str(self.script))
        if code not in (0, *EXIT_CODES.values()):
            return [f"exit code {code}: {err.strip()[-400:]}"]
        answers = parse(out)
        if len(answers) != 3:
            return [f"{len(answers)} answers to 3 statements, exit code {code}: {out[:200]} {err.strip()[-200:]}"]
        wrong = []
        for statement, answer, right in zip(statements("t"), answers, right_answers(self.damaged)):
            for fault in self.faults_of(answer, right, file, damage):
                wrong.append(f"{statement}: {fault}")
        return wrong

    def faults_of(self, answer, right, file, damage):
        if answer.error:
            if answer.kind not in EXIT_CODES:
                yield f"kind {answer.kind}: {answer.message}"
            elif damage.provable and answer.kind not in EXPECTED_KINDS.get(str(damage.content), WRONG_CONTENT):
                yield f"kind {answer.kind} for this damage: {answer.message}"
            if damage.provable and pathlib.Path(file).name not in answer.message and not self.names_folder(file, answer):
                yield f"the file is not named: {answer.message}"
            return
        rows = [json.loads(line) for line in answer.lines]
        back = sorted({r["id"] for r in rows if r.get("id") is not None} & self.damaged.dead)
        if back:
            yield f"dead rows are back: {back[:8]}"
        elif multiset(rows) != multiset(right) and damage.provable:
            yield f"another answer: {len(rows)} rows, due {len(right)}: {rows[:2]}"
        elif damage.must_fail and right != [{"n": len(self.damaged.alive)}]:
            yield "an answer, where an error is due"

    def names_folder(self, file, answer):
        """A table's only metadata file, when gone, can only be told by the table."""
        return file.startswith("metadata/v") and self.damaged.name.split(".")[-1] in answer.message

    def judge_single(self, file, damage):
        code, out, err = run_cli(self.cli, self.warehouse, statements(self.damaged.name)[0])
        wrong = []
        if code not in EXIT_CODES.values():
            wrong.append(f"alone: exit code {code}: {err.strip()[-400:]}")
        if out:
            wrong.append(f"alone: rows on standard output before the error: {out[:100]}")
        if not err.strip():
            wrong.append("alone: nothing on standard error")
        return wrong
