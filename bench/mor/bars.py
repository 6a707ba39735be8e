# SPDX-License-Identifier: Apache-2.0
"""What must be reached, and what was: every bar with its cells met, and each miss with its size."""
import re
import statistics
from dataclasses import dataclass, field

from bench.mor.tables import CLUSTERED_BASE, QUERIES, VARIANTS

EMBEDDED = {"duckdb": "DuckDB", "polars": "Polars", "chdb": "chDB", "daft": "Daft"}
PEAK_BYTES_MAX = 300_000_000
COLD_MS_MAX = {"count": 60, "q1": 130}
PARALLEL_MS_MIN = 5      # of one thread; shorter cells are planning
FLAT_MS = 2              # how much more the largest share of deleted rows may cost than the smallest


@dataclass
class Bar:
    what: str
    target: str
    measured: str = "not measured"
    met: int = 0
    total: int = 0
    missed: list = field(default_factory=list)   # (cell, by how much)

    def judge(self, cell, good, miss):
        self.total += 1
        self.met += good
        if not good:
            self.missed.append((cell, miss))

    @property
    def state(self):
        return "not measured" if not self.total else "met" if self.met == self.total else "missed"


class Cells:
    """The results of one table set."""

    def __init__(self, run):
        self.run = run
        self.cells = run["cells"]

    def ms(self, variant, query, engine="vecruntime"):
        return self.result(variant, query, engine).get("ms")

    def result(self, variant, query, engine="vecruntime"):
        return self.cells.get(f"{variant}/{query}", {}).get(engine, {})

    def lineitem(self):
        """(variant, query) of the measured cells of the 21 variants."""
        return [(v, q) for v in VARIANTS for q in QUERIES if self.ms(v, q) is not None]

    def fastest_peer(self, variant, query):
        """(name, ms) of the fastest embedded peer with a right answer, or None."""
        times = [(ms, name) for key, name in EMBEDDED.items()
                 if (ms := self.ms(variant, query, key)) is not None and "differs" not in self.result(variant, query, key)]
        return min(times)[::-1] if times else None


def main_set(results):
    return results.get("sf1-double") or next((run for run in results.values() if run["money"] == "double"), None)


def evaluate(results):
    run = main_set(results)
    cells = Cells(run) if run else Cells({"cells": {}})
    decimal = next((Cells(r) for r in results.values() if r["money"] == "decimal"), Cells({"cells": {}}))
    larger = next((Cells(r) for r in results.values() if run and r["money"] == "double" and r["scale"] == 10 * run["scale"]), None)
    return [against_spark(cells), against_peers(cells), against_floor(cells), delete_price(cells), two_threads(cells),
            ten_times_larger(cells, larger), peak_memory(cells), cold(cells), many_files(cells), decimals(decimal)]


def against_spark(cells):
    bar = Bar("every cell against Spark", "at least 10x, or within 1.15x of the floor")
    ratios = {}
    for variant, query in cells.lineitem():
        ours, spark, floor = (cells.ms(variant, query, e) for e in ("vecruntime", "spark", "floor"))
        if spark is None:
            continue
        ratios[f"{variant}/{query}"] = spark / ours
        good = spark >= 10 * ours or (floor is not None and ours <= 1.15 * floor)
        bar.judge(f"{variant}/{query}", good, f"{spark / ours:.1f}x, {ours:.1f} ms, {excess(ours, floor)}")
    if ratios:
        lowest = min(ratios, key=ratios.get)
        bar.measured = f"median {statistics.median(ratios.values()):.1f}x, lowest {ratios[lowest]:.1f}x ({lowest})"
    return bar


def against_peers(cells):
    bar = Bar("every cell against the fastest of DuckDB, Polars, chDB, Daft", "ahead")
    margins = {}
    for variant, query in cells.lineitem():
        if fastest := cells.fastest_peer(variant, query):
            name, theirs = fastest
            ours = cells.ms(variant, query)
            margins[f"{variant}/{query}"] = theirs / ours
            bar.judge(f"{variant}/{query}", ours < theirs, f"{name} {theirs:.1f} ms, we {ours:.1f} ms")
    if margins:
        lowest = min(margins, key=margins.get)
        bar.measured = f"median {statistics.median(margins.values()):.1f}x, lowest {margins[lowest]:.2f}x ({lowest})"
    return bar


