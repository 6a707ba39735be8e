# SPDX-License-Identifier: Apache-2.0
"""Made-up results in the form `./dev bench mor` writes, with everything the page has to show: misses, refusals, an absent peer."""
import random

from bench.mor import page, tables

FLOOR_MS = {"count": 0, "sum": 24, "group": 3, "q6": 26, "q1": 31}
KEY_FLOOR_MS = 33


def results():
    return {"sf1-double": run(), "sf1-decimal": run(money="decimal", variants=tables.VARIANTS), "sf10-double": run(scale=10, variants=("plain", "dv_10"))}


def run(scale=1, money="double", variants=(*tables.VARIANTS, tables.CLUSTERED_BASE, *tables.MANY_FILES)):
    chance = random.Random(3)
    cells = {f"{v}/{q}": cell(v, q, scale, chance) for v in variants for q in tables.QUERIES}
    if "plain/q1" in cells:
        cells["plain/q1"]["chdb"]["differs"] = "5 instead of 6"
    engines = {key: {"name": name, "version": "1.2.3", "caches": "none", "threads": 2, "absent": None} for key, name in page.SHORT.items()}
    engines["daft"]["absent"] = "left out (--no-daft)"
    return {"scale": scale, "money": money, "cells": cells, "engines": engines,
            "machine": {"processor": "AMD EPYC", "cores": 2, "memory_gib": 23.4, "system": "Debian GNU/Linux 12 (bookworm)", "kernel": "6.1",
                        "instructions": ["avx2", "avx512f"], "load_before": 0.1, "commit": "abc1234", "date": "2026-12-01 05:00 UTC",
                        "stolen": 0.001},
            "settings": {"threads": 2, "warm": 5, "runs": 10, "answer_seconds": 20}}


def cell(variant, query, scale, chance):
    keyed = tables.has_equality_deletes(variant)
    floor = (FLOOR_MS[query] + (KEY_FLOOR_MS if keyed else 0)) * scale
    ours = floor * chance.uniform(1, 1.5) + chance.uniform(0.5, 4)
    refused = {"reason": "NotImplementedError: /a/long/path/of/a/table.parquet has equality deletes"}
    own = {
        "vecruntime": timing(ours) | {"phases": {"plan": 1.2, "decode": ours * 1.5, "deletes": 0.3}},
        "floor": timing(floor) | {"pages": 100, "method": "mmap"},
        "vecruntime_1": timing(ours * chance.uniform(1.6, 2)),
        "vecruntime_cold": timing(ours + 40) | {"peak_bytes": int(chance.uniform(1e8, 3.2e8))},
    }
    if "." in variant:
        return own
    return own | {
        "spark": timing(chance.uniform(140, 1600)),
        "spark_comet": timing(chance.uniform(160, 900)),
        "duckdb": {"reason": "gave up after 20 s"} if keyed else timing(chance.uniform(3, 200)),
        "polars": refused if keyed else timing(chance.uniform(7, 200)),
        "chdb": timing(chance.uniform(3, 3000)),
        "daft": {"reason": "left out (--no-daft)"},
    }


def timing(ms):
    return {"ms": ms, "min_ms": ms * 0.9, "max_ms": ms * 1.2, "first_ms": ms * 2, "runs": 10}
