# SPDX-License-Identifier: Apache-2.0
"""Measures merge-on-read scans side by side and writes docs/benchmarks/iceberg-mor.{json,html}. See bench/README.md."""
import argparse
import json
import os
import pathlib
import signal
import sys
import time

from bench.mor import bars, engines, machine, page, rounds, tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER_KEYS = ("spark", "spark_comet", "duckdb", "polars", "chdb", "daft")
OWN_KEYS = ("vecruntime", "vecruntime_1", "vecruntime_cold", "floor")
COMET = "org.apache.datafusion:comet-spark-spark4.1_2.13:1.2.0"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench mor", description=__doc__)
    what = parser.add_argument_group("what is measured")
    what.add_argument("--scale", type=float, default=1, help="TPC-H scale factor (default 1)")
    what.add_argument("--money", choices=("double", "decimal"), default="double", help="type of the money columns (default double)")
    what.add_argument("--variants", default=",".join((*tables.VARIANTS, *tables.MANY_FILES)), help="tables, separated by commas")
    what.add_argument("--queries", default=",".join(tables.QUERIES), help="of: " + ", ".join(tables.QUERIES))
    for key in PEER_KEYS:
        what.add_argument(f"--no-{key.replace('_', '-')}", action="store_true", help=f"leave {key.replace('_', ' + ')} out")
    how = parser.add_argument_group("how")
    how.add_argument("--threads", type=int, default=2, help="of every engine (default 2)")
    how.add_argument("--warm", type=int, default=5, help="rounds before the measured ones (default 5)")
    how.add_argument("--runs", type=int, default=10, help="measured rounds (default 10)")
    how.add_argument("--answer-seconds", type=float, default=20, help="a peer that takes longer has given up (default 20)")
    how.add_argument("--resume", action="store_true", help="keep the cells an interrupted run has measured")
    where = parser.add_argument_group("where")
    where.add_argument("--tables", type=pathlib.Path, default=ROOT / "build" / "bench", help="folder of the table sets")
    where.add_argument("--table-set", type=pathlib.Path, help="a folder that already holds this set (source, warehouse, answers)")
    where.add_argument("--results", type=pathlib.Path, default=ROOT / "docs" / "benchmarks" / "iceberg-mor.json")
    where.add_argument("--page", type=pathlib.Path, help="default: beside the results, as .html")
    where.add_argument("--vecruntime", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "vecruntime")
    where.add_argument("--floor", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "vecruntime_floor")
    where.add_argument("--peer-python", type=pathlib.Path, default=ROOT / ".venv-bench" / "bin" / "python")
    where.add_argument("--jars", type=pathlib.Path, default=ROOT / "build" / "oracle", help="folder where jars are kept")
    parser.add_argument("--make-only", action="store_true", help="make the tables and measure nothing")
    parser.add_argument("--page-only", action="store_true", help="draw the page from the results that are there")
    options = parser.parse_args()
    options.page = options.page or options.results.with_suffix(".html")
    return options


def make_engines(options, warehouse):
    """Every engine, started; left-out and missing ones with their reason."""
    threads = {"threads": options.threads, "answer_seconds": 120}
    own = [
        engines.VecRuntime("vecruntime", "VecRuntime", options.vecruntime, warehouse, **threads),
        engines.Floor("floor", "floor", options.floor, warehouse, **threads),
        engines.VecRuntime("vecruntime_1", "VecRuntime, one thread", options.vecruntime, warehouse, threads=1, answer_seconds=120),
        engines.ColdVecRuntime("vecruntime_cold", "VecRuntime, cold process", options.vecruntime, warehouse, **threads),
    ]
    peer = {"threads": options.threads, "answer_seconds": options.answer_seconds}
    common = [warehouse, options.threads]
    peers = [
        engines.Peer("spark", "Spark", sys.executable, lambda: [*common, iceberg_jar(options)], **peer),
        engines.Peer("spark_comet", "Spark + Comet", sys.executable, lambda: [*common, iceberg_jar(options), comet_jar(options)], **peer),
        *(engines.Peer(key, name, options.peer_python, lambda: common, **peer) for key, name in (
            ("duckdb", "DuckDB"), ("polars", "Polars"), ("chdb", "chDB"), ("daft", "Daft"))),
    ]
    for engine in own + peers:
        if getattr(options, f"no_{engine.key}", False):
            engine.absent = f"left out (--no-{engine.key.replace('_', '-')})"
        else:
            engine.start()
            print(f"{engine.name}: {engine.absent or engine.version or 'ready'}", file=sys.stderr, flush=True)
    return own + peers


