# SPDX-License-Identifier: Apache-2.0
"""Whether two engines gave the same rows: a multiset; numbers to a relative 1e-9, or to the last digit that both show."""
import decimal
import math

TOLERANCE = 1e-9


def difference(expected, actual, exact_digits=False):
    """None when equal, else what differs. `exact_digits`: the numbers are decimals, which engines round to scales of their own."""
    want, have = sorted(expected, key=row_key), sorted(actual, key=row_key)
    if len(want) != len(have):
        return f"{len(have)} rows instead of {len(want)}"
    for a, b in zip(want, have):
        if len(a) != len(b):
            return f"{len(b)} columns instead of {len(a)}"
        for x, y in zip(a, b):
            if not same(x, y, exact_digits):
                return f"{y} instead of {x}"
    return None


def row_key(row):
    """Texts first: in every answer here they tell the rows apart."""
    numbers = [number(v) for v in row]
    return ([v or "" for v, n in zip(row, numbers) if n is None], [float(n) for n in numbers if n is not None])


def same(a, b, exact_digits):
    x, y = number(a), number(b)
    if x is None or y is None:
        return a == b
    if math.isclose(float(x), float(y), rel_tol=TOLERANCE, abs_tol=0):
        return True
    # An average of decimals has six digits in Spark and sixteen elsewhere.
    return exact_digits and abs(x - y) <= decimal.Decimal(1).scaleb(max(last_digit(x), last_digit(y)))


def last_digit(value):
    return value.as_tuple().exponent


def number(text):
    if text is None:
        return None
    try:
        value = decimal.Decimal(text)
    except decimal.InvalidOperation:
        return None
    return value if value.is_finite() else None
