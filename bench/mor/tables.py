# SPDX-License-Identifier: Apache-2.0
"""The tables that are measured, made once: the lineitem variants of tests/oracle/lineitem.py, and many small delete files.

A set of tables is one scale and one type of the money columns, in a folder of its own with a warehouse and Spark's answers.
"""
import json
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import lineitem  # noqa: E402  its folder is no package

from bench.mor.engines import Question  # noqa: E402

VARIANTS = lineitem.VARIANTS
QUERIES = lineitem.QUERIES
CLUSTERED_BASE = "lineitem_base.clustered"  # the clean table of the *_clustered variants
MANY_FILES = {
    "files_pos_1000": "1,000 position-delete files on 100 data files",
    "files_pos_1": "the same deletes in one position-delete file",
    "files_eq_200": "200 equality-delete files of 5,000 keys on 100 data files",
    "files_eq_1": "the same keys in one equality-delete file",
}

READS = {
    "count": (),
    "sum": ("l_extendedprice",),
    "group": ("l_returnflag",),
    "q6": ("l_shipdate", "l_discount", "l_quantity", "l_extendedprice"),
    "q1": ("l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice", "l_discount", "l_tax", "l_shipdate"),
}


@dataclass(frozen=True)
class TableSet:
    scale: float
    money: str             # "double" or "decimal"
    folder: pathlib.Path

    @property
    def name(self):
        return f"sf{self.scale:g}-{self.money}"

    @property
    def warehouse(self):
        return self.folder / "warehouse"

    def answers(self):
        """{variant: {query: rows}} as Spark gave them when the tables were made."""
        found = {}
        for name in ("answers.json", "answers-many-files.json"):
            if (path := self.folder / name).exists():
                found |= json.loads(path.read_text())
        return {variant: {query: [list(json.loads(row, parse_float=str, parse_int=str).values()) for row in answer["rows"]]
                          for query, answer in queries.items()} for variant, queries in found.items()}

    def question(self, variant, query):
        table = variant if "." in variant else f"{lineitem.NAMESPACE}.{variant}"
        condition = re.search(r" WHERE (.*?)(?: GROUP BY .*)?$", QUERIES[query])
        keys = ("l_orderkey",) if has_equality_deletes(variant) else ()
        return Question(table, newest_metadata(self.warehouse, table), query, QUERIES[query], READS[query] + keys,
                        condition[1] if condition else "")


def has_equality_deletes(variant):
    return re.match(r"eq|mix|dvmix|files_eq", variant) is not None


def newest_metadata(warehouse, table):
    folder = warehouse.joinpath(*table.split("."), "metadata")
    return str(max(folder.glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0])))


def make(tables, variants, options):
    """Makes what is missing. Spark runs in processes of their own, which give their memory back."""
    common = ["--dir", tables.folder, "--scale", f"{tables.scale:g}", "--money", tables.money, "--build-dir", options.jars]
    plain = [v for v in variants if v in VARIANTS]
    many = [v for v in variants if v in MANY_FILES]
    if plain:
        run_maker(ROOT / "tests" / "oracle" / "lineitem.py", *common, "--variants", ",".join(plain), "--make-only")
    if many:
        run_maker(pathlib.Path(__file__).with_name("many_files.py"), *common)


def run_maker(program, *arguments):
    subprocess.run([sys.executable, str(program), *map(str, arguments)], check=True)
