# SPDX-License-Identifier: Apache-2.0
"""The benchmark's page in a real browser: whole on a phone, on a desk and on paper, and with everything in it."""
import re

import pytest

from bench.mor import page, tables
from tests.benchmark import browser, sample_results

pytestmark = pytest.mark.skipif(browser.find() is None, reason="no Chromium is installed; ./dev test installs it")

PHONE, DESK, PAPER = 360, 1200, 703  # paper: A4 without its margins, in CSS pixels
TEXT_PX_MIN = 9.5
CONTRAST_MIN = 4.5

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CLIPPED_TEXT = """[...document.querySelectorAll('figure svg')].flatMap(svg => [...svg.querySelectorAll('text')].filter(text => {
  const box = text.getBBox(), view = svg.viewBox.baseVal;
  return box.x < -0.5 || box.y < -0.5 || box.x + box.width > view.width + 0.5 || box.y + box.height > view.height + 0.5;
}).map(text => svg.getAttribute('aria-label') + ': ' + text.textContent))"""
OVERLAPPING_TEXT = """[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBBox()]);
  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([b, q]) =>
    p.x < q.x + q.width && q.x < p.x + p.width && p.y + 2 < q.y + q.height && q.y + 2 < p.y + p.height).map(([b]) => a + ' | ' + b));
})"""
SMALLEST_CHART_TEXT = """Math.min(...[...document.querySelectorAll('figure svg text')].map(text =>
  parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getBoundingClientRect().width / text.ownerSVGElement.viewBox.baseVal.width))"""
POOR_CONTRAST = """(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; }
    return 'rgb(255, 255, 255)'; };
  return [...document.querySelectorAll('h1, h2, p, a, th, td, li, li b, li span, figcaption, svg text')].map(e => {
    const ink = getComputedStyle(e)[e.ownerSVGElement ? 'fill' : 'color'], a = light(ink), b = light(ground(e));
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.tagName + '.' + (e.getAttribute('class') || ''), ink];
  }).filter(([contrast]) => contrast < LIMIT).map(String);
})()""".replace("LIMIT", str(CONTRAST_MIN))
TOO_WIDE = "[...document.querySelectorAll('.scroll, figure, pre')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 60))"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "iceberg-mor.html"
    path.write_text(page.render(sample_results.results()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def desk(url):
    with browser.Page(url, DESK) as opened:
        yield opened


def test_asks_for_nothing_else(desk, url):
    assert desk.requested_urls() == [url]
    assert desk.complaints() == []


@pytest.mark.parametrize("width", [PHONE, 768, DESK])
def test_fits_the_window(desk, width):
    desk.resize(width)
    assert desk.evaluate(OVERFLOW) <= 0
    assert desk.evaluate(SMALLEST_CHART_TEXT) >= TEXT_PX_MIN
    assert desk.evaluate(CLIPPED_TEXT) == []
    assert desk.evaluate(OVERLAPPING_TEXT) == []


@pytest.mark.parametrize("dark", [False, True])
def test_is_legible_in_both_schemes(url, dark):
    with browser.Page(url, DESK, dark=dark) as opened:
        assert opened.evaluate(POOR_CONTRAST) == []


def test_prints_whole(url):
    with browser.Page(url, PAPER) as opened:
        opened.print_media()
        assert opened.evaluate(OVERFLOW) <= 0
        assert opened.evaluate(TOO_WIDE) == []
        pages = len(re.findall(rb"/Type\s*/Page\b", opened.pdf()))
        assert 3 <= pages <= 30


def test_shows_every_variant_and_query(desk):
    text = desk.evaluate("document.querySelector('#times').innerText")
    for name in (*tables.VARIANTS, *tables.MANY_FILES):
        assert re.search(rf"^{name}\b", text, re.M), name
    assert all(f"doubles: {query}" in text and f"decimal(15,2): {query}" in text for query in tables.QUERIES)
    assert desk.evaluate("document.querySelectorAll('figure svg').length") == 5


def test_hides_nothing(desk):
    """Absent peers, refusals, wrong answers, missed bars and lost cells are all said."""
    method = desk.evaluate("document.querySelector('#method').innerText")
    assert "left out (--no-daft)" in method
    assert re.search(r"n/a \d+, DuckDB: gave up after 20 s", method)
    assert re.search(r"n/a \d+, Polars: NotImplementedError: \(path\) has equality deletes", method)
    assert "answers differ" in method
    assert "wrong" in desk.evaluate("document.querySelector('#times').innerText")
    lose = desk.evaluate("document.querySelector('#lose').innerText")
    assert "Cells where a peer is ahead" in lose and "deletes" in lose
    assert desk.evaluate("document.querySelectorAll('#bars tbody tr').length") == 10


def test_links_lead_somewhere(desk):
    assert desk.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.getAttribute('href')))"
                         ".map(a => a.outerHTML)") == []
