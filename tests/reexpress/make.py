# SPDX-License-Identifier: Apache-2.0
"""python -m tests.reexpress.make OUT_DIR: the fixture tables that have deletes, with the same rows dead by position-delete
files, by deletion vectors and by equality deletes: OUT_DIR/FORM/warehouse, and OUT_DIR/FORM/sql with what to ask of them."""
import argparse
import pathlib
import shutil

from tests.reexpress.dead_rows import dead_rows
from tests.reexpress.forms import FORMS
from tests.reexpress.questions import write_questions
from tests.reexpress.snapshot import Snapshot

HERE = pathlib.Path(__file__).resolve().parent
WAREHOUSE = HERE.parent / "fixtures" / "warehouse"
SQL = HERE.parent / "sql"


def read_skipped():
    """{(form or "all", table): reason}"""
    out = {}
    for line in (HERE / "skipped.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            form, table, reason = line.split(None, 2)
            out[form, table] = reason
    return out


def committed_tables():
    return sorted(p.parent.relative_to(WAREHOUSE) for p in WAREHOUSE.glob("*/*/metadata"))


def find_dead(skipped):
    """{table: dead rows}, of tables with any; a table that fails must be listed, one that is listed must fail."""
    out, wrong = {}, []
    for table in committed_tables():
        name = ".".join(table.parts)
        try:
            dead = dead_rows(Snapshot(WAREHOUSE / table))
        except Exception as error:
            if ("all", name) not in skipped:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
            continue
        if ("all", name) in skipped:
            wrong.append(f"{name}: listed in skipped.txt, but its deletes can be read")
        elif dead:
            out[name] = dead
    if wrong:
        raise SystemExit("\n".join(wrong))
    return out


def make_form(name, out, all_dead, skipped):
    made, lineage = set(), set()
    for table, dead in all_dead.items():
        if (name, table) in skipped:
            continue
        source, copy = WAREHOUSE / table.replace(".", "/"), out / "warehouse" / table.replace(".", "/")
        shutil.copytree(source, copy)
        snapshot = Snapshot(copy)
        if snapshot.version >= 3:
            lineage.add(table)
        FORMS[name](snapshot, dead).apply()
        if dead_rows(Snapshot(copy)) != dead:
            raise SystemExit(f"{name} of {table}: other rows are dead now")
        made.add(table)
    return made, write_questions(SQL, out / "sql", made, lineage)


def make(out):
    skipped = read_skipped()
    all_dead = find_dead(skipped)
    report = {}
    for name in FORMS:
        shutil.rmtree(out / name, ignore_errors=True)
        report[name] = make_form(name, out / name, all_dead, skipped)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    for name, (tables, counts) in make(parser.parse_args().out).items():
        print(f"{name}: {len(tables)} tables, {counts.pop(None, 0)} records")
        for reason, count in sorted(counts.items()):
            print(f"  left out {count:4}: {reason}")


if __name__ == "__main__":
    main()
