# SPDX-License-Identifier: Apache-2.0
"""Random tables, random questions, two engines: VecRuntime's answers must equal Spark's.

    differential.py --dir DIR [--tables 100] [--queries 10] [--seed 1] [--long]

Table i of a run is made from seed SEED + i alone, so that a failure replays with the line it prints. Spark writes the
table (with Iceberg's Java API for equality deletes), reads its rows without a filter into memory, and answers the
questions over those rows: Iceberg's own pruning, which loses rows with NaN and signed zeros, has no part in the answer.
A table that differs is kept under DIR/warehouse, the others are removed.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import random
import re
import shutil
import sys
import time

import compare
import spark_session
import vecruntime_cli

NAMESPACE = "diff"
METADATA_COLUMNS = ["_file", "_pos", "_spec_id"]


# --- columns and their values ---------------------------------------------------------------------------------------
# A value is a function of the row's number alone: an expression over `h`, a small hash of (row, column), so that values
# repeat within files, across files and in literals. Doubles are multiples of 1/4: their sums do not depend on the order.

@dataclasses.dataclass(frozen=True)
class Kind:
    type: str
    value: str                      # expression over {h}, 0 <= h < 24
    literals: tuple
    promotes_to: str = ""
    partition: tuple = ("{c}", "bucket(3, {c})")
    is_key: bool = True             # may be the key of an equality delete, and of GROUP BY
    number: bool = False


KINDS = [
    Kind("BOOLEAN", "{h} % 2 = 0", ("true", "false"), partition=("{c}",)),
    Kind("INT", "CAST({h} - 8 AS INT)", ("0", "-3", "7", "15", "2.5", "3000000000"), "BIGINT", number=True,
         partition=("{c}", "bucket(3, {c})", "truncate(4, {c})")),
    Kind("BIGINT", "({h} - 8) * 3000000000", ("0", "9000000000", "-24000000000", "1", "4.5D"), number=True,
         partition=("{c}", "bucket(3, {c})", "truncate(100, {c})")),
    Kind("FLOAT", "CAST(CASE {h} WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE ({h} - 8) / 4D END AS FLOAT)",
         ("0", "0.5", "-1.25", "100", "-0.0F"), "DOUBLE", number=True, partition=()),
    Kind("DOUBLE", "CASE {h} WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D WHEN 3 THEN double('Infinity') "
         "ELSE ({h} - 8) / 4D END", ("0", "0.5D", "-1.25D", "100", "-0.0D", "double('Infinity')"), number=True, partition=()),
    Kind("DECIMAL(7,2)", "CAST(({h} - 8) * 1.25 AS DECIMAL(7,2))", ("0", "1.25", "-2.5", "10.001", "7"), "DECIMAL(12,2)",
         number=True, partition=("{c}", "bucket(3, {c})", "truncate(200, {c})")),
    Kind("DECIMAL(18,6)", "CAST(({h} - 8) * 12345.678901 AS DECIMAL(18,6))", ("0", "12345.678901", "-24691.357802"), number=True),
    Kind("DECIMAL(38,10)", "CAST(({h} - 8) * 1234567890123456789.0123456789 AS DECIMAL(38,10))",
         ("0", "1234567890123456789.0123456789", "-1"), number=True),
    Kind("DATE", "date_add(DATE'1969-12-20', CAST({h} AS INT))", ("DATE'1970-01-01'", "DATE'1969-12-28'", "'1970-01-03'"),
         partition=("{c}", "bucket(3, {c})", "years({c})", "months({c})", "days({c})")),
    Kind("TIMESTAMP", "timestamp_micros(({h} - 8) * 7200000000 - 1)",
         ("TIMESTAMP'1970-01-01 00:00:00'", "TIMESTAMP'1969-12-31 23:59:59.999999'", "DATE'1970-01-01'"),
         partition=("years({c})", "months({c})", "days({c})", "hours({c})", "bucket(3, {c})")),
    Kind("TIMESTAMP_NTZ", "CAST(timestamp_micros(({h} - 8) * 86400000000 + 123456) AS TIMESTAMP_NTZ)",
         ("TIMESTAMP_NTZ'1970-01-01 00:00:00.123456'", "TIMESTAMP_NTZ'1969-12-30 00:00:00'"),
         partition=("years({c})", "months({c})", "days({c})", "bucket(3, {c})")),
    Kind("STRING", "element_at(array('', 'a', 'B', 'ab', 'abc', 'é☃', '😀x', 'a_b', 'a%', ' pad ', 'zz', 'a long string of forty "
         "characters or so', 'a long string of forty characters or more'), CAST({h} % 13 + 1 AS INT))",
         ("'a'", "'abc'", "''", "'é☃'", "'a long string of forty characters or so'", "'q'"),
         partition=("{c}", "bucket(3, {c})", "truncate(2, {c})")),
    Kind("BINARY", "unhex(substring('00FF01020304A0B0', 1, CAST({h} % 5 AS INT) * 2))", ("X'00FF'", "X''", "X'00'"),
         partition=("bucket(3, {c})", "truncate(1, {c})")),
    Kind("STRUCT<a:INT,b:STRING>", "named_struct('a', if({h} % 4 = 0, NULL, CAST({h} AS INT)), 'b', concat('b', {h} % 3))",
         (), partition=(), is_key=False),
    Kind("ARRAY<INT>", "slice(array(CAST({h} AS INT), NULL, 7), 1, CAST({h} % 4 AS INT))", (), partition=(), is_key=False),
    Kind("MAP<STRING,INT>", "if({h} % 3 = 0, map(), map('k', CAST({h} AS INT), 'n', NULL))", (), partition=(), is_key=False),
]
KIND_OF = {k.type: k for k in KINDS}
KIND_OF["DECIMAL(12,2)"] = dataclasses.replace(KIND_OF["DECIMAL(7,2)"], type="DECIMAL(12,2)", promotes_to="")


@dataclasses.dataclass
class Column:
    name: str
    kind: Kind
    salt: int
    partitioned: bool = False       # source of a partition field, now or once

    def expression(self):
        h = f"pmod(xxhash64(id, {self.salt}), 24)"
        return f"if(pmod(xxhash64(id, {self.salt}, 1), 6) = 0, NULL, {self.kind.value.format(h=h)})"


# --- tables ---------------------------------------------------------------------------------------------------------

class Table:
    """A random table under construction. Operations that Spark refuses are left out; `log` says what was done."""

    def __init__(self, oracle, seed, scale):
        self.oracle = oracle
        self.random = random.Random(seed)
        self.name = f"{NAMESPACE}.t{seed}"
        self.scale = scale
        self.version = self.random.choice([1, 2, 2, 2, 3, 3, 3])
        self.columns = []
        self.created = 0
        self.next_id = 0
        self.fields = 0
        self.compacted = False
        self.log = []

    def sql(self, text):
        self.oracle.sql(text.format(t=f"local.{self.name}"))

    def new_column(self):
        self.created += 1
        return Column(f"c{self.created}", self.random.choice(KINDS), self.random.randrange(1 << 30))

    def build(self):
        self.oracle.drop(self.name)
        self.create()
        operations = [self.append] * 5 + [self.delete] * 5 + [self.delete_keys] * 5 + [
            self.update, self.update, self.merge, self.add_column, self.add_default, self.add_default, self.drop_column, self.rename, self.promote, self.reorder,
            self.evolve_spec, self.evolve_spec, self.compact, self.rewrite_manifests, self.compact_deletes, self.upgrade,
            self.tag]
        self.append()
        for _ in range(self.random.randrange(4, 9)):
            operation = self.random.choice(operations)
            if self.version == 1 and operation not in (self.append, self.add_column, self.rename, self.evolve_spec,
                                                       self.drop_column, self.rewrite_manifests):
                operation = self.upgrade
            self.attempt(operation)
        return self

    def attempt(self, operation):
        try:
            done = operation()
            self.log.append(f"{operation.__name__}: {done}" if done else f"{operation.__name__}: nothing to do")
        except Exception as error:  # pylint: disable=broad-except
            self.log.append(f"{operation.__name__}: refused by Spark: {str(error).strip().splitlines()[0][:200]}")

    def create(self):
        self.columns = [self.new_column() for _ in range(self.random.randrange(3, 8))]
        declared = ", ".join(["id BIGINT"] + [f"{c.name} {c.kind.type}" for c in self.columns])
        partitioned = self.random.sample(self.partition_choices(), k=0) if self.random.random() < 0.4 else (
            self.random.sample(self.partition_choices(), k=self.random.choice([1, 1, 2])))
        if len({c.name for c, _ in partitioned}) < len(partitioned):
            partitioned = partitioned[:1]
        for column, _ in partitioned:
            if column.name != "id":
                column.partitioned = True
        clause = f"PARTITIONED BY ({', '.join(t for _, t in partitioned)})" if partitioned else ""
        properties = {"format-version": self.version, "write.delete.mode": "merge-on-read", "write.update.mode": "merge-on-read",
                      "write.merge.mode": "merge-on-read", "write.distribution-mode": "none",
                      "write.delete.granularity": self.random.choice(["file", "partition"]),
                      "write.metadata.compression-codec": self.random.choice(["none", "gzip"]),
                      "write.parquet.compression-codec": self.random.choice(["zstd", "snappy", "gzip", "uncompressed", "lz4"]),
                      "commit.manifest-merge.enabled": self.random.choice(["true", "false"])}
        if self.random.random() < 0.6:
            rows = self.random.choice([5, 10, 33])
            properties |= {"write.parquet.row-group-size-bytes": 256, "write.parquet.row-group-check-min-record-count": rows,
                           "write.parquet.row-group-check-max-record-count": rows,
                           "write.parquet.page-row-limit": self.random.choice([3, 8, 100])}
        pairs = ", ".join(f"'{k}'='{v}'" for k, v in properties.items())
        self.sql(f"CREATE TABLE {{t}} ({declared}) USING iceberg {clause} TBLPROPERTIES ({pairs})")
        self.log.append(f"create: v{self.version} ({declared}) {clause} {properties}")

    def partition_choices(self):
        choices = [(c, p.format(c=c.name)) for c in self.columns for p in c.kind.partition]
        return choices + [(Column("id", KIND_OF["BIGINT"], 0), "bucket(2, id)"), (Column("id", KIND_OF["BIGINT"], 0), "truncate(50, id)")]

    def rows(self, first, end):
        values = ", ".join(["id"] + [f"CAST({c.expression()} AS {c.kind.type}) AS {c.name}" for c in self.columns])
        return self.oracle.sql(f"SELECT {values} FROM range({first}, {end}, 1, {self.random.choice([1, 1, 2])})")

    # Each operation returns what it did, in words.

    def append(self):
        # Some ids come again: a later row of the same key must survive an earlier delete of it.
        first = max(0, self.next_id - self.random.choice([0, 0, 5, 20]))
        end = first + self.random.choice([1, 10, 40, 90]) * self.scale
        self.rows(first, end).writeTo(f"local.{self.name}").option("fanout-enabled", "true").append()
        self.next_id = max(self.next_id, end)
        return f"rows {first} to {end}"

    def delete(self):
        predicate = Questions(self.random, self.columns).predicate(depth=1) if self.random.random() < 0.4 else (
            f"id % {self.random.choice([2, 3, 7, 10])} = {self.random.randrange(3)}")
        self.sql(f"DELETE FROM {{t}} WHERE {predicate}")
        return predicate

    def update(self):
        simple = [c for c in self.columns if not c.partitioned]
        if not simple:
            return ""
        column = self.random.choice(simple)
        predicate = f"id % {self.random.choice([3, 5, 8])} = {self.random.randrange(3)}"
        other = dataclasses.replace(column, salt=column.salt + 1)
        self.sql(f"UPDATE {{t}} SET {column.name} = CAST({other.expression()} AS {column.kind.type}) WHERE {predicate}")
        return f"{column.name} where {predicate}"

    def merge(self):
        # Ids that several live rows share are left out: a second match of one target row is an error in Spark.
        first = self.random.randrange(max(1, self.next_id))
        self.rows(first, first + 25).coalesce(1).createOrReplaceTempView("changes")
        self.sql("MERGE INTO {t} t USING changes s ON t.id = s.id WHEN MATCHED AND s.id % 3 = 0 THEN DELETE "
                 "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
        self.next_id = max(self.next_id, first + 25)
        return f"ids {first} to {first + 25}"

    def delete_keys(self):
        candidates = ["id"] + [c.name for c in self.columns if c.kind.is_key] + [
            f"{c.name}.a" for c in self.columns if c.kind.type.startswith("STRUCT")]
        keys = self.random.sample(candidates, k=min(len(candidates), self.random.choice([1, 1, 1, 2])))
        if any("." in key for key in keys):
            # A NULL parent is a NULL key here and a failure in Spark: only rows with a struct are deleted by its field.
            keys = keys[:1] if "." in keys[0] else [k for k in keys if "." not in k]
            keys = [k for k in keys if "." not in k] or ["id"]
        selected = ", ".join(f"{k} AS k{i}" for i, k in enumerate(keys))
        modulus = self.random.choice([4, 9, 25])
        values = [tuple(python_value(v) for v in r) for r in self.oracle.sql(
            f"SELECT DISTINCT {selected} FROM local.{self.name} WHERE id % {modulus} = 0 LIMIT 40").collect()]
        if not values:
            return ""
        files = self.oracle.data_files(self.name)
        table = self.oracle.table(self.name)
        target = self.random.choice(sorted(files, key=lambda f: f.location())) if table.spec().isPartitioned() else None
        if target is None and self.random.random() < 0.2:
            target = self.random.choice(sorted(files, key=lambda f: f.location()))
        self.oracle.delete_keys(self.name, keys, values, partition_of=target)
        return f"{keys} {len(values)} keys, {'global' if target is None else 'one partition'}"

    def add_column(self):
        column = self.new_column()
        self.sql(f"ALTER TABLE {{t}} ADD COLUMN {column.name} {column.kind.type}")
        self.columns.append(column)
        return f"{column.name} {column.kind.type}"

    def add_default(self):
        if self.version < 3:
            return ""
        self.created += 1
        kind, value = self.random.choice([("INT", 7), ("BIGINT", 9000000000), ("DOUBLE", -1.25), ("STRING", "abc"),
                                          ("DATE", "1970-01-01")])
        column = Column(f"c{self.created}", KIND_OF[kind], self.random.randrange(1 << 30))
        self.oracle.add_column_with_default(self.name, column.name, {"BIGINT": "long"}.get(kind, kind.lower()), value)
        self.columns.append(column)
        return f"{column.name} {kind} default {value}"

    def drop_column(self):
        # Not the source of a partition field, nor a possible key of an earlier equality delete: Spark then fails to read.
        free = [c for c in self.columns if not c.partitioned and not c.kind.is_key]
        if not free or len(self.columns) < 3:
            return ""
        column = self.random.choice(free)
        self.sql(f"ALTER TABLE {{t}} DROP COLUMN {column.name}")
        self.columns.remove(column)
        if self.random.random() < 0.5:
            again = Column(column.name, self.random.choice(KINDS), column.salt + 5)
            self.sql(f"ALTER TABLE {{t}} ADD COLUMN {again.name} {again.kind.type}")
            self.columns.append(again)
            return f"{column.name}, again as {again.kind.type}"
        return column.name

    def rename(self):
        column = self.random.choice(self.columns)
        self.created += 1
        old, column.name = column.name, f"c{self.created}"
        self.sql(f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {column.name}")
        return f"{old} to {column.name}"

    def promote(self):
        free = [c for c in self.columns if c.kind.promotes_to]
        if not free:
            return ""
        column = self.random.choice(free)
        target = column.kind.promotes_to
        self.sql(f"ALTER TABLE {{t}} ALTER COLUMN {column.name} TYPE {target}")
        # Values stay those of the narrow type's expression where it has NaN or a small domain; the cast widens them.
        column.kind = KIND_OF[target]
        return f"{column.name} to {target}"

    def reorder(self):
        column = self.random.choice(self.columns)
        self.sql(f"ALTER TABLE {{t}} ALTER COLUMN {column.name} FIRST")
        return f"{column.name} first"

    def evolve_spec(self):
        table = self.oracle.table(self.name)
        if table.spec().isPartitioned() and self.random.random() < 0.5:
            if self.random.random() < 0.5:
                self.oracle.unpartition(self.name)
                return "to the empty spec"
            field = self.random.choice(sorted(f.name() for f in table.spec().fields()))
            self.sql(f"ALTER TABLE {{t}} DROP PARTITION FIELD {field}")
            return f"drop {field}"
        column, transform = self.random.choice(self.partition_choices())
        self.fields += 1
        self.sql(f"ALTER TABLE {{t}} ADD PARTITION FIELD {transform} AS f{self.fields}_{column.name}")
        for known in self.columns:
            known.partitioned |= known.name == column.name
        return f"add {transform}"

    def compact(self):
        self.compacted = True
        self.oracle.compact(self.name)
        return "data files"

    def compact_deletes(self):
        if self.version >= 3:
            return ""
        self.oracle.compact_position_deletes(self.name)
        return "position deletes"

    def rewrite_manifests(self):
        self.oracle.rewrite_manifests(self.name)
        return "manifests"

    def upgrade(self):
        if self.version == 3:
            return ""
        self.oracle.upgrade(self.name, self.version + 1)
        self.version += 1
        return f"to v{self.version}"

    def tag(self):
        self.created += 1
        self.sql(f"ALTER TABLE {{t}} CREATE TAG tag{self.created}")
        return f"tag{self.created}"


def python_value(value):
    """A collected value as pyarrow wants it. Timestamps come in the process's zone, which is UTC."""
    import datetime
    if isinstance(value, datetime.datetime):
        return value
    return bytes(value) if isinstance(value, bytearray) else value