def against_floor(cells):
    bar = Bar("every cell against its floor", "within 1.25x, or 3 ms more")
    over = {}
    for variant, query in cells.lineitem():
        ours, floor = cells.ms(variant, query), cells.ms(variant, query, "floor")
        if floor is None:
            continue
        over[f"{variant}/{query}"] = ours - floor
        bar.judge(f"{variant}/{query}", ours <= floor_limit(floor), excess(ours, floor))
    if over:
        worst = max(over, key=over.get)
        bar.measured = f"median {statistics.median(over.values()):.1f} ms over it, most {over[worst]:.1f} ms ({worst})"
    return bar


def floor_limit(floor):
    return max(1.25 * floor, floor + 3)


def excess(ours, floor):
    if floor is None:
        return "no floor measured"
    return f"{ours - floor:.1f} ms over the floor of {floor:.1f} ms" + (f" ({ours / floor:.2f}x)" if floor > 0 else "")


def clean_table(variant):
    """The table without deletes that a variant is held against."""
    if variant.endswith("_clustered"):
        return CLUSTERED_BASE
    return "plain3" if variant.startswith(("dv", "eqv3")) else "plain"


def price(cells, variant, query):
    """What the deletes cost over the clean table in ms, or None."""
    ours, clean = cells.ms(variant, query), cells.ms(clean_table(variant), query)
    return None if ours is None or clean is None else ours - clean


def price_limit(cells, variant):
    """The most ms that the deletes of a variant may cost; None when the key column's floor was not measured."""
    limit = {"dv": 2, "pos": 8}.get(re.match(r"dv|pos|", variant)[0], 0)
    limit = 8 if variant.startswith("mix") else limit
    if not re.match(r"eq|mix|dvmix", variant):
        return limit
    key_floor = cells.ms(variant, "count", "floor")
    return None if key_floor is None else limit + key_floor + 5


def delete_price(cells):
    bar = Bar("price of deletes over the clean table", "DV 2 ms, position files 8 ms, equality the key column's floor + 5 ms; flat in the share")
    prices = {"dv": [], "pos": [], "eq": []}
    for variant in VARIANTS:
        limit = price_limit(cells, variant)
        for query in QUERIES:
            cost = price(cells, variant, query)
            if variant.startswith("plain") or cost is None or limit is None:
                continue
            bar.judge(f"{variant}/{query}", cost <= limit, f"{cost:+.1f} ms, at most {limit:.1f}")
            if kind := re.fullmatch(r"(dv|pos|eq)_\d+", variant):
                prices[kind[1]].append(cost)
    for kind, small, large in (("dv", 2, 30), ("pos", 2, 30), ("eq", 2, 10)):
        for query in QUERIES:
            low, high = price(cells, f"{kind}_{small}", query), price(cells, f"{kind}_{large}", query)
            if low is not None and high is not None:
                bar.judge(f"{kind}_{small} to {kind}_{large}/{query}", high - low <= FLAT_MS,
                          f"{large} % costs {high - low:+.1f} ms over {small} %, at most {FLAT_MS}")
    if any(prices.values()):
        bar.measured = "median " + ", ".join(f"{name} {statistics.median(prices[kind]):+.1f} ms" for kind, name in (
            ("dv", "DV"), ("pos", "position files"), ("eq", "equality")) if prices[kind])
    return bar


def two_threads(cells):
    bar = Bar("one thread to two", f"1.8x (cells of {PARALLEL_MS_MIN} ms and more)")
    gains = []
    for variant, query in cells.lineitem():
        one, two = cells.ms(variant, query, "vecruntime_1"), cells.ms(variant, query)
        if one is None or one < PARALLEL_MS_MIN:
            continue
        gains.append(one / two)
        bar.judge(f"{variant}/{query}", one >= 1.8 * two, f"{one / two:.2f}x ({one:.1f} to {two:.1f} ms)")
    if gains:
        bar.measured = f"median {statistics.median(gains):.2f}x, lowest {min(gains):.2f}x"
    return bar


