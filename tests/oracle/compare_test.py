# SPDX-License-Identifier: Apache-2.0
"""The judge of the oracle: what it must call equal and, above all, what it must not."""
import compare
import vecruntime_cli
from pyspark.sql import types as t

INT_DOUBLE = [t.IntegerType(), t.DoubleType()]


def differs(expected, actual, types, **options):
    return compare.difference(expected, actual, types, **options) is not None


def test_rows_are_a_multiset():
    assert not differs(['{"a":1,"b":1.0}', '{"a":2,"b":2.0}'], ['{"a":2,"b":2.0}', '{"a":1,"b":1.0}'], INT_DOUBLE)
    assert differs(['{"a":1,"b":1.0}'] * 2, ['{"a":1,"b":1.0}'], INT_DOUBLE)
    assert differs(['{"a":1,"b":1.0}', '{"a":2,"b":1.0}'], ['{"a":1,"b":1.0}'] * 2, INT_DOUBLE)


def test_order_counts_when_asked():
    assert differs(['{"a":1}', '{"a":2}'], ['{"a":2}', '{"a":1}'], [t.IntegerType()], ordered=True)


def test_doubles_to_a_relative_tolerance():
    assert not differs(['{"a":1,"b":1000000.0}'], ['{"a":1,"b":1000000.0000001}'], INT_DOUBLE)
    assert differs(['{"a":1,"b":1000000.0}'], ['{"a":1,"b":1000000.01}'], INT_DOUBLE)
    assert differs(['{"a":1,"b":0.0}'], ['{"a":1,"b":1.0E-12}'], INT_DOUBLE)
    assert not differs(['{"a":1,"b":"NaN"}'], ['{"a":1,"b":"NaN"}'], INT_DOUBLE)
    assert differs(['{"a":1,"b":"NaN"}'], ['{"a":1,"b":"Infinity"}'], INT_DOUBLE)
    assert differs(['{"a":1,"b":"NaN"}'], ['{"a":1,"b":null}'], INT_DOUBLE)


def test_rows_that_differ_only_within_the_tolerance_pair_up_in_any_order():
    want = ['{"a":1,"b":0.9999999999999}', '{"a":1,"b":2.0}', '{"a":1,"b":1.0}']
    assert not differs(want, ['{"a":1,"b":1.0}', '{"a":1,"b":1.0000000000001}', '{"a":1,"b":2.0}'], INT_DOUBLE)


def test_decimals_and_integers_are_exact():
    decimal = [t.DecimalType(38, 10)]
    assert differs(['{"a":1.20}'], ['{"a":1.2}'], decimal)
    assert not differs(['{"a":1E-10}'], ['{"a":0.0000000001}'], decimal)
    assert differs(['{"a":12345678901234567890123456789.0}'], ['{"a":12345678901234567890123456788.0}'], decimal)
    assert differs(['{"a":9007199254740993}'], ['{"a":9007199254740992}'], [t.LongType()])
    assert differs(['{"a":1}'], ['{"a":"1"}'], [t.IntegerType()])


def test_names_count_with_their_order_and_duplicates():
    two = [t.IntegerType(), t.IntegerType()]
    assert not differs(['{"a":1,"a":2}'], ['{"a":1,"a":2}'], two)
    assert differs(['{"a":1,"a":2}'], ['{"a":2,"a":1}'], two)
    assert differs(['{"a":1,"b":2}'], ['{"b":2,"a":1}'], two)
    assert differs(['{"a":1}'], ['{"A":1}'], [t.IntegerType()])
    assert differs(['{"a":1,"b":null}'], ['{"a":1}'], two)


def test_nested_values():
    nested = [t.StructType([t.StructField("x", t.IntegerType()), t.StructField("d", t.DoubleType())])]
    assert not differs(['{"s":{"x":1,"d":0.1}}'], ['{"s":{"x":1,"d":0.10000000000000001}}'], nested)
    assert differs(['{"s":{"x":1,"d":null}}'], ['{"s":null}'], nested)
    array = [t.ArrayType(t.IntegerType())]
    assert differs(['{"s":[1,2]}'], ['{"s":[2,1]}'], array)
    assert differs(['{"s":[]}'], ['{"s":null}'], array)
    entries = [t.MapType(t.StringType(), t.IntegerType())]
    assert not differs(['{"m":{"a":1,"b":2}}'], ['{"m":{"b":2,"a":1}}'], entries)
    assert differs(['{"m":{"a":1}}'], ['{"m":{"a":null}}'], entries)


def test_output_of_many_statements():
    answers = vecruntime_cli.parse('{"a":1}\n{"a":2}\n\n\n{"error": {"kind": "NotFound", "message": "no t"}}\n\n{"error":null}\n\n')
    assert [a.lines for a in answers] == [['{"a":1}', '{"a":2}'], [], [], ['{"error":null}']]
    assert answers[2].kind == "NotFound"
