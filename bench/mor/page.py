# SPDX-License-Identifier: Apache-2.0
"""The results as one self-contained HTML page: no script, no file beside it, nothing from elsewhere."""
import html
import pathlib
import re
import statistics

from bench.mor import bars, charts
from bench.mor.bars import Cells
from bench.mor.tables import CLUSTERED_BASE, MANY_FILES, QUERIES, VARIANTS

COLUMNS = ("vecruntime", "floor", "spark", "spark_comet", "duckdb", "polars", "chdb", "daft", "vecruntime_1", "vecruntime_cold")
SHORT = {"vecruntime": "VecRuntime", "floor": "floor", "vecruntime_1": "one thread", "vecruntime_cold": "cold process", "spark": "Spark",
         "spark_comet": "Spark + Comet", "duckdb": "DuckDB", "polars": "Polars", "chdb": "chDB", "daft": "Daft"}
OURS = ("vecruntime", "vecruntime_1", "vecruntime_cold")
SET_NAMES = {"double": "doubles", "decimal": "decimal(15,2)"}
LOST_ROWS_MAX = 12


def render(results):
    run = bars.main_set(results) or next(iter(results.values()))
    cells = Cells(run)
    evaluated = bars.evaluate(results)
    reasons = Reasons()
    body = [head(run, results), tiles(cells, evaluated), bars_section(evaluated), charts_section(cells), losses_section(cells, evaluated),
            times_section(results, reasons), details_section(cells), method_section(results, reasons)]
    css = pathlib.Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return ('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>VecRuntime: merge-on-read scans of Iceberg tables</title>\n<style>\n{css}</style>\n</head>\n<body>\n"
            + "\n".join(body) + "\n</body>\n</html>\n")


def head(run, results):
    peers = [SHORT[k] for k in COLUMNS if k not in (*OURS, "floor") and not run["engines"].get(k, {}).get("absent")]
    names = ", ".join(peers) if peers else "no peer"
    machine = run["machine"]
    links = (("bars", "Bars"), ("charts", "Charts"), ("lose", "What we lose"), ("times", "All times"), ("details", "By cell"), ("method", "Method"))
    return (f"<header><h1>Merge-on-read scans of Iceberg tables</h1>\n"
            f'<p class="soft">VecRuntime beside {esc(names)}: TPC-H lineitem at scale {run["scale"]:g} in {sum(any(cell.startswith(v + "/") for cell in run["cells"]) for v in VARIANTS)} variants of '
            f'deletes, {len(QUERIES)} queries, {run["settings"]["threads"]} threads each, in turn in one run. {esc(machine["date"])}.</p>\n'
            "<nav>" + "".join(f'<a href="#{i}">{t}</a>' for i, t in links) + "</nav></header>")


def tiles(cells, evaluated):
    ratios = [cells.ms(v, q, "spark") / cells.ms(v, q) for v, q in cells.lineitem() if cells.ms(v, q, "spark")]
    peers, floor = evaluated[1], evaluated[2]
    prices = [p for v in ("dv_2", "dv_10", "dv_30") for q in QUERIES if (p := bars.price(cells, v, q)) is not None]
    peaks = [p for v, q in cells.lineitem() if (p := bars.peak(cells, v, q))]
    entries = []
    if ratios:
        entries.append((f"{statistics.median(ratios):.1f}x", "faster than Spark, median of all cells"))
    if peers.total:
        entries.append((f"{peers.met} of {peers.total}", "cells ahead of DuckDB, Polars, chDB and Daft"))
    if floor.total:
        entries.append((f"{floor.met} of {floor.total}", "cells within reach of the floor (1.25x or +3 ms)"))
    if prices:
        entries.append((f"{statistics.median(prices):+.1f} ms", "price of a deletion vector over the clean table, median"))
    if peaks:
        entries.append((f"{max(peaks) / 1e6:.0f} MB", "highest memory of a process"))
    return '<ul class="tiles">' + "".join(f"<li><b>{esc(value)}</b><span>{esc(text)}</span></li>" for value, text in entries) + "</ul>"


def bars_section(evaluated):
    rows = []
    for bar in evaluated:
        state = {"met": '<td class="text met">met</td>', "missed": '<td class="text missed">missed</td>',
                 "not measured": '<td class="text soft">not measured</td>'}[bar.state]
        count = f"{bar.met} of {bar.total}" if bar.total else ""
        rows.append(f'<tr><th class="text">{esc(bar.what)}</th><td class="text">{esc(bar.target)}</td>{state}<td class="text">{count}</td>'
                    f'<td class="text">{esc(bar.measured if bar.total else "")}</td></tr>')
    return ('<section id="bars"><h2>The bars</h2>\n<p>Each bar was set before the work began. The count is of cells (one table, one query) '
            'that meet it.</p>\n<div class="scroll"><table class="wide cards"><thead><tr><th class="text">what</th><th class="text">bar</th>'
            '<th class="text">state</th><th class="text">cells</th><th class="text">measured</th></tr></thead><tbody>' + "".join(rows)
            + "</tbody></table></div></section>")