def ten_times_larger(cells, larger):
    bar = Bar("ten times the rows", "at most 10.5x the time, memory grows by less than 20 %")
    if not larger:
        return bar
    growths = []
    for variant, query in larger.lineitem():
        small, large = cells.ms(variant, query), larger.ms(variant, query)
        if small is None:
            continue
        growths.append(large / small)
        bar.judge(f"{variant}/{query}", large <= 10.5 * small, f"{large / small:.1f}x the time")
        before, after = peak(cells, variant, query), peak(larger, variant, query)
        if before and after:
            bar.judge(f"{variant}/{query}", after < 1.2 * before, f"memory {before / 1e6:.0f} to {after / 1e6:.0f} MB")
    if growths:
        bar.measured = f"median {statistics.median(growths):.1f}x, most {max(growths):.1f}x the time"
    return bar


def peak(cells, variant, query):
    return cells.result(variant, query, "vecruntime_cold").get("peak_bytes")


def peak_memory(cells):
    bar = Bar("peak memory of any cell", f"{PEAK_BYTES_MAX // 10**6} MB")
    peaks = {}
    for variant, query in cells.lineitem():
        if value := peak(cells, variant, query):
            peaks[f"{variant}/{query}"] = value
            bar.judge(f"{variant}/{query}", value <= PEAK_BYTES_MAX, f"{value / 1e6:.0f} MB")
    if peaks:
        worst = max(peaks, key=peaks.get)
        bar.measured = f"{peaks[worst] / 1e6:.0f} MB ({worst})"
    return bar


def cold(cells):
    bar = Bar("cold process: count(*) and Q1", "60 ms and 130 ms")
    highest = {}
    for variant, query in cells.lineitem():
        ms = cells.ms(variant, query, "vecruntime_cold")
        if query in COLD_MS_MAX and ms is not None:
            highest[query] = max(ms, highest.get(query, 0))
            bar.judge(f"{variant}/{query}", ms <= COLD_MS_MAX[query], f"{ms:.0f} ms")
    if highest:
        bar.measured = "slowest " + ", ".join(f"{query} {ms:.0f} ms" for query, ms in highest.items())
    return bar


def many_files(cells):
    bar = Bar("1,000 position files, 200 equality files on 100 data files", "under 1.5x of the same deletes in one file")
    ratios = []
    for many, one in (("files_pos_1000", "files_pos_1"), ("files_eq_200", "files_eq_1")):
        for query in QUERIES:
            slow, fast = cells.ms(many, query), cells.ms(one, query)
            if slow is not None and fast is not None:
                ratios.append(slow / fast)
                bar.judge(f"{many}/{query}", slow < 1.5 * fast, f"{slow / fast:.2f}x ({fast:.1f} to {slow:.1f} ms)")
    if ratios:
        bar.measured = f"median {statistics.median(ratios):.2f}x, most {max(ratios):.2f}x"
    return bar


def decimals(cells):
    bar = Bar("lineitem with decimal(15,2) columns", "as Spark, peers and floor above")
    parts = [against_spark(cells), against_peers(cells), against_floor(cells)]
    for part in parts:
        bar.met += part.met
        bar.total += part.total
        bar.missed += [(f"{cell}: {part.what}", miss) for cell, miss in part.missed]
    if bar.total:
        bar.measured = "; ".join(f"{name}: {part.met} of {part.total} cells" for name, part in zip(("Spark", "peers", "floor"), parts))
    return bar


def as_text(evaluated):
    lines = []
    for bar in evaluated:
        count = f"{bar.met} of {bar.total}" if bar.total else "-"
        lines.append(f"{bar.state:<12} {count:>10}  {bar.what}: {bar.target}. {bar.measured}")
    return "\n".join(lines)