# --- questions ------------------------------------------------------------------------------------------------------

class Questions:
    """Random statements over {t}. All are deterministic: total orders before LIMIT, no ties, no order-dependent sums."""

    def __init__(self, rng, columns, meta=()):
        self.random = rng
        self.columns = columns
        self.meta = list(meta)
        self.keys = [c for c in columns if c.kind.is_key]
        self.numbers = [c for c in columns if c.kind.number]

    def literal(self, column):
        return self.random.choice(column.kind.literals)

    def comparison(self):
        if not self.keys or self.random.random() < 0.2:
            low = self.random.randrange(0, 150)
            return self.random.choice([f"id = {low}", f"id > {low}", f"id BETWEEN {low} AND {low + 30}", f"id % 3 = {low % 3}",
                                       f"id IN ({low}, {low + 1}, {low * 2})", f"id <> {low}", f"NOT (id <= {low})"])
        column = self.random.choice(self.columns)
        name = column.name
        if column.kind.type.startswith("STRUCT"):
            return self.random.choice([f"{name}.a > 7", f"{name}.b = 'b1'", f"{name} IS NULL", f"{name}.a IS NULL"])
        if column.kind.type.startswith("ARRAY"):
            return self.random.choice([f"size({name}) > 1", f"{name} IS NOT NULL", f"array_contains({name}, 7)"])
        if column.kind.type.startswith("MAP"):
            return self.random.choice([f"{name}['k'] > 5", f"{name} IS NULL", f"size({name}) = 0"])
        shapes = ["{c} = {x}", "{c} <> {x}", "{c} < {x}", "{c} <= {x}", "{c} > {x}", "{c} >= {x}", "{c} IS NULL",
                  "{c} IS NOT NULL", "{c} IN ({x}, {y})", "{c} NOT IN ({x}, {y})", "{c} BETWEEN {x} AND {y}", "{c} <=> {x}",
                  "NOT ({c} < {x})", "{x} < {c}", "{c} IN ({x}, NULL)", "coalesce({c} = {x}, false)"]
        if column.kind.type == "STRING":
            shapes += ["{c} LIKE 'a%'", "{c} LIKE '%b%'", "{c} NOT LIKE 'a_b'", "upper({c}) = 'AB'", "length({c}) > 2",
                       "startswith({c}, 'a long string of')"] * 2
        if column.kind.type == "DATE":
            shapes += ["year({c}) = 1970", "{c} + INTERVAL '1' DAY > {x}", "date_add({c}, 1) = {x}"]
        if column.kind.type == "TIMESTAMP":
            shapes += ["hour({c}) < 12", "date_trunc('DAY', {c}) = DATE'1970-01-01'", "CAST({c} AS DATE) = DATE'1969-12-31'"]
        if column.kind.type in ("FLOAT", "DOUBLE"):
            shapes += ["isnan({c})", "{c} * 2 > 1", "abs({c}) < 1"]
        if column.kind.number:
            shapes += ["{c} + 1 > {x}", "-{c} < {x}"]
        return self.random.choice(shapes).format(c=name, x=self.literal(column), y=self.literal(column))

    def predicate(self, depth=2):
        if depth == 0 or self.random.random() < 0.3:
            return self.comparison()
        left, right = self.predicate(depth - 1), self.predicate(depth - 1)
        return self.random.choice([f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})",
                                   f"({left} OR NOT {right})"])

    def where(self):
        return f" WHERE {self.predicate()}" if self.random.random() < 0.75 else ""

    def scalar(self):
        """An expression of one column that cannot fail."""
        column = self.random.choice(self.columns)
        shapes = {"STRING": ["upper({c})", "concat({c}, '-', id)", "length({c})", "substring({c}, 2, 3)", "coalesce({c}, 'none')",
                             "{c} || 'x'", "replace({c}, 'a', 'o')"],
                  "DATE": ["year({c})", "{c} + 1", "date_trunc('MONTH', {c})", "CAST({c} AS STRING)", "datediff({c}, DATE'1970-01-01')",
                           "last_day({c})"],
                  "TIMESTAMP": ["CAST({c} AS STRING)", "date_trunc('HOUR', {c})", "{c} + INTERVAL '1' MONTH", "unix_micros({c})",
                                "EXTRACT(DAY FROM {c})"],
                  "TIMESTAMP_NTZ": ["CAST({c} AS STRING)", "CAST({c} AS DATE)", "minute({c})"],
                  "BOOLEAN": ["NOT {c}", "if({c}, 1, 0)", "CAST({c} AS INT)"],
                  "BINARY": ["hex({c})", "length({c})"],
                  "STRUCT<a:INT,b:STRING>": ["{c}.a + 1", "{c}.b", "{c}"],
                  "ARRAY<INT>": ["get({c}, 0)", "size({c})", "{c}"],
                  "MAP<STRING,INT>": ["{c}['k']", "size({c})", "{c}"],
                  }.get(column.kind.type) or ["{c} + 1", "{c} * 2", "-{c}", "abs({c})", "CASE WHEN {c} > 0 THEN 'p' ELSE 'n' END",
                                              "coalesce({c}, 0)", "{c} / 2", "round({c}, 1)", "nullif({c}, 0)"]
        return self.random.choice(shapes).format(c=column.name)

    def aggregate(self):
        shapes = ["count(*)", "count({k})", "min({k})", "max({k})", "count(DISTINCT {k})", "sum(id)", "avg(id)", "max(id)",
                  "count_if(id % 2 = 0)", "bool_or(id > 50)"]
        if self.numbers:
            shapes += ["sum({n})", "avg({n})", "sum({n} * 2)", "max({n})", "min({n})", "sum(CASE WHEN id % 2 = 0 THEN {n} END)"] * 2
        text = self.random.choice(shapes).format(k=self.random.choice(self.keys).name if self.keys else "id",
                                                 n=self.random.choice(self.numbers).name if self.numbers else "id")
        return f"{text} FILTER (WHERE {self.predicate(1)})" if self.random.random() < 0.25 else text

    def aggregates(self):
        return ", ".join(f"{self.aggregate()} AS a{i}" for i in range(self.random.randrange(1, 4)))

    def count(self):
        return f"SELECT count(*) AS n FROM {{t}}{self.where()}"

    def everything(self):
        return "SELECT " + ", ".join(["id"] + [c.name for c in self.columns]) + f" FROM {{t}}{self.where()}"

    def projection(self):
        chosen = self.random.sample([c.name for c in self.columns], k=self.random.randrange(0, min(3, len(self.columns)) + 1))
        scalars = [f"{self.scalar()} AS e{i}" for i in range(self.random.randrange(0, 3))]
        return f"SELECT {', '.join(chosen + scalars) or '1 AS one'} FROM {{t}}{self.where()}"

    def grouping(self):
        if not self.keys:
            return self.count()
        keys = self.random.sample([c.name for c in self.keys], k=min(len(self.keys), self.random.choice([1, 1, 2])))
        having = f" HAVING count(*) > {self.random.randrange(1, 6)}" if self.random.random() < 0.3 else ""
        return f"SELECT {', '.join(keys)}, {self.aggregates()} FROM {{t}}{self.where()} GROUP BY {', '.join(keys)}{having}"

    def whole(self):
        return f"SELECT {self.aggregates()} FROM {{t}}{self.where()}"

    def distinct(self):
        keys = self.random.sample([c.name for c in self.keys], k=min(len(self.keys), 2)) or ["id % 7 AS r"]
        return f"SELECT DISTINCT {', '.join(keys)} FROM {{t}}{self.where()}"

    def top(self):
        order = self.random.choice(["id DESC"] + [f"{c.name}{d}" for c in self.keys for d in ("", " DESC", " NULLS LAST")])
        tie = "_file, _pos" if self.meta else "id"
        if not self.meta:
            return self.count()
        limit = self.random.choice(["LIMIT 1", "LIMIT 7", "LIMIT 100", "LIMIT 5 OFFSET 3"])
        column = self.random.choice(self.columns).name
        return f"SELECT id, {column} FROM {{t}}{self.where()} ORDER BY {order}, {tie} {limit}"

    def positions(self):
        if not self.meta:
            return self.count()
        chosen = self.random.sample(self.meta, k=self.random.randrange(1, len(self.meta) + 1))
        return f"SELECT id, {', '.join(chosen)} FROM {{t}}{self.where()}"

    def question(self):
        return self.random.choice([self.count, self.everything, self.projection, self.projection, self.grouping, self.grouping,
                                   self.whole, self.whole, self.distinct, self.top, self.top, self.positions])()


