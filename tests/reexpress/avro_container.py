# SPDX-License-Identifier: Apache-2.0
"""Avro container files as they are: header keys, schema, and records with logical types left raw (a date is a number, a
decimal bytes), so that a record can be written again without loss."""
import copy
import dataclasses
import io
import json
import struct
import zlib

import fastavro
import pyarrow as pa

from tests.fixtures.builder.avro_file import avro_bytes

HEADER = {"type": "map", "values": "bytes"}


@dataclasses.dataclass
class Container:
    schema: dict  # as written, logical types and field ids included
    header: dict  # the other header keys, as text
    codec: str
    records: list

    def to_bytes(self):
        return avro_bytes(self.schema, self.records, self.header, self.codec)


def inflate(codec, block):
    if codec == "null":
        return block
    if codec == "deflate":
        return zlib.decompress(block, -15)
    if codec == "snappy":
        body = block[:-4]
        size, shift = 0, 0
        for byte in body:
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        return pa.Codec("snappy").decompress(body, size, asbytes=True)
    if codec == "zstandard":
        return pa.CompressedInputStream(io.BytesIO(block), "zstd").read()
    raise ValueError(f"codec {codec}")


def without_logical_types(schema):
    if isinstance(schema, dict):
        return {k: without_logical_types(v) for k, v in schema.items() if k != "logicalType"}
    return [without_logical_types(s) for s in schema] if isinstance(schema, list) else schema


def read_container(content):
    stream = io.BytesIO(content)
    if stream.read(4) != b"Obj\x01":
        raise ValueError("not an Avro container")
    header = {k: v.decode() for k, v in fastavro.schemaless_reader(stream, HEADER, None).items()}
    sync = stream.read(16)
    schema, codec = json.loads(header.pop("avro.schema")), header.pop("avro.codec", "null")
    raw = fastavro.parse_schema(without_logical_types(copy.deepcopy(schema)))
    records = []
    while stream.tell() < len(content):
        count = fastavro.schemaless_reader(stream, "long", None)
        block = io.BytesIO(inflate(codec, stream.read(fastavro.schemaless_reader(stream, "long", None))))
        records += [fastavro.schemaless_reader(block, raw, None) for _ in range(count)]
        if stream.read(16) != sync:
            raise ValueError("sync marker lost")
    return Container(schema, header, codec, records)


def read_roaring64(data):
    """The positions of a portable 64-bit Roaring bitmap; whatever is odd about it raises."""
    stream, out = io.BytesIO(data), []
    def take(pattern):
        return struct.unpack(pattern, stream.read(struct.calcsize(pattern)))
    last_high = -1
    for _ in range(take("<Q")[0]):
        high, = take("<I")
        if high <= last_high:
            raise ValueError("keys of a 64-bit bitmap out of order")
        last_high = high
        out += [high << 32 | low for low in read_roaring32(take)]
    if stream.read(1):
        raise ValueError("bytes after a bitmap")
    return out


def read_roaring32(take):
    cookie, = take("<I")
    runs = cookie & 0xFFFF == 12347
    if not runs and cookie != 12346:
        raise ValueError("cookie of a bitmap")
    count = (cookie >> 16) + 1 if runs else take("<I")[0]
    flags = take(f"<{(count + 7) // 8}B") if runs else ()
    keys = [take("<HH") for _ in range(count)]
    if not runs or count >= 4:
        take(f"<{count}I")
    out = []
    for i, (key, last) in enumerate(keys):
        if runs and flags[i >> 3] >> (i & 7) & 1:
            pairs = [take("<HH") for _ in range(take("<H")[0])]
            low = [v for start, more in pairs for v in range(start, start + more + 1)]
        elif last + 1 <= 4096:
            low = take(f"<{last + 1}H")
        else:
            low = [64 * i + bit for i, word in enumerate(take("<1024Q")) for bit in range(64) if word >> bit & 1]
        out += [key << 16 | v for v in low]
    return out
