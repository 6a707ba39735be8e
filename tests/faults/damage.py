# SPDX-License-Identifier: Apache-2.0
"""Ways to damage one file, and which bytes of a file some checksum or structure protects."""
import dataclasses
import random
import struct

from tests.reexpress.thrift_compact import Reader

MISSING, DIRECTORY = "missing", "a directory"


@dataclasses.dataclass
class Damage:
    name: str
    content: object  # bytes, MISSING or DIRECTORY
    must_fail: bool  # False: the undamaged answer is right too
    provable: bool  # False: nothing in the file can tell, so another answer is allowed (never a dead row)


def structural(content, kind):
    """Missing, replaced, cut short, or with bytes after its end."""
    yield Damage("missing", MISSING, True, True)
    yield Damage("a directory", DIRECTORY, True, True)
    for size in sorted({0, 1, len(content) // 2, len(content) - 8, len(content) - 1}):
        # A vector is found by its place in the manifest: a reader need not look at the footer behind it.
        yield Damage(f"cut to {size} of {len(content)}", content[:size], kind != "puffin" or size < 2, True)
    if kind.startswith("manifest"):
        end = header_end(content)
        yield Damage(f"cut to its header, {end} of {len(content)}", content[:end], True, True)
    for junk in (b"\0" * 64, bytes(range(7, 40)), b"junk"):
        yield Damage(f"{len(junk)} bytes appended", content + junk, False, True)


def zeroed(content, kind, seed):
    rng, spans = random.Random(f"zero {seed}"), protected_spans(content, kind)
    for size in (4, 32, 256):
        at = rng.randrange(max(1, len(content) - size))
        end = min(at + size, len(content))
        yield Damage(f"zeroed {at} to {end}", content[:at] + bytes(end - at) + content[end:], False,
                     any(s <= at and end <= e for s, e in spans))


def lengths(content, kind, seed):
    """A varint of 4 Gi written over or put between bytes, where a length may stand; half of them near the end, where footers are."""
    rng, huge = random.Random(f"length {seed}"), b"\xff\xff\xff\xff\x0f"
    for i in range(8):
        at = rng.randrange(len(content) // 2 * (i % 2), len(content))
        rest = content[at + len(huge) * (i // 4):]
        yield Damage(f"a length of 4 Gi at {at}", content[:at] + huge + rest, False, False)


def flips(content, kind, seed, count):
    """Half of the flips fall anywhere, half on protected bytes."""
    rng, spans = random.Random(f"flip {seed}"), protected_spans(content, kind)
    for i in range(count):
        at = rng.randrange(len(content))
        if i % 2 and spans:
            at = rng.randrange(*rng.choice(spans))
        bit = rng.randrange(8)
        flipped = content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1:]
        yield Damage(f"bit {bit} of byte {at} flipped", flipped, False, any(s <= at < e for s, e in spans))


def protected_spans(content, kind):
    if kind == "metadata":
        return [(18, len(content))] if content[:2] == b"\x1f\x8b" else []
    if kind.startswith("manifest"):
        return avro_spans(content)
    if kind == "puffin":
        return puffin_spans(content)
    return page_spans(content)


def header_end(content):
    """Avro: the header ends with the first of the sync markers, all of which are equal."""
    return content.index(content[-16:]) + 16


def avro_spans(content):
    """Blocks of the snappy codec end with a CRC."""
    return [(header_end(content), len(content))] if b"snappy" in content[:header_end(content)] else []


def puffin_spans(content):
    """Length, magic, bitmap and CRC of each vector, which lie from byte 4 to the footer's magic."""
    footer, = struct.unpack("<i", content[-12:-8])
    return [(4, len(content) - 12 - footer - 4)]


def page_spans(content):
    """The bodies of Parquet pages that have a CRC."""
    footer, = struct.unpack("<i", content[-8:-4])
    metadata, out = Reader(content, len(content) - 8 - footer).struct(), []
    for group in metadata[4][1][1]:
        for chunk in group[1][1][1]:
            meta = chunk[3][1]
            at = min(meta[k][1] for k in (9, 11) if k in meta)
            end = at + meta[7][1]
            while at < end:
                reader = Reader(content, at)
                header = reader.struct()
                if 4 in header:
                    out.append((reader.at, reader.at + header[3][1]))
                at = reader.at + header[3][1]
    return out