def charts_section(cells):
    figures = []

    def add(svg, caption):
        if svg:
            figures.append(f"<figure>{svg}<figcaption>{caption}</figcaption></figure>")

    add(charts.spark_ratios(cells), "How many times Spark's time is VecRuntime's, in every cell. Right is better.")
    add(charts.against_floor(cells), "Time against the floor, which inflates the same pages and does nothing else. At the left edge stand "
                                     "the cells that need no page: count(*) from metadata.")
    for kind, name in charts.KINDS.items():
        add(charts.delete_price(cells, kind), f"What {name} cost over the same query on the clean table.")
    if not figures:
        return ""
    return f'<section id="charts"><h2>Charts</h2>\n{charts.legend()}<div class="charts">{"".join(figures)}</div></section>'


def losses_section(cells, evaluated):
    parts = ['<section id="lose"><h2>What we lose</h2>']
    lost = [(v, q, *cells.fastest_peer(v, q)) for v, q in cells.lineitem()
            if cells.fastest_peer(v, q) and cells.fastest_peer(v, q)[1] <= cells.ms(v, q)]
    lost += [(v, q, "Spark + Comet", cells.ms(v, q, "spark_comet")) for v, q in cells.lineitem()
             if (cells.ms(v, q, "spark_comet") or 1e300) <= cells.ms(v, q)]
    parts.append("<h3>Cells where a peer is ahead</h3>")
    if lost:
        lost.sort(key=lambda row: row[3] / cells.ms(row[0], row[1]))
        rows = "".join(f"<tr><th>{v}</th><td class='text'>{q}</td><td class='text'>{esc(name)}</td><td>{number(theirs)}</td>"
                       f"<td>{number(cells.ms(v, q))}</td><td>{cells.ms(v, q) / theirs:.2f}x</td></tr>" for v, q, name, theirs in lost)
        parts.append('<div class="scroll"><table class="numbers"><thead><tr><th>table</th><th class="text">query</th><th class="text">ahead</th>'
                     f"<th>its ms</th><th>our ms</th><th>behind</th></tr></thead><tbody>{rows}</tbody></table></div>")
    else:
        parts.append("<p>None in this run.</p>")
    for bar in evaluated:
        if bar.state != "missed":
            continue
        parts.append(f"<h3>{esc(bar.what)}: {len(bar.missed)} of {bar.total} missed</h3>")
        shown = "".join(f"<li>{esc(cell)}: {esc(text)}</li>" for cell, text in bar.missed[:LOST_ROWS_MAX])
        more = f"<li>and {len(bar.missed) - LOST_ROWS_MAX} more, below by cell</li>" if len(bar.missed) > LOST_ROWS_MAX else ""
        parts.append(f"<ul>{shown}{more}</ul>")
    parts.append(phases_table(cells))
    return "\n".join(parts) + "</section>"


def phases_table(cells):
    """Where the time of the cells furthest over their floor goes."""
    over = sorted(((cells.ms(v, q) - floor, v, q) for v, q in cells.lineitem()
                   if (floor := cells.ms(v, q, "floor")) is not None and cells.ms(v, q) > bars.floor_limit(floor)), reverse=True)
    rows = [(v, q, phases) for _, v, q in over[:10] if (phases := cells.result(v, q).get("phases"))]
    if not rows:
        return ""
    names = list(dict.fromkeys(name for *_, phases in rows for name in phases))
    header = "".join(f"<th>{esc(name)}</th>" for name in names)
    lines = "".join(f"<tr><th>{v} {q}</th><td>{number(cells.ms(v, q))}</td><td>{number(cells.ms(v, q, 'floor'))}</td>"
                    + "".join(f"<td>{number(phases.get(name))}</td>" for name in names) + "</tr>" for v, q, phases in rows)
    return ("<h3>Where the time goes in the cells furthest over the floor</h3>\n"
            '<p class="soft">Milliseconds. "plan" is wall time; the other phases are summed over threads and do not overlap, so that two busy '
            "threads fill twice the wall time.</p>\n"
            f'<div class="scroll"><table class="numbers"><thead><tr><th>cell</th><th>wall</th><th>floor</th>{header}</tr></thead>'
            f"<tbody>{lines}</tbody></table></div>")


