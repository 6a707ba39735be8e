# SPDX-License-Identifier: Apache-2.0
"""The page's charts as inline SVG: drawn for 340 units of width, so that a phone shows their text at its own size."""
import html
import math

from bench.mor import bars
from bench.mor.tables import QUERIES, VARIANTS

WIDTH = 340
KINDS = {"dv": "deletion vectors", "pos": "position-delete files", "eq": "equality-delete files"}


class Drawing:
    """SVG elements with the plot's area inside margins."""

    def __init__(self, height, left, right=10, top=8, bottom=32):
        self.height = height
        self.x0, self.x1 = left, WIDTH - right
        self.y0, self.y1 = top, height - bottom
        self.parts = []

    def text(self, x, y, content, kind="tick", anchor="middle"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{html.escape(content)}</text>')

    def line(self, x1, y1, x2, y2, kind="grid"):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def path(self, points, kind):
        steps = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
        self.parts.append(f'<path d="{steps}" class="{kind}"/>')

    def mark(self, x, y, query, title):
        """A dot whose shape and colour tell the query."""
        shape = {
            "count": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6"/>',
            "sum": f'<rect x="{x - 3.2:.1f}" y="{y - 3.2:.1f}" width="6.4" height="6.4"/>',
            "group": f'<path d="M{x:.1f} {y - 4.2:.1f}l4 7h-8z"/>',
            "q6": f'<path d="M{x:.1f} {y - 4.6:.1f}l4.2 4.6l-4.2 4.6l-4.2 -4.6z"/>',
            "q1": f'<path d="M{x - 3.4:.1f} {y - 3.4:.1f}l6.8 6.8m0 -6.8l-6.8 6.8" class="cross"/>',
        }[query]
        self.parts.append(f'<g class="mark {query}">{shape}<title>{html.escape(title)}</title></g>')

    def svg(self, title):
        return (f'<svg viewBox="0 0 {WIDTH} {self.height}" role="img" aria-label="{html.escape(title)}">'
                f'<title>{html.escape(title)}</title>{"".join(self.parts)}</svg>')


def legend():
    """The queries by shape and colour, as HTML."""
    entries = []
    for query in QUERIES:
        drawing = Drawing(12, 0)
        drawing.mark(6, 6, query, query)
        entries.append(f'<span class="key"><svg viewBox="0 0 12 12" class="keymark" aria-hidden="true">{drawing.parts[0]}</svg>{query}</span>')
    return f'<p class="legend">{"".join(entries)}</p>'


def logarithmic(low, high, start, end):
    span = math.log(high) - math.log(low)
    return lambda value: start + (math.log(min(max(value, low), high)) - math.log(low)) / span * (end - start)


def spark_ratios(cells):
    """One row a variant, one mark a query, how many times Spark's time is ours."""
    rows = [v for v in VARIANTS if any(cells.ms(v, q) and cells.ms(v, q, "spark") for q in QUERIES)]
    ratios = {(v, q): cells.ms(v, q, "spark") / cells.ms(v, q) for v in rows for q in QUERIES if cells.ms(v, q) and cells.ms(v, q, "spark")}
    if not ratios:
        return None
    high = 1.3 * max(20, *ratios.values())
    low = 0.1 if min(ratios.values()) < 1 else 1
    drawing = Drawing(14 * len(rows) + 44, left=100, right=18, top=4, bottom=38)
    x_of = logarithmic(low, high, drawing.x0, drawing.x1)
    tick = low
    while tick <= high:
        drawing.line(x_of(tick), drawing.y0, x_of(tick), drawing.y1, "bar" if math.isclose(tick, 10) else "grid")
        drawing.text(x_of(tick), drawing.y1 + 13, f"{tick:g}x")
        tick *= 10
    drawing.text((drawing.x0 + drawing.x1) / 2, drawing.height - 6, "Spark's time / VecRuntime's; the bar is 10x", "label")
    for i, variant in enumerate(rows):
        y = drawing.y0 + 14 * i + 9
        drawing.text(drawing.x0 - 6, y + 3.5, variant, "row", "end")
        drawing.line(drawing.x0, y, drawing.x1, y, "faint")
        for query in QUERIES:
            if (ratio := ratios.get((variant, query))) is not None:
                drawing.mark(x_of(ratio), y, query, f"{variant} {query}: {ratio:.1f}x")
    return drawing.svg("How many times faster than Spark, by table and query")


def delete_price(cells, kind):
    """Price over the clean table by share of rows deleted, one line a query."""
    shares = [p for p in (2, 10, 30) if any(bars.price(cells, f"{kind}_{p}", q) is not None for q in QUERIES)]
    prices = {q: [(p, bars.price(cells, f"{kind}_{p}", q)) for p in shares] for q in QUERIES}
    prices = {q: [(p, c) for p, c in points if c is not None] for q, points in prices.items()}
    known = [c for points in prices.values() for _, c in points]
    if not known:
        return None
    limits = [limit for p in shares if (limit := bars.price_limit(cells, f"{kind}_{p}")) is not None]
    ticks = round_ticks(min(0, *known), max(5, *known, *limits))
    low, high = ticks[0], ticks[-1]
    drawing = Drawing(190, left=44)
    places = [0, *shares]

    def x_of(share):
        return drawing.x0 + (places.index(share) + 0.3) / len(places) * (drawing.x1 - drawing.x0)

    def y_of(cost):
        return drawing.y1 - (cost - low) / (high - low) * (drawing.y1 - drawing.y0)

    for tick in ticks:
        drawing.line(drawing.x0, y_of(tick), drawing.x1, y_of(tick), "axis" if tick == 0 else "grid")
        drawing.text(drawing.x0 - 5, y_of(tick) + 3.5, f"{tick:g} ms", "tick", "end")
    for share in places:
        drawing.text(x_of(share), drawing.y1 + 13, f"{share} %")
    drawing.text((drawing.x0 + drawing.x1) / 2, drawing.height - 4, "share of rows deleted", "label")
    for limit in limits[-1:]:
        at = y_of(limit)
        drawing.line(drawing.x0, at, drawing.x1, at, "bar")
        drawing.text(drawing.x1, at - 4 if at > 16 else at + 12, f"the bar: {limit:.0f} ms", "tick", "end")
    for query, points in prices.items():
        drawing.path([(x_of(0), y_of(0))] + [(x_of(p), y_of(c)) for p, c in points], f"line {query}")
    for query, points in prices.items():
        for share, cost in points:
            drawing.mark(x_of(share), y_of(cost), query, f"{query}, {share} % deleted: {cost:+.1f} ms")
    return drawing.svg(f"Price of {KINDS[kind]} in ms by share of rows deleted")


def round_ticks(low, high, most=7):
    """Round numbers from at or below `low` to at or above `high`, zero among them."""
    for step in (s * 10 ** e for e in range(0, 5) for s in (1, 2, 5)):
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first < most:
            return [i * step for i in range(first, last + 1)]
    return [low, 0, high]


def against_floor(cells):
    """Our time over the floor's, both logarithmic; cells that need no page stand at the left edge."""
    points = [(v, q, cells.ms(v, q, "floor"), cells.ms(v, q)) for v, q in cells.lineitem() if cells.ms(v, q, "floor") is not None]
    if not points:
        return None
    low, high = 1, 10 ** math.ceil(math.log10(max(100, *(ours for *_, ours in points))))
    drawing = Drawing(300, left=44)
    x_of = logarithmic(low, 100, drawing.x0 + 34, drawing.x1)
    y_of = logarithmic(low, high, drawing.y1, drawing.y0)
    for tick in (1, 3, 10, 30, 100):
        drawing.line(x_of(tick), drawing.y0, x_of(tick), drawing.y1)
        drawing.text(x_of(tick), drawing.y1 + 13, f"{tick}")
    drawing.line(drawing.x0 + 8, drawing.y0, drawing.x0 + 8, drawing.y1)
    drawing.text(drawing.x0 + 8, drawing.y1 + 13, "0")
    for tick in (t * 10 ** e for e in range(0, 5) for t in (1, 3)):
        if tick <= high:
            drawing.line(drawing.x0, y_of(tick), drawing.x1, y_of(tick))
            drawing.text(drawing.x0 - 5, y_of(tick) + 3.5, f"{tick:g} ms", "tick", "end")
    floors = [1.1 ** i for i in range(0, 49)]
    drawing.path([(x_of(f), y_of(f)) for f in floors], "axis open")
    drawing.path([(drawing.x0, y_of(3)), (drawing.x0 + 16, y_of(3))], "bar open")
    drawing.path([(x_of(f), y_of(bars.floor_limit(f))) for f in floors], "bar open")
    drawing.text((drawing.x0 + drawing.x1) / 2, drawing.height - 4, "floor in ms; dashed: the bar; solid: the floor itself", "label")
    for variant, query, floor, ours in points:
        x = x_of(floor) if floor > 0.5 else drawing.x0 + 8
        drawing.mark(x, y_of(ours), query, f"{variant} {query}: {ours:.1f} ms, floor {floor:.1f} ms")
    return drawing.svg("VecRuntime's time against the floor")