def iceberg_jar(options):
    import spark_session
    return spark_session.iceberg_jar(options.jars)


def comet_jar(options):
    import spark_session
    return os.environ.get("COMET_JAR") or spark_session.maven_jar(COMET, options.jars)


def cells(options):
    """(variant, query, whether peers are asked). Clean tables first: the rest is held against them."""
    variants, queries = options.variants.split(","), options.queries.split(",")
    if unknown := set(variants) - set(tables.VARIANTS) - set(tables.MANY_FILES):
        sys.exit(f"bench mor: unknown variants: {', '.join(sorted(unknown))}")
    if unknown := set(queries) - set(tables.QUERIES):
        sys.exit(f"bench mor: unknown queries: {', '.join(sorted(unknown))}")
    if any(v.endswith("_clustered") for v in variants):
        yield from ((tables.CLUSTERED_BASE, query, False) for query in queries)
    yield from ((variant, query, True) for variant in variants for query in queries)


def measure_all(options, table_set, run):
    running = make_engines(options, table_set.warehouse)
    own = [e for e in running if e.key in OWN_KEYS]
    run["engines"] = {e.key: {"name": e.name, "version": e.version, "caches": e.caches, "threads": e.threads, "absent": e.absent}
                      for e in running}
    reference = table_set.answers()
    plan = rounds.Plan(options.warm, options.runs)
    options.tables.mkdir(parents=True, exist_ok=True)
    partial = options.tables / f"{table_set.name}.partial.json"
    if options.resume and partial.exists():
        run["cells"] = json.loads(partial.read_text())
    try:
        for variant, query, with_peers in cells(options):
            cell = f"{variant}/{query}"
            if cell in run["cells"]:
                continue
            started = time.monotonic()
            run["cells"][cell] = rounds.measure(running if with_peers else own, table_set.question(variant, query), plan,
                                                reference.get(variant, {}).get(query), table_set.money == "decimal")
            partial.write_text(json.dumps(run["cells"]))
            print(f"{cell} ({time.monotonic() - started:.0f} s): {one_line(run['cells'][cell])}", file=sys.stderr, flush=True)
    finally:
        for engine in running:
            engine.stop()


def one_line(results):
    return ", ".join(f"{key} {result['ms']:.1f}" if "ms" in result else f"{key} -" for key, result in results.items())


def run_one_set(options):
    name = f"sf{options.scale:g}-{options.money}"
    table_set = tables.TableSet(options.scale, options.money, (options.table_set or options.tables / name).absolute())
    if not options.table_set:
        tables.make(table_set, options.variants.split(","), options)
    if options.make_only:
        return
    load = machine.ForeignLoad()
    run = {"scale": options.scale, "money": options.money, "machine": machine.facts(ROOT),
           "settings": {"threads": options.threads, "warm": options.warm, "runs": options.runs,
                        "answer_seconds": options.answer_seconds}, "cells": {}}
    measure_all(options, table_set, run)
    run["machine"]["stolen"] = round(load.share_stolen(), 4)
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    results[table_set.name] = run
    options.results.parent.mkdir(parents=True, exist_ok=True)
    # Peers name files by their full path when they fail; where this machine keeps them is nobody's business.
    options.results.write_text(json.dumps(results, indent=1).replace(f"{table_set.warehouse}/", "") + "\n")


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the engines' processes end with this one
    if not options.page_only:
        run_one_set(options)
    if options.make_only:
        return 0
    results = json.loads(options.results.read_text())
    options.page.write_text(page.render(results), encoding="utf-8")
    print(bars.as_text(bars.evaluate(results)))
    print(f"written: {options.results}, {options.page}", file=sys.stderr)
    wrong = [f"{name} {cell} {key}: {result['differs']}" for name, run in results.items()
             for cell, outcome in run["cells"].items() for key, result in outcome.items() if "differs" in result]
    for text in wrong:
        print(f"WRONG ANSWER {text}", file=sys.stderr)
    return 1 if any(" vecruntime" in text for text in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