class Reasons:
    """Numbers each distinct reason for a missing time."""

    def __init__(self):
        self.numbers = {}

    def link(self, engine, reason):
        reason = re.sub(r"\S*/\S+", "(path)", " ".join(reason.split()))[:240]
        number_of = self.numbers.setdefault((engine, reason), len(self.numbers) + 1)
        return f'<td class="none"><a href="#reason{number_of}">n/a {number_of}</a></td>'


def times_section(results, reasons):
    parts = ['<section id="times"><h2>All times</h2>',
             "<p>Milliseconds, medians. Green: the fastest engine of the row. <em>n/a 1</em> and the like: no time, with the reason listed under "
             '<a href="#method">Method</a>.</p>']
    for run in results.values():
        cells = Cells(run)
        title = f"Scale {run['scale']:g}, {SET_NAMES[run['money']]}"
        for query, sql in QUERIES.items():
            variants = [v for v in (*VARIANTS, CLUSTERED_BASE, *MANY_FILES) if f"{v}/{query}" in run["cells"]]
            if variants:
                parts.append(f"<h3>{title}: {query}</h3>\n<p class=\"soft\"><code>{esc(sql.format(t='t'))}</code></p>"
                             + times_table(cells, variants, query, reasons))
    return "\n".join(parts) + "</section>"


def times_table(cells, variants, query, reasons):
    columns = [c for c in COLUMNS if any(cells.result(v, query, c) for v in variants)
               and not cells.run["engines"].get(c, {}).get("absent")]
    header = "".join(f"<th>{SHORT[c]}</th>" for c in columns) + "<th>peak MB</th>"
    rows = []
    for variant in variants:
        rivals = [c for c in columns if c not in ("floor", "vecruntime_1", "vecruntime_cold")]
        fastest = min((ms for c in rivals if (ms := cells.ms(variant, query, c)) is not None), default=None)
        line = "".join(time_cell(cells.result(variant, query, c), c, c in rivals and cells.ms(variant, query, c) == fastest, reasons)
                       for c in columns)
        peak = bars.peak(cells, variant, query)
        rows.append(f"<tr><th>{'clean, clustered' if variant == CLUSTERED_BASE else variant}</th>{line}<td>{f'{peak / 1e6:.0f}' if peak else ''}</td></tr>")
    return (f'<div class="scroll"><table class="numbers"><thead><tr><th>table</th>{header}</tr></thead><tbody>{"".join(rows)}'
            "</tbody></table></div>")


def time_cell(result, engine, is_best, reasons):
    if not result:
        return "<td></td>"
    if "ms" not in result:
        return reasons.link(engine, result["reason"])
    if "differs" in result:
        return f'<td class="wrong" title="{esc(result["differs"])}">{number(result["ms"])} wrong</td>'
    names = " ".join(name for name, on in (("ours", engine == "vecruntime"), ("best", is_best)) if on)
    return f'<td class="{names}">{number(result["ms"])}</td>'


def details_section(cells):
    def ratio(variant, query):
        spark = cells.ms(variant, query, "spark")
        return None if spark is None else (f"{spark / cells.ms(variant, query):.1f}x", spark >= 10 * cells.ms(variant, query))

    def over_floor(variant, query):
        floor, ours = cells.ms(variant, query, "floor"), cells.ms(variant, query)
        return None if floor is None else (f"{ours - floor:+.1f}", ours <= bars.floor_limit(floor))

    def price(variant, query):
        cost, limit = bars.price(cells, variant, query), bars.price_limit(cells, variant)
        return None if cost is None or limit is None or variant.startswith("plain") else (f"{round(cost, 1) + 0.0:+.1f}", cost <= limit)

    def threads(variant, query):
        one = cells.ms(variant, query, "vecruntime_1")
        return None if one is None else (f"{one / cells.ms(variant, query):.2f}x", one < bars.PARALLEL_MS_MIN or one >= 1.8 * cells.ms(variant, query))

    def margin(variant, query):
        fastest = cells.fastest_peer(variant, query)
        return None if fastest is None else (f"{fastest[1] / cells.ms(variant, query):.1f}x", fastest[1] > cells.ms(variant, query))

    matrices = (("Spark's time over ours", ratio), ("The fastest embedded peer's time over ours", margin), ("Milliseconds over the floor", over_floor),
                ("Price of the deletes in milliseconds", price), ("One thread's time over two threads'", threads))
    parts = ['<section id="details"><h2>By cell</h2>\n<p>Red: the bar is missed.</p>\n<div class="matrices">']
    for title, value_of in matrices:
        if rows := matrix_rows(cells, value_of):
            header = "".join(f"<th>{q}</th>" for q in QUERIES)
            parts.append(f'<div><h3>{title}</h3><div class="scroll"><table class="numbers"><thead><tr><th>table</th>{header}</tr></thead>'
                         f"<tbody>{rows}</tbody></table></div></div>")
    return "".join(parts) + "</div></section>"


