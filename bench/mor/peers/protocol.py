# SPDX-License-Identifier: Apache-2.0
"""How the driver talks to a peer: one JSON object a line, on standard input and output.

    peer    {"version": "1.5.5", "caches": "..."}                   once, when it is ready
    driver  {"table": "ns.t", "metadata": "/.../v3.metadata.json", "sql": "SELECT ... FROM {t}"}
    peer    {"ms": 12.3, "rows": [["A", "1"], ...]}  or  {"error": "..."}

Time is taken here, in the peer's process, from the statement's text to the last row as Python values.
"""
import json
import os
import sys
import time


def serve(version, caches, run):
    """run(request) -> rows (sequences of Python values). Nothing but answers reaches standard output."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    tell({"version": version, "caches": caches})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            start = time.perf_counter()
            rows = run(request)
            ms = (time.perf_counter() - start) * 1e3
            tell({"ms": ms, "rows": [[text(value) for value in row] for row in rows]})
        except BaseException as error:  # a panic of a native library is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            tell({"error": first_lines(f"{type(error).__name__}: {error}")})


def text(value):
    return None if value is None else str(value)


def first_lines(message, characters=400):
    return " ".join(message.split())[:characters]
