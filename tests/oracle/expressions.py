# SPDX-License-Identifier: Apache-2.0
"""Records tests/sql/spark/expressions/*.test from the lists in expressions/*.txt.

    expressions.py [TOPIC ...]

A list holds `# about` lines, `@ template` lines and one expression a line: each expression takes the place of {} in the
last template. Expressions of one template that succeed are also recorded as `types`. A line that begins with SELECT is
a statement of its own. `~ expression` is one that VecRuntime refuses by name. Lines `!cast COLUMN[, COLUMN] : TYPE[, TYPE]` give CAST and TRY_CAST of every pair.
"""
import argparse
import pathlib
import re

import record
import spark_session

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WAREHOUSE = "file:/vecruntime-fixtures"
NAMESPACE = "spark"
TYPES_A_RECORD = 8
EXPRESSIONS_A_JOB = 16


def expand(line):
    """The expressions a line stands for."""
    if not line.startswith("!cast "):
        return [line]
    columns, targets = line[len("!cast "):].split(" : ")
    split = lambda text: re.split(r",\s*(?![^(<]*[)>])", text.strip())
    return [f"{cast}({c} AS {t})" for c in split(columns) for t in split(targets) for cast in ("CAST", "TRY_CAST")]


class Topic:
    """The records of one list, in its order."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.records = []
        self.template = None
        self.waiting = []
        self.about = []
        self.expressions = 0

    def add(self, line):
        if line.startswith("#"):
            self.flush()
            self.about.append(line)
        elif line.startswith("@"):
            self.flush()
            self.template = line[1:].strip()
        elif line.upper().startswith("SELECT"):
            self.flush()
            self.add_statement(line)
        elif line.startswith("~ "):
            self.flush()
            self.refuse(line[1:].strip())
        else:
            self.waiting += expand(line)

    def add_statement(self, statement):
        text, succeeded = self.recorder.query(statement)
        self.expressions += 1
        self.emit(text)
        if succeeded:
            self.emit(self.recorder.types(statement))

    def refuse(self, expression):
        """What Spark can and VecRuntime says it cannot: no question for Spark."""
        name = "lambda" if "->" in expression else re.search(r"(\w+)\(", expression)[1]
        self.expressions += 1
        self.emit(f"error Unsupported {name}\n{self.template.replace('{}', expression)}\n")

    def emit(self, text):
        self.records.append("".join(line + "\n" for line in self.about) + text)
        self.about = []

    def flush(self):
        """Records the template's expressions, then the types of those that succeed."""
        accepted = [e for e in self.waiting if self.recorder.analyses(self.template.replace("{}", e))]
        answers = {}
        for i in range(0, len(accepted), EXPRESSIONS_A_JOB):
            chunk = accepted[i:i + EXPRESSIONS_A_JOB]
            answers.update(zip(chunk, self.recorder.queries(self.template, chunk)))
        for expression in self.waiting:
            self.expressions += 1
            text, _ = answers.get(expression) or self.recorder.query(self.template.replace("{}", expression))
            self.emit(text)
        succeeded = [e for e in accepted if answers[e][1]]
        for i in range(0, len(succeeded), TYPES_A_RECORD):
            columns = ", ".join(f"{e} AS c{n}" for n, e in enumerate(succeeded[i:i + TYPES_A_RECORD], 1))
            self.emit(self.recorder.types(self.template.replace("{} AS c", columns)))
        self.waiting = []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topics", nargs="*", help="names of lists (default: all)")
    parser.add_argument("--build-dir", type=pathlib.Path, help="folder where the Iceberg jar is kept")
    options = parser.parse_args()
    oracle = spark_session.start(WAREHOUSE, build_dir=options.build_dir, conf=spark_session.FAST_FOR_TINY)
    recorder = record.Recorder(oracle, NAMESPACE)
    for source in sorted((HERE / "expressions").glob("*.txt")):
        if options.topics and source.stem not in options.topics:
            continue
        topic = Topic(recorder)
        title, *lines = source.read_text(encoding="utf-8").splitlines()
        for line in lines:
            if line.strip():
                topic.add(line.strip())
        topic.flush()
        record.write(ROOT / "tests" / "sql" / "spark" / "expressions" / f"{source.stem}.test",
                     title.lstrip("# ") + "\nSpark 4.1.3's answers, recorded by tests/oracle/expressions.py.", topic.records)
        print(f"{source.stem}: {topic.expressions} expressions, {len(topic.records)} records", flush=True)


if __name__ == "__main__":
    main()
