# SPDX-License-Identifier: Apache-2.0
"""Thrift's compact protocol without a schema: a struct is {field id: (wire type, value)}, and writes back to what it was."""
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self):
        n = self.varint()
        return n >> 1 ^ -(n & 1)

    def take(self, count):
        self.at += count
        return bytes(self.data[self.at - count:self.at])

    def value(self, kind):
        if kind in (I16, I32, I64):
            return self.zigzag()
        if kind == BINARY:
            return self.take(self.varint())
        if kind == STRUCT:
            return self.struct()
        if kind in (LIST, SET):
            head = self.byte()
            count = head >> 4 if head >> 4 != 15 else self.varint()
            return head & 15, [self.value(head & 15) for _ in range(count)]
        if kind in (TRUE, FALSE, BYTE):  # an element of a list; a field's boolean is in its type
            return self.byte()
        if kind == DOUBLE:
            return self.take(8)
        raise ValueError(f"wire type {kind}")

    def struct(self):
        out, field_id = {}, 0
        while head := self.byte():
            field_id = field_id + (head >> 4) if head >> 4 else self.zigzag()
            kind = head & 15
            out[field_id] = kind, None if kind in (TRUE, FALSE) else self.value(kind)
        return out


def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def zigzag(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


def encode_value(kind, value):
    if kind in (I16, I32, I64):
        return zigzag(value)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind == STRUCT:
        return encode_struct(value)
    if kind in (LIST, SET):
        of, items = value
        head = bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([0xF0 | of]) + varint(len(items))
        return head + b"".join(encode_value(of, item) for item in items)
    return bytes([value]) if kind in (TRUE, FALSE, BYTE) else value


def encode_struct(fields):
    out, last = b"", 0
    for field_id in sorted(fields):
        kind, value = fields[field_id]
        delta = field_id - last
        out += bytes([delta << 4 | kind]) if delta < 16 else bytes([kind]) + zigzag(field_id)
        out += b"" if kind in (TRUE, FALSE) else encode_value(kind, value)
        last = field_id
    return out + b"\0"
