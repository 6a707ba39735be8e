# SPDX-License-Identifier: Apache-2.0
"""Records Spark's answers as tests/sql/**/*.test files."""
import re

import spark_session

# Faults of the statement itself: VecRuntime words them its own way, so only the kind is recorded.
ANALYSIS_ERRORS = ("AnalysisException", "ParseException")


class Recorder:
    """Turns statements into records. `views` maps a table name to a relation that answers in its place: the same rows
    without Iceberg's pruning, which loses rows with NaN and signed zeros."""

    def __init__(self, oracle, views=None):
        self.oracle = oracle
        self.views = views or {}

    def unpruned(self, statement):
        for table, view in self.views.items():
            statement = re.sub(rf"\b{re.escape(table)}\b", view, statement)
        return statement

    def query(self, statement):
        """(record, whether it succeeded): a query record, or an error record with Spark's error class."""
        try:
            lines, _ = self.oracle.ask(self.unpruned(statement))
        except Exception as error:  # pylint: disable=broad-except
            return self.error(statement, error), False
        return self.answer(statement, lines), True

    def answer(self, statement, lines):
        ordered = is_ordered(statement)
        if not ordered:
            lines = sorted(lines, key=numbers_as_numbers)
        return "\n".join([f"query{' ordered' if ordered else ''}", statement, "----", *lines]) + "\n"

    def queries(self, template, expressions):
        """What query() gives for each expression in the place of {} in `SELECT ..., {} AS c FROM ...`, with as few Spark
        jobs as possible: all in one, and halved where one of them fails."""
        if expressions and not is_ordered(template):
            columns, rest = re.fullmatch(r"SELECT (.*)\{\} AS c (FROM .*)", template).groups()
            objects = ", ".join(f"to_json(struct({columns}{e} AS c), map('ignoreNullFields', 'false')) AS j{i}"
                                for i, e in enumerate(expressions))
            try:
                rows = self.oracle.sql(self.unpruned(f"SELECT {objects} {rest}")).collect()
                return [(self.answer(template.replace("{}", e), [row[i] for row in rows]), True)
                        for i, e in enumerate(expressions)]
            except Exception:  # pylint: disable=broad-except
                if len(expressions) == 1:
                    return [self.query(template.replace("{}", expressions[0]))]
                middle = len(expressions) // 2
                return self.queries(template, expressions[:middle]) + self.queries(template, expressions[middle:])
        return [self.query(template.replace("{}", e)) for e in expressions]

    def analyses(self, statement):
        """Whether Spark accepts the statement before it runs it."""
        try:
            return self.oracle.sql(self.unpruned(statement)) is not None
        except Exception:  # pylint: disable=broad-except
            return False

    def error(self, statement, error):
        name = spark_session.error_class(error)
        if re.search(r"Cannot find|older than", str(error)) and " AS OF " in statement:
            return f"error NotFound\n{statement}\n"
        if type(error).__name__ in ANALYSIS_ERRORS:
            return f"error InvalidArgument\n{statement}\n"
        if name is None:
            # Not an answer but a failure of the oracle: such a question has no place in the tests.
            raise RuntimeError(f"Spark fails on {statement}: {str(error).splitlines()[0]}") from error
        return f"error InvalidArgument {name}\n{statement}\n"

    def types(self, statement):
        fields = self.oracle.sql(self.unpruned(statement)).schema.fields
        return "\n".join(["types", statement, "----", *(f"{f.name} {f.dataType.simpleString()}" for f in fields)]) + "\n"


def is_ordered(statement):
    return re.search(r"\bORDER BY\b(?!.*\))", statement, re.IGNORECASE) is not None


def numbers_as_numbers(line):
    """Sort key that puts {"id":9} before {"id":10}."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", line) if part]


def write(path, title, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"# {line}\n" for line in title.split("\n")) + "\n" + "\n".join(records), encoding="utf-8")
