# SPDX-License-Identifier: Apache-2.0
"""The benchmark's own judgement: when answers agree, how cells are measured, when a bar is met, how engines fail."""
import sys

import pytest

from bench.mor import answers, bars, engines, rounds, tables
from tests.benchmark import sample_results

QUESTION = engines.Question("ns.t", "/t/v1.metadata.json", "sum", "SELECT 1 FROM {t}", ("a",))


@pytest.mark.parametrize("a, b, exact_digits, same", [
    ([["1", "A"]], [["1.0", "A"]], False, True),
    ([["A", "2"], ["B", "1"]], [["B", "1"], ["A", "2"]], False, True),
    ([["1.0000000001"]], [["1"]], False, True),
    ([["1.00001"]], [["1"]], False, False),
    ([["0.049985"]], [["0.04998529583846488"]], True, True),
    ([["0.049985"]], [["0.0501"]], True, False),
    ([["0.049985"]], [["0.04998529583846488"]], False, False),
    ([["1E+2"]], [["100"]], False, True),
    ([[None]], [["0"]], False, False),
    ([[None]], [[None]], False, True),
    ([["1"]], [], False, False),
    ([["1"]], [["1", "2"]], False, False),
    ([["A"]], [["B"]], False, False),
])
def test_answers_agree(a, b, exact_digits, same):
    assert (answers.difference(a, b, exact_digits) is None) == same


class Canned:
    """An engine whose answers are given."""

    def __init__(self, key, given):
        self.key = key
        self.given = list(given)
        self.asked = 0

    def ask(self, question):
        answer = self.given[min(self.asked, len(self.given) - 1)]
        self.asked += 1
        return answer


def timed(*milliseconds, rows=(("1",),)):
    return [engines.Answer(ms, rows) for ms in milliseconds]


def test_warm_rounds_do_not_count():
    engine = Canned("e", timed(90, 80, 1, 3, 2))
    result = rounds.measure([engine], QUESTION, rounds.Plan(warm=2, runs=3), None, False)["e"]
    assert (result["ms"], result["min_ms"], result["max_ms"], result["first_ms"], result["runs"]) == (2, 1, 3, 90, 3)


def test_slow_engines_are_asked_less():
    very_slow, slow, quick = Canned("very_slow", timed(6000)), Canned("slow", timed(2000)), Canned("quick", timed(5))
    result = rounds.measure([very_slow, slow, quick], QUESTION, rounds.Plan(warm=5, runs=10), None, False)
    assert (very_slow.asked, slow.asked, quick.asked) == (4, 8, 15)
    assert (result["very_slow"]["runs"], result["slow"]["runs"]) == (3, 3)


def test_a_refusal_is_kept_with_its_reason():
    engine = Canned("e", [engines.Answer(reason="no such delete")])
    assert rounds.measure([engine], QUESTION, rounds.Plan(), None, False) == {"e": {"reason": "no such delete"}}
    assert engine.asked == 1


def test_a_wrong_answer_is_marked_even_once():
    right, wrong = Canned("right", timed(1)), Canned("wrong", timed(1, 1) + timed(1, rows=(("2",),)) + timed(1))
    result = rounds.measure([right, wrong], QUESTION, rounds.Plan(warm=1, runs=4), [["1"]], False)
    assert "differs" not in result["right"] and result["wrong"]["differs"] == "2 instead of 1"


def test_peak_memory_is_the_highest():
    given = [engines.Answer(1, [["1"]], facts={"peak_bytes": n, "phases": {"plan": n}}) for n in (5, 9, 7)]
    result = rounds.measure([Canned("e", given)], QUESTION, rounds.Plan(warm=0, runs=3), None, False)["e"]
    assert (result["peak_bytes"], result["phases"]) == (9, {"plan": 7})


class Script(engines.Peer):
    """A peer whose program is given as text."""

    def __init__(self, text, answer_seconds=20):
        super().__init__("script", "Script", sys.executable, lambda: [], threads=1, answer_seconds=answer_seconds)
        self.text = text

    def command(self):
        return [self.python, "-c", self.text]


HELLO = 'import json, sys, time; print(json.dumps({"version": "1", "caches": "none"}), flush=True)\n'


def test_peer_answers():
    peer = Script(HELLO + 'for line in sys.stdin: print(json.dumps({"ms": 1.5, "rows": [["x"]]}), flush=True)')
    peer.start()
    assert (peer.version, peer.absent) == ("1", None)
    answer = peer.ask(QUESTION)
    peer.stop()
    assert (answer.ms, answer.rows, answer.reason) == (1.5, [["x"]], None)


def test_peer_that_is_not_there():
    peer = Script('import sys; sys.exit("no module named peer")')
    peer.start()
    assert "no module named peer" in peer.absent
    assert peer.ask(QUESTION).reason == peer.absent


