# SPDX-License-Identifier: Apache-2.0
"""The lineitem acceptance: 21 merge-on-read variants of TPC-H lineitem, five queries each, VecRuntime against Spark.

    lineitem.py --scale 1 --dir DIR [--vecruntime BINARY]

makes what is missing under DIR (source, tables, Spark's answers), asks VecRuntime all 105 questions and prints the table.
The exit code is 0 only if every cell is equal. A rerun starts neither Spark nor a JVM.

Variants (P = share of rows the deletes remove, in %):
  plain, plain3           format version 2 and 3, no deletes
  pos_P, dv_P             position deletes (v2 files, v3 deletion vectors), scattered by hash of l_orderkey
  *_clustered             rows sorted by l_shipdate in each file, a leading range deleted: whole blocks go
  pos_upd_P, dv_upd_P     10 % deleted, then an UPDATE of a further P %, then a MERGE (delete, update, insert)
  eq_P, eqv3_P            equality-delete files on l_orderkey of at most 20000 keys, one row delta
  mix_P_E, dvmix_P_E      P % by position (deletion vectors on v3), then E % by equality
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import compare
import vecruntime_cli

VARIANTS = ("plain plain3 pos_2 pos_10 pos_30 dv_2 dv_10 dv_30 pos_10_clustered pos_30_clustered dv_10_clustered "
            "dv_30_clustered pos_upd_1 pos_upd_5 dv_upd_1 dv_upd_5 eq_2 eq_10 eqv3_10 mix_20_5 dvmix_20_5").split()
NAMESPACE = "lineitem"
BASE = "lineitem_base"

QUERIES = {
    "count": "SELECT count(*) FROM {t}",
    "sum": "SELECT sum(l_extendedprice) FROM {t}",
    "group": "SELECT l_returnflag, count(*) FROM {t} GROUP BY l_returnflag",
    "q6": "SELECT sum(l_extendedprice * l_discount) AS revenue FROM {t} WHERE l_shipdate >= DATE '1994-01-01' "
          "AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
    "q1": "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price, "
          "sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price, "
          "sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty, "
          "avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order FROM {t} "
          "WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus "
          "ORDER BY l_returnflag, l_linestatus",
}


class Maker:
    """Writes variants with Spark; the two bases are computed once and hard-linked into every table."""

    def __init__(self, oracle, source, files, money="double"):
        self.oracle = oracle
        self.files = files
        frame = oracle.spark.read.parquet(str(source))
        self.columns = frame.columns
        # Money as doubles is what the published baselines are measured with.
        self.source = frame if money == "decimal" else frame.selectExpr(
            *[f"cast({n} AS double) {n}" if t.startswith("decimal") else n for n, t in frame.dtypes])
        for namespace in (NAMESPACE, BASE):
            oracle.sql(f"CREATE NAMESPACE IF NOT EXISTS local.{namespace}")

    def make(self, variant):
        name = f"{NAMESPACE}.{variant}"
        version = 3 if variant.startswith("dv") or variant in ("plain3", "eqv3_10") else 2
        self.oracle.drop(name)
        self.create(name, version)
        self.oracle.copy_data_files(self.base("clustered" in variant), name)
        if m := re.fullmatch(r"(?:pos|dv)_(\d+)", variant):
            self.delete(name, scattered(int(m[1])))
        elif m := re.fullmatch(r"(?:pos|dv)_(\d+)_clustered", variant):
            self.delete(name, f"l_shipdate < date_add(DATE '1992-01-01', {2557 * int(m[1]) // 100})")
        elif m := re.fullmatch(r"(?:pos|dv)_upd_(\d+)", variant):
            self.change(name, int(m[1]))
        elif m := re.fullmatch(r"(?:eq|eqv3)_(\d+)", variant):
            self.delete_by_equality(name, int(m[1]), 0)
        elif m := re.fullmatch(r"(?:mix|dvmix)_(\d+)_(\d+)", variant):
            self.delete(name, scattered(int(m[1])))
            self.delete_by_equality(name, int(m[2]), int(m[1]))

    def create(self, name, version):
        columns = ", ".join(f"{n} {t}" for n, t in self.source.dtypes)
        properties = {"format-version": version, "write.delete.mode": "merge-on-read",
                      "write.update.mode": "merge-on-read", "write.merge.mode": "merge-on-read",
                      "write.target-file-size-bytes": 512 << 20, "write.distribution-mode": "none"}
        pairs = ", ".join(f"'{k}'='{v}'" for k, v in properties.items())
        self.oracle.sql(f"CREATE TABLE local.{name} ({columns}) USING iceberg TBLPROPERTIES ({pairs})")

    def base(self, clustered):
        name = f"{BASE}.{'clustered' if clustered else 'plain'}"
        done = pathlib.Path(self.oracle.spark.conf.get("spark.sql.catalog.local.warehouse"), *name.split("."), "_done")
        if not done.exists():
            self.oracle.drop(name)
            self.create(name, 2)
            frame = self.source.repartition(self.files)
            frame = frame.sortWithinPartitions("l_shipdate") if clustered else frame
            frame.writeTo(f"local.{name}").append()
            done.touch()
        return name

    def delete(self, name, predicate):
        self.oracle.sql(f"DELETE FROM local.{name} WHERE {predicate}")

    def change(self, name, percent):
        table = f"local.{name}"
        self.delete(name, scattered(10))
        self.oracle.sql(f"UPDATE {table} SET l_quantity = l_quantity + 1, l_comment = concat(l_comment, ' u') "
                        f"WHERE {scattered(percent, 10)}")
        largest = self.oracle.sql(f"SELECT max(l_orderkey) FROM {table}").collect()[0][0]
        others = ", ".join(c for c in self.columns if c != "l_orderkey")
        self.oracle.sql(
            f"SELECT l_orderkey, {others} FROM {table} WHERE {scattered(1, 90)} UNION ALL "
            f"SELECT l_orderkey + {largest} AS l_orderkey, {others} FROM {table} WHERE {scattered(1, 80)}"
        ).createOrReplaceTempView("changes")
        self.oracle.sql(f"""MERGE INTO {table} t USING changes s
            ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber
            WHEN MATCHED AND pmod(s.l_linenumber, 10) = 1 THEN DELETE
            WHEN MATCHED THEN UPDATE SET t.l_discount = s.l_discount, t.l_comment = concat(s.l_comment, ' m')
            WHEN NOT MATCHED THEN INSERT *""")

    def delete_by_equality(self, name, percent, offset, keys_per_file=20000):
        keys = [r[0] for r in self.oracle.sql(f"SELECT DISTINCT l_orderkey FROM local.{name} "
                                              f"WHERE {scattered(percent, offset)} ORDER BY 1").collect()]
        parts = [keys[i:i + keys_per_file] for i in range(0, len(keys), keys_per_file)]
        self.oracle.row_delta(name, deletes=[
            self.oracle.equality_delete_file(name, ["l_orderkey"], [(k,) for k in part]) for part in parts])


def scattered(percent, offset=0):
    bucket = "pmod(xxhash64(l_orderkey), 1000)"
    return f"{bucket} >= {offset * 10} AND {bucket} < {(offset + percent) * 10}"


def make_source(folder, scale):
    target = folder / "source" / "lineitem.parquet"
    if not target.exists():
        beside = pathlib.Path(sys.executable).with_name("tpchgen-cli")
        partial = folder / "source.partial"
        subprocess.run([str(beside) if beside.exists() else "tpchgen-cli", "parquet", "-s", str(scale),
                        "--tables=lineitem", f"--output-dir={partial}"], check=True, stdout=subprocess.DEVNULL)
        partial.rename(target.parent)
    return target


def make_tables(folder, variants, answers, options):
    """Makes the variants that have no recorded answers, and records them one by one."""
    import spark_session
    source = make_source(folder, options.scale)
    oracle = spark_session.start(folder.absolute() / "warehouse", memory=options.memory, build_dir=options.build_dir,
                                 conf={"spark.sql.shuffle.partitions": "4", "spark.sql.adaptive.enabled": "true"})
    maker = Maker(oracle, source, options.files, options.money)
    for variant in variants:
        started = time.time()
        maker.make(variant)
        answers[variant] = record_answers(oracle, variant)
        save(folder / "answers.json", answers)
        print(f"made {variant} in {time.time() - started:.0f} s: {answers[variant]['count']['rows'][0]}", file=sys.stderr,
              flush=True)
    oracle.spark.stop()


def record_answers(oracle, variant):
    recorded = {}
    for query, text in QUERIES.items():
        rows, columns = oracle.ask(text.format(t=f"local.{NAMESPACE}.{variant}"))
        recorded[query] = {"rows": rows, "types": [[n, t.jsonValue()] for n, t in columns]}
    return recorded


def save(path, answers):
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(answers, indent=1))
    os.replace(partial, path)


def check(binary, warehouse, variants, answers, options=()):
    """{variant: {query: None or what differs}}, one process a variant."""
    from pyspark.sql.types import StructType
    results = {}
    for variant in variants:
        asked = vecruntime_cli.ask(binary, warehouse, [q.format(t=f"{NAMESPACE}.{variant}") for q in QUERIES.values()],
                                   options=options)
        results[variant] = {}
        for (query, text), answer in zip(QUERIES.items(), asked):
            spark = answers[variant][query]
            types = [f.dataType for f in StructType.fromJson({"type": "struct", "fields": [
                {"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in spark["types"]]}).fields]
            results[variant][query] = (f"{answer.kind}: {answer.message}" if answer.error else compare.difference(
                spark["rows"], answer.lines, types, ordered="ORDER BY" in text))
    return results


def print_table(results):
    width = max(map(len, results))
    print(" " * width, *(f"{q:>5}" for q in QUERIES))
    for variant, cells in results.items():
        print(f"{variant:<{width}}", *(f"{'ok' if cells[q] is None else 'DIFF':>5}" for q in QUERIES))
    wrong = [(v, q, text) for v, cells in results.items() for q, text in cells.items() if text is not None]
    for variant, query, text in wrong:
        print(f"\n{variant}/{query}: {text}")
    total = sum(map(len, results.values()))
    print(f"\n{total - len(wrong)} of {total} cells equal")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="folder of the source, the tables and the answers")
    parser.add_argument("--scale", type=float, default=1, help="TPC-H scale factor (default 1)")
    parser.add_argument("--money", choices=("double", "decimal"), default="double",
                        help="type of the money columns: double (default), or decimal(15,2) as TPC-H defines them")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--files", type=int, default=16, help="data files of a table (default 16)")
    parser.add_argument("--vecruntime", help="binary under test (default: $VECRUNTIME, else the newest build)")
    parser.add_argument("--make-only", action="store_true", help="make tables and answers, ask nothing")
    parser.add_argument("--memory", default="6g", help="memory of Spark's JVM (default 6g)")
    parser.add_argument("--build-dir", type=pathlib.Path, help="folder where the Iceberg jar is kept")
    parser.add_argument("--engine-option", action="append", default=[], help="passed to vecruntime, repeatable")
    options = parser.parse_args()
    variants = options.variants.split(",")
    if unknown := set(variants) - set(VARIANTS):
        parser.error(f"unknown variants: {', '.join(sorted(unknown))}")

    options.dir.mkdir(parents=True, exist_ok=True)
    recorded = options.dir / "answers.json"
    answers = json.loads(recorded.read_text()) if recorded.exists() else {}
    if missing := [v for v in variants if v not in answers]:
        make_tables(options.dir, missing, answers, options)
    if options.make_only:
        return 0
    binary = vecruntime_cli.find_binary(options.vecruntime)
    return 0 if print_table(check(binary, options.dir / "warehouse", variants, answers, options.engine_option)) else 1


if __name__ == "__main__":
    sys.exit(main())
