# SPDX-License-Identifier: Apache-2.0
"""Compares two answers: floating-point columns to a relative 1e-9, everything else exactly, rows as a multiset.

Rows are JSON objects in the text form of Spark's to_json; `types` are the Spark types of the columns. Column names and
their order count, duplicates included.
"""
import decimal
import json
import math

TOLERANCE = 1e-9


class Pairs(list):
    """A JSON object with its order and its duplicate names."""


def parse_row(line):
    # Decimals keep their scale: 1.20 is not 1.2, while 1E-10 and 0.0000000001 are the same.
    return json.loads(line, object_pairs_hook=Pairs, parse_float=decimal.Decimal, parse_int=decimal.Decimal)


def typed(value, kind):
    """The comparable form of a parsed value of a Spark type (pyspark.sql.types)."""
    if value is None:
        return None
    name = kind.typeName()
    if name in ("double", "float"):
        number = float(value)
        return number if not math.isnan(number) else "NaN"
    if name == "decimal":
        return value.as_tuple() if isinstance(value, decimal.Decimal) else ("not a number", value)
    if name == "struct":
        inner = {f.name: f.dataType for f in kind.fields}
        return tuple((k, typed(v, inner[k]) if k in inner else repr(v)) for k, v in value)
    if name == "array":
        return tuple(typed(v, kind.elementType) for v in value)
    if name == "map":
        # A map has no order of its own in Spark's answers; keys are unique.
        return tuple(sorted(((k, typed(v, kind.valueType)) for k, v in value), key=lambda entry: entry[0]))
    if isinstance(value, decimal.Decimal):
        return value.as_tuple()
    return value


def row(line, types):
    """(column name, comparable value) pairs of one JSON line."""
    pairs = parse_row(line)
    if len(pairs) != len(types):
        return tuple((k, repr(v)) for k, v in pairs)
    return tuple((k, typed(v, kind)) for (k, v), kind in zip(pairs, types))


def close(a, b):
    """Equal, or floating-point numbers within the tolerance at the same place."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=0.0)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


def sort_key(value):
    """Total order in which rows that differ only within the tolerance come next to each other in all but freak cases."""
    if isinstance(value, tuple):
        return (5, tuple(sort_key(v) for v in value))
    if isinstance(value, float):
        return (3, value if math.isinf(value) else float(f"{value:.7g}") + 0.0)
    return (0,) if value is None else (1, str(type(value)), repr(value))


def difference(expected, actual, types, ordered=False):
    """None when equal, else a short text with the first rows that differ."""
    want = [row(line, types) for line in expected]
    have = [row(line, types) for line in actual]
    if not ordered:
        # Exact columns first: floats decide the order only among rows that agree in all else.
        want.sort(key=exact_first)
        have.sort(key=exact_first)
    if len(want) == len(have) and all(close(a, b) for a, b in zip(want, have)):
        return None
    if not ordered and len(want) == len(have) and matches_somehow(want, have):
        return None
    missing, extra = unmatched(want, have)
    lines = [f"{len(want)} rows expected, {len(have)} rows answered"]
    if not missing and not extra:
        lines.append("same rows in another order")
    lines += [f"  missing: {show(r)}" for r in missing[:5]] + [f"  extra:   {show(r)}" for r in extra[:5]]
    return "\n".join(lines)


def exact_first(pairs):
    exact = tuple(sort_key(v) for _, v in pairs if not has_float(v))
    return (exact, tuple(sort_key(v) for _, v in pairs if has_float(v)))


def has_float(value):
    return isinstance(value, float) or isinstance(value, tuple) and any(has_float(v) for v in value)


def unmatched(want, have):
    """Rows of each side without a partner on the other, greedily."""
    rest, missing = list(have), []
    for a in want:
        for i, b in enumerate(rest):
            if close(a, b):
                del rest[i]
                break
        else:
            missing.append(a)
    return missing, rest


def matches_somehow(want, have):
    """Covers sums on both sides of a rounding step of the sort key; quadratic, so only for modest answers."""
    if len(want) > 2000:
        return False
    missing, extra = unmatched(want, have)
    return not missing and not extra


def show(pairs):
    def plain(value):
        if isinstance(value, decimal.DecimalTuple):
            return str(decimal.Decimal(value))
        if isinstance(value, tuple):
            return "[" + ", ".join(plain(v) for v in value) + "]"
        return json.dumps(value, ensure_ascii=False) if not isinstance(value, float) else repr(value)
    return "{" + ", ".join(f"{k}: {plain(v)}" for k, v in pairs) + "}"
