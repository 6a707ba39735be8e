# SPDX-License-Identifier: Apache-2.0
"""Asks VecRuntime's command line, one process for many statements."""
import json
import os
import pathlib
import subprocess
import tempfile


class EngineError(Exception):
    """The process itself failed; its standard error is the message."""


class Answer:
    """What one statement gave: JSON lines, or an error kind with its message."""

    def __init__(self, lines=(), error=None):
        self.lines = list(lines)
        self.error = error

    @property
    def kind(self):
        return self.error and self.error.get("kind")

    @property
    def message(self):
        return self.error and self.error.get("message")


def find_binary(named=None):
    """The binary named by the caller or $VECRUNTIME, else the newest build of this checkout."""
    if named := named or os.environ.get("VECRUNTIME"):
        return str(named)
    root = pathlib.Path(__file__).resolve().parents[2]
    found = [p for pattern in ("build/*/bin/vecruntime", "build/*/cli/vecruntime", "build/bin/vecruntime")
             for p in root.glob(pattern) if p.is_file()]
    if not found:
        raise EngineError("no vecruntime binary: build it, or name it with --vecruntime or $VECRUNTIME")
    return str(max(found, key=lambda p: p.stat().st_mtime))


def ask(binary, warehouse, statements, timeout_s=600, options=()):
    """Runs the statements in order in one process; one Answer each, a failed one does not stop the rest."""
    statements = [" ".join(s.split("\n")).strip().rstrip(";") for s in statements]
    with tempfile.NamedTemporaryFile("w", suffix=".sql", encoding="utf-8") as script:
        script.write("".join(s + ";\n" for s in statements))
        script.flush()
        run = subprocess.run(
            [binary, "query", "--warehouse", str(warehouse), "--format", "json", "--keep-going", "--file", script.name,
             *options], capture_output=True, timeout=timeout_s, check=False)
    answers = parse(run.stdout.decode("utf-8"))
    if len(answers) != len(statements):
        raise EngineError(f"exit code {run.returncode}, {len(answers)} answers to {len(statements)} statements: "
                          + run.stderr.decode("utf-8", "replace").strip()[-2000:])
    return answers


def parse(text):
    """Splits the output: the lines of each statement end with an empty line."""
    answers, lines = [], []
    for line in text.split("\n")[:-1]:
        if line:
            lines.append(line)
            continue
        answers.append(Answer(lines) if not is_error(lines) else Answer(error=json.loads(lines[-1])["error"]))
        lines = []
    return answers


def is_error(lines):
    """An error is the object {"error": {"kind": ..., "message": ...}} alone: a column named error holds no such struct."""
    if len(lines) != 1 or not lines[0].startswith('{"error"'):
        return False
    value = json.loads(lines[0])
    return list(value) == ["error"] and isinstance(value["error"], dict) and set(value["error"]) >= {"kind", "message"}