def matrix_rows(cells, value_of):
    rows = []
    for variant in VARIANTS:
        values = [value_of(variant, query) if cells.ms(variant, query) is not None else None for query in QUERIES]
        if any(values):
            rows.append(f"<tr><th>{variant}</th>" + "".join(
                "<td></td>" if value is None else f'<td class="{"" if value[1] else "missed"}">{value[0]}</td>' for value in values) + "</tr>")
    return "".join(rows)


def method_section(results, reasons):
    run = bars.main_set(results) or next(iter(results.values()))
    machine, settings = run["machine"], run["settings"]
    parts = ['<section id="method"><h2>Method</h2>', "<ul>"]
    parts += [f"<li>{item}</li>" for item in (
        f"{esc(machine['processor'])}, {machine['cores']} cores ({esc(', '.join(machine['instructions']) or 'no AVX2')}), "
        f"{machine['memory_gib']:g} GiB of memory, {esc(machine['system'])}, Linux {esc(machine['kernel'])}; load before the run "
        f"{machine['load_before']:g}, {100 * machine.get('stolen', 0):.1f} % of the processor time stolen by the host. "
        f"VecRuntime at commit {esc(machine['commit'])}.",
        f"A cell is one table and one query. In each round every engine is asked once, one after the other; {settings['warm']} rounds warm "
        f"up, {settings['runs']} are measured, the median counts. The next engine is asked only when the processes of the last one have "
        "been idle for a moment, so that its collector and compiler threads disturb nobody. An engine slower than 1 s is measured three times, and not "
        "asked about a table again once it has given up on it.",
        f"Every engine keeps its process for the whole run and has {settings['threads']} threads. Time is taken inside that process, from "
        "the statement's text to the last row; nothing is printed. For a cold process it is the time from its start to its end.",
        "The tables lie on a local disk and in the page cache: 16 data files written by Spark (Parquet, zstd), one snapshot or more of "
        "deletes. No engine keeps results. Which of its caches are on is listed below; they are each engine's own defaults.",
        "The floor reads and inflates the pages, of the columns a query reads, that hold at least one row of its answer, and key columns of "
        "equality deletes: one zstd context and one buffer a thread, mmap or pread, whichever is faster. It decodes and computes nothing. "
        "count(*) needs no page unless there are equality deletes.",
        "Answers are compared in every round with Spark's, recorded when the tables were made: numbers to a relative 1e-9 (averages of "
        "decimals to the digits both show), everything else exactly. " + agreement(results),
        f"A peer that takes longer than {settings['answer_seconds']:g} s has given up and is not asked again in that cell. Peak memory is "
        "the resident set of a cold process as the kernel counts it, mapped files included.",
        "To run it again: <code>./dev bench mor</code>. The numbers behind this page: <code>iceberg-mor.json</code>.")]
    parts.append("</ul>\n<h3>Engines</h3>\n<div class=\"scroll\"><table class=\"wide\"><thead><tr><th class=\"text\">engine</th>"
                 '<th class="text">version</th><th class="text">threads</th><th class="text">caches that are on</th></tr></thead><tbody>')
    for engine in run["engines"].values():
        absent = f'<span class="missed">not measured: {esc(engine["absent"])}</span>' if engine["absent"] else esc(engine["version"] or "")
        parts.append(f'<tr><th class="text">{esc(engine["name"])}</th><td class="text">{absent}</td><td class="text">{engine["threads"]}</td>'
                     f'<td class="text">{esc(engine["caches"] or "")}</td></tr>')
    parts.append("</tbody></table></div>")
    if reasons.numbers:
        parts.append("<h3>Why there is no time</h3>\n<ul>" + "".join(
            f'<li id="reason{n}">n/a {n}, {SHORT[engine]}: {esc(text)}</li>' for (engine, text), n in reasons.numbers.items()) + "</ul>")
    parts.append("<h3>Tables of many files</h3>\n<ul>" + "".join(
        f"<li><code>{name}</code>: {esc(text)}</li>" for name, text in MANY_FILES.items()) + "</ul>")
    return "\n".join(parts) + "</section>"


def agreement(results):
    answers = [r for run in results.values() for cell in run["cells"].values() for r in cell.values() if "ms" in r]
    wrong = sum("differs" in r for r in answers)
    return "All agree." if not wrong else f'<span class="missed">{wrong} of {len(answers)} measured answers differ</span> and are marked.'


def number(ms):
    if ms is None:
        return ""
    if ms == 0:
        return "0"
    return f"{ms:,.0f}" if ms >= 99.5 else f"{ms:.1f}" if ms >= 9.95 else f"{ms:.2f}"


def esc(text):
    return html.escape(str(text))
