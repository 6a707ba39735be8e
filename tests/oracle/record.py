# SPDX-License-Identifier: Apache-2.0
"""Records Spark's answers as tests/sql/**/*.test files."""
import datetime
import re

import spark_session

# Faults of the statement itself: VecRuntime words them its own way, so only the kind is recorded.
ANALYSIS_ERRORS = ("AnalysisException", "ParseException")


METADATA_COLUMNS = re.compile(r"\b_(?:file|pos|spec_id|partition|deleted|row_id|last_updated_sequence_number)\b")
METADATA_TABLES = ("snapshots history refs manifests files data_files delete_files entries partitions all_manifests all_files "
                   "all_data_files all_delete_files all_entries").split()


class Recorder:
    """Turns statements into records. Statements over an Iceberg table are answered by the same rows held in memory, read
    whole and without a filter: Spark loses rows where it prunes by bounds (NaN, signed zeros, columns with an initial
    default) and where a query does not read a nested equality key. Metadata tables are asked directly."""

    def __init__(self, oracle, namespace):
        self.oracle = oracle
        self.known = {}
        metadata = rf"\.(?:{'|'.join(METADATA_TABLES)})\b"
        self.metadata = re.compile(rf"\b{namespace}\.\w+{metadata}")
        self.source = re.compile(
            rf"\b{namespace}\.(?P<table>\w+)(?!\w)(?!{metadata})(?P<ref>\.(?:branch|tag)_\w+)?"
            r"(?P<travel> (?:FOR )?(?:VERSION|TIMESTAMP) AS OF (?:'[^']*'|\d+))?")

    def unpruned(self, statement):
        """The statement over relations in memory. A relation has the name of its table: columns may be qualified by it."""
        extras = ", ".join(sorted(set(METADATA_COLUMNS.findall(statement))))
        statement = self.source.sub(lambda found: self.relation(found, extras), statement)
        return self.metadata.sub(lambda found: f"{spark_session.CATALOG}.{found[0]}", statement)

    def relation(self, found, extras):
        wanted = (found[0], extras)
        name = found["table"]
        if self.known.get(name) != wanted:
            rows = self.oracle.sql(f"SELECT *{', ' if extras else ''}{extras} FROM local.{found[0]}")
            rows.localCheckpoint().createOrReplaceTempView(name)
            self.known[name] = wanted
        return name

    def query(self, statement):
        """(record, whether it succeeded): a query record, or an error record with Spark's error class."""
        try:
            lines, _ = self.oracle.ask(self.unpruned(statement))
        except Exception as error:  # pylint: disable=broad-except
            return self.error(statement, error), False
        return self.answer(statement, lines), True

    def answer(self, statement, lines):
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        if any(today in line for line in lines):
            raise RuntimeError(f"the answer holds the day of its recording and is another one tomorrow: {statement}")
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
        if type(error).__name__ in ANALYSIS_ERRORS or name == "INCONSISTENT_BEHAVIOR_CROSS_VERSION":
            return f"error InvalidArgument\n{statement}\n"
        if name is None and re.search(r"ArithmeticException|DateTimeException", str(error)):
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