def test_peer_that_never_greets(monkeypatch):
    monkeypatch.setattr(engines, "START_SECONDS", 0.3)
    peer = Script("import time; time.sleep(60)")
    peer.start()
    assert peer.absent == "does not start: no answer in 0.3 s"


def test_peer_that_dies_is_started_again():
    peer = Script(HELLO + 'sys.stdin.readline(); sys.exit("out of memory")')
    peer.start()
    assert [("out of memory" in peer.ask(QUESTION).reason) for _ in range(2)] == [True, True]
    peer.stop()


def test_peer_that_takes_too_long():
    peer = Script(HELLO + 'sys.stdin.readline(); print(json.dumps({"ms": 1, "rows": []}), flush=True); time.sleep(60)', answer_seconds=0.5)
    peer.start()
    assert peer.ask(QUESTION).reason is None
    assert peer.ask(QUESTION).reason == "gave up after 0.5 s"
    assert peer.process is None
    assert peer.ask(QUESTION).reason == "gave up after 0.5 s on sum"
    assert peer.process is None
    peer.stop()


def results_with(**times):
    run = sample_results.run(variants=())
    for cell, outcome in times.items():
        run["cells"][cell.replace("__", "/")] = {key: {"ms": ms} if not isinstance(ms, dict) else ms for key, ms in outcome.items()}
    return {"sf1-double": run}


def bar_of(results, what):
    [bar] = [b for b in bars.evaluate(results) if b.what.startswith(what)]
    return bar


@pytest.mark.parametrize("ours, spark, floor, met", [(10, 100, 1, True), (10, 99, 1, False), (10, 20, 9, True), (10, 20, None, False)])
def test_bar_against_spark(ours, spark, floor, met):
    outcome = {"vecruntime": ours, "spark": spark} | ({"floor": floor} if floor else {})
    bar = bar_of(results_with(plain__sum=outcome), "every cell against Spark")
    assert (bar.met == 1, bar.total) == (met, 1)


@pytest.mark.parametrize("ours, floor, met", [(3, 0, True), (3.1, 0, False), (4, 1, True), (25, 20, True), (26, 20, False)])
def test_bar_against_the_floor(ours, floor, met):
    assert (bar_of(results_with(plain__sum={"vecruntime": ours, "floor": floor}), "every cell against its floor").met == 1) == met


def test_bar_against_peers_counts_right_answers_only():
    outcome = {"vecruntime": 10, "duckdb": {"ms": 5, "differs": "1 instead of 2"}, "polars": 12, "chdb": {"reason": "refused"}}
    bar = bar_of(results_with(plain__sum=outcome), "every cell against the fastest")
    assert (bar.met, bar.total) == (1, 1)


@pytest.mark.parametrize("variant, clean, cost, met", [
    ("dv_10", "plain3", 2, True), ("dv_10", "plain3", 2.5, False), ("pos_10", "plain", 8, True), ("pos_10", "plain", 9, False),
    ("eq_10", "plain", 38, True), ("eq_10", "plain", 39, False), ("dvmix_20_5", "plain3", 40, True), ("mix_20_5", "plain", 46, True),
    ("dv_10_clustered", tables.CLUSTERED_BASE, 2, True)])
def test_price_of_deletes(variant, clean, cost, met):
    cells = {f"{clean}__sum": {"vecruntime": 20}, f"{variant}__sum": {"vecruntime": 20 + cost}, f"{variant}__count": {"floor": 33}}
    assert (bar_of(results_with(**cells), "price of deletes").met == 1) == met


def test_bars_without_any_result():
    assert {bar.state for bar in bars.evaluate({})} == {"not measured"}


def test_larger_scale():
    results = sample_results.results()
    bar = bar_of(results, "ten times the rows")
    assert bar.total == 20  # two tables, five queries, time and memory
    assert bar_of({"sf1-double": results["sf1-double"]}, "ten times the rows").state == "not measured"


def test_questions_name_what_they_read(tmp_path):
    metadata = tmp_path / "warehouse" / "lineitem" / "eq_10" / "metadata"
    metadata.mkdir(parents=True)
    for version in (2, 10):
        (metadata / f"v{version}.metadata.json").touch()
    question = tables.TableSet(1, "double", tmp_path).question("eq_10", "q6")
    assert question.metadata.endswith("v10.metadata.json")
    assert question.columns == ("l_shipdate", "l_discount", "l_quantity", "l_extendedprice", "l_orderkey")
    assert question.where.startswith("l_shipdate >= DATE '1994-01-01'") and question.where.endswith("l_quantity < 24")
    assert tables.TableSet(1, "double", tmp_path).question("eq_10", "q1").where == "l_shipdate <= DATE '1998-09-02'"
