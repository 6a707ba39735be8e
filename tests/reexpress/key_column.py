# SPDX-License-Identifier: Apache-2.0
"""Adds a column of numbers to a Parquet file by surgery: the bytes of the other columns stay as they are, whatever
encoding they have; the new pages follow them, and the footer learns of one more leaf of the root."""
import struct

from tests.reexpress.thrift_compact import BINARY, I32, I64, LIST, STRUCT, Reader, encode_struct

ROWS_PER_PAGE = 1000
INT64, REQUIRED, PLAIN, RLE, UNCOMPRESSED, DATA_PAGE = 2, 0, 0, 3, 0, 0


def add_key_column(content, name, field_id, first_key):
    """Row n gets first_key + n. `field_id` None: the column carries no id."""
    footer_size, = struct.unpack("<i", content[-8:-4])
    body = bytearray(content[:-8 - footer_size])
    footer = Reader(content, len(content) - 8 - footer_size).struct()
    elements = footer[2][1][1]
    elements[0][5] = I32, elements[0].get(5, (I32, 0))[1] + 1
    element = {1: (I32, INT64), 3: (I32, REQUIRED), 4: (BINARY, name.encode())}
    if field_id is not None:
        element[9] = I32, field_id
    elements.append(element)
    for group in footer[4][1][1]:
        rows = group[3][1]
        chunk = column_chunk(body, name, range(first_key, first_key + rows))
        first_key += rows
        group[1][1][1].append(chunk)
        added = chunk[3][1][7][1]
        for total in (2, 6):
            if total in group:
                group[total] = I64, group[total][1] + added
    if 7 in footer:  # ColumnOrder.TYPE_ORDER for the new leaf
        footer[7][1][1].append({1: (STRUCT, {})})
    encoded = encode_struct(footer)
    return bytes(body) + encoded + struct.pack("<i", len(encoded)) + b"PAR1"


def column_chunk(body, name, keys):
    start = len(body)
    for first in range(0, max(len(keys), 1), ROWS_PER_PAGE):
        values = keys[first:first + ROWS_PER_PAGE]
        page = struct.pack(f"<{len(values)}q", *values)
        body += encode_struct({
            1: (I32, DATA_PAGE), 2: (I32, len(page)), 3: (I32, len(page)),
            5: (STRUCT, {1: (I32, len(values)), 2: (I32, PLAIN), 3: (I32, RLE), 4: (I32, RLE)})}) + page
    size = len(body) - start
    return {2: (I64, start), 3: (STRUCT, {
        1: (I32, INT64), 2: (LIST, (I32, [PLAIN, RLE])), 3: (LIST, (BINARY, [name.encode()])), 4: (I32, UNCOMPRESSED),
        5: (I64, len(keys)), 6: (I64, size), 7: (I64, size), 9: (I64, start)})}