METADATA_TABLE_QUESTIONS = [
    "SELECT content, spec_id, file_format, count(*) AS n, sum(record_count) AS r FROM {t}.files GROUP BY content, spec_id, file_format",
    "SELECT snapshot_id, parent_id, operation FROM {t}.snapshots",
    "SELECT snapshot_id, parent_id, is_current_ancestor FROM {t}.history",
    "SELECT name, type, snapshot_id FROM {t}.refs",
    "SELECT content, partition_spec_id, added_snapshot_id, added_data_files_count + added_delete_files_count AS a, "
    "existing_data_files_count + existing_delete_files_count AS e FROM {t}.manifests",
    "SELECT status, snapshot_id, sequence_number, file_sequence_number, data_file.content AS c FROM {t}.entries",
]


@dataclasses.dataclass
class Question:
    statement: str                  # as VecRuntime gets it
    lines: list
    types: list
    ordered: bool


class Interview:
    """The questions about one finished table, with Spark's answers."""

    def __init__(self, oracle, table, count):
        self.oracle = oracle
        self.table = table
        self.random = table.random
        self.skipped = []
        self.questions = self.ask(count)

    def ask(self, count):
        questions = self.current(count - count // 4)
        return questions + self.older(count // 4)

    def view(self, select):
        """Rows in memory as the relation `subject`."""
        frame = self.oracle.sql(select)
        frame.localCheckpoint().createOrReplaceTempView("subject")
        return frame.columns

    def current(self, count):
        meta = list(METADATA_COLUMNS)
        table = self.oracle.table(self.table.name)
        if any(spec.isPartitioned() for spec in table.specs().values()):
            meta.append("_partition")
        if self.table.version == 3 and not self.table.compacted:
            meta += ["_row_id", "_last_updated_sequence_number"]
        self.view(f"SELECT *, {', '.join(meta)} FROM local.{self.table.name}")
        maker = Questions(self.random, self.table.columns, meta)
        return [self.over_view(maker.question(), self.table.name) for _ in range(count)]

    def older(self, count):
        """Time travel: the snapshot's own schema and rows; and the metadata tables."""
        questions = []
        history = self.oracle.snapshots(self.table.name)
        for _ in range(count):
            if self.random.random() < 0.4 or len(history) < 2:
                text = self.random.choice(METADATA_TABLE_QUESTIONS)
                lines, columns = self.oracle.ask(text.format(t=f"local.{self.table.name}"))
                questions.append(Question(text.format(t=self.table.name), lines, [t for _, t in columns], False))
                continue
            snapshot = self.random.choice(history[:-1])
            source = f"{self.table.name} VERSION AS OF {snapshot}"
            names = self.view(f"SELECT * FROM local.{source}")
            known = [Column(f.name, KIND_OF[kind], 0) for f in self.oracle.spark.table("subject").schema.fields
                     if (kind := kind_name(f.dataType)) in KIND_OF and f.name != "id"]
            if "id" in names and known:
                questions.append(self.over_view(Questions(self.random, known).question(), source))
        return questions

    def over_view(self, text, source):
        lines, columns = self.oracle.ask(text.format(t="subject"))
        return Question(text.format(t=source), lines, [t for _, t in columns], " ORDER BY " in text)


def kind_name(data_type):
    """The key of KIND_OF for a Spark type."""
    text = data_type.simpleString()
    return re.sub(r"\b(a|b):", lambda m: m[0].lower(), text.upper().replace("A:", "a:").replace("B:", "b:"))


# --- the run --------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Outcome:
    seed: int
    questions: int = 0
    failures: list = dataclasses.field(default_factory=list)
    refused: str = ""


def check(binary, warehouse, seed, interview):
    """Asks VecRuntime and compares."""
    outcome = Outcome(seed, len(interview.questions))
    try:
        answers = vecruntime_cli.ask(binary, warehouse, [q.statement for q in interview.questions])
    except (vecruntime_cli.EngineError, OSError, ValueError) as error:
        outcome.failures.append(("the process", str(error)))
        return outcome
    for question, answer in zip(interview.questions, answers):
        wrong = (f"{answer.kind}: {answer.message}" if answer.error else
                 compare.difference(question.lines, answer.lines, question.types, question.ordered))
        if wrong:
            outcome.failures.append((question.statement, wrong))
    return outcome


def save_expected(folder, interview):
    """What Spark answered, beside the kept table: for reading, and for engines under construction."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{interview.table.name.split('.')[1]}.json"
    path.write_text(json.dumps([{"statement": q.statement, "lines": q.lines} for q in interview.questions], indent=1,
                               ensure_ascii=False))


class Run:
    def __init__(self, options, binary, oracle):
        self.options = options
        self.binary = binary
        self.oracle = oracle
        self.warehouse = options.dir.absolute() / "warehouse"
        self.failed = []
        self.refused = []
        self.tables = 0
        self.questions = 0
        self.logs = {}

    def go(self):
        started = time.time()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = None
            for seed in range(self.options.seed, self.options.seed + self.options.tables):
                interview = self.make(seed)
                if waiting:
                    self.report(waiting.result())
                waiting = interview and pool.submit(check, self.binary, self.warehouse, seed, interview)
            if waiting:
                self.report(waiting.result())
        print(f"{self.tables} tables, {self.questions} questions, {len(self.failed)} tables differ, "
              f"{len(self.refused)} unreadable by Spark, {time.time() - started:.0f} s")
        for line in self.refused:
            print(f"  unreadable by Spark: {line}")
        return not self.failed

    def make(self, seed):
        table = Table(self.oracle, seed, 8 if self.options.long else 1)
        try:
            interview = Interview(self.oracle, table.build(), self.options.queries)
        except Exception as error:  # pylint: disable=broad-except
            self.refused.append(f"seed {seed}: {type(error).__name__}: {str(error).strip().splitlines()[0][:300]}; "
                                + "; ".join(table.log[-3:]))
            return None
        self.logs[seed] = table.log
        save_expected(self.options.dir / "expected", interview)
        if self.options.verbose:
            print(f"t{seed}:", *table.log, sep="\n  ", flush=True)
        return interview

    def report(self, outcome):
        self.tables += 1
        self.questions += outcome.questions
        log = self.logs.pop(outcome.seed)
        if not outcome.failures:
            if not self.options.keep:
                shutil.rmtree(self.warehouse / NAMESPACE / f"t{outcome.seed}", ignore_errors=True)
                (self.options.dir / "expected" / f"t{outcome.seed}.json").unlink(missing_ok=True)
            return
        self.failed.append(outcome.seed)
        print(f"\nDIFF table t{outcome.seed}", *log, sep="\n  ")
        for statement, wrong in outcome.failures:
            print(f"{statement}\n{wrong}")
        long = " --long" if self.options.long else ""
        print(f"replay: {sys.executable} {sys.argv[0]} --dir {self.options.dir} --tables 1 --queries {self.options.queries}"
              f" --seed {outcome.seed}{long}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="folder of the tables and the expected answers")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--queries", type=int, default=10, help="questions a table (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first table; the next tables count up")
    parser.add_argument("--long", action="store_true", help="for the night: larger tables, and 2000 of them unless --tables says")
    parser.add_argument("--vecruntime", help="binary under test (default: $VECRUNTIME, else the newest build)")
    parser.add_argument("--memory", default="2g", help="memory of Spark's JVM (default 2g)")
    parser.add_argument("--build-dir", type=pathlib.Path, help="folder where the Iceberg jar is kept")
    parser.add_argument("--keep", action="store_true", help="keep every table, not only those that differ")
    parser.add_argument("--verbose", action="store_true", help="say how each table was made")
    options = parser.parse_args()
    if options.long and "--tables" not in sys.argv:
        options.tables = 2000
    binary = vecruntime_cli.find_binary(options.vecruntime)
    oracle = spark_session.start(options.dir.absolute() / "warehouse", memory=options.memory, build_dir=options.build_dir,
                                 conf=spark_session.FAST_FOR_TINY)
    oracle.sql(f"CREATE NAMESPACE IF NOT EXISTS local.{NAMESPACE}")
    return 0 if Run(options, binary, oracle).go() else 1


if __name__ == "__main__":
    sys.exit(main())
