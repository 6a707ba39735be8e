# SPDX-License-Identifier: Apache-2.0
"""Measures one cell (a table and a query): all engines in turn, round after round, so that drifts of the machine hit all alike."""
import statistics
from dataclasses import dataclass

from bench.mor import answers

SLOW_MS = 1000       # an engine slower than this is measured SLOW_RUNS times only
SLOW_RUNS = 3
VERY_SLOW_MS = 5000  # and one slower than this is not warmed up more than once


@dataclass(frozen=True)
class Plan:
    warm: int = 5
    runs: int = 10


def measure(engines, question, plan, reference, exact_digits):
    """{engine key: result}; a result has ms, min_ms, max_ms, first_ms, runs and facts, or a reason why it has none.

    `reference`: rows every answer is held against, or None: then those of the first engine that answers.
    """
    taken = {engine.key: [] for engine in engines}
    reasons, facts, differences = {}, {}, {}
    for _ in range(plan.warm + plan.runs):
        for engine in engines:
            times = taken[engine.key]
            if engine.key in reasons or is_done(times, plan.warm):
                continue
            answer = engine.ask(question)
            if answer.reason:
                reasons[engine.key] = answer.reason
                continue
            times.append(answer.ms)
            merge_facts(facts.setdefault(engine.key, {}), answer.facts)
            if answer.rows is None:
                continue
            reference = reference or answer.rows
            if text := answers.difference(reference, answer.rows, exact_digits):
                differences[engine.key] = text
    results = {key: {"reason": reasons[key]} if key in reasons else summary(times, plan, facts[key])
               for key, times in taken.items()}
    for key, text in differences.items():
        results[key]["differs"] = text
    return results


def is_done(times, warm):
    fastest = min(times, default=0)
    if fastest > VERY_SLOW_MS:
        return len(times) > SLOW_RUNS
    return fastest > SLOW_MS and len(times) >= warm + SLOW_RUNS


def merge_facts(known, new):
    """Phases of every run; the highest of the memory peaks; the last of everything else."""
    for key, value in new.items():
        if key == "phases":
            known.setdefault(key, []).append(value)
        elif key == "peak_bytes":
            known[key] = max(value, known.get(key, 0))
        else:
            known[key] = value


def summary(times, plan, facts):
    measured = times[plan.warm:] if len(times) > plan.warm else times[1:] or times
    result = {"ms": statistics.median(measured), "min_ms": min(measured), "max_ms": max(measured), "first_ms": times[0],
              "runs": len(measured)}
    if phases := facts.pop("phases", None):
        phases = phases[-len(measured):]
        result["phases"] = {name: round(statistics.median(p.get(name, 0) for p in phases), 3) for name in phases[-1]}
    return {k: round(v, 3) if isinstance(v, float) else v for k, v in (result | facts).items()}
