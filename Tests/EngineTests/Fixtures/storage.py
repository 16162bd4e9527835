#!/usr/bin/env python3
"""Writes the fixtures of a collection's files: docs/format.md once more, in another language.

usage: storage.py        (needs the package "cryptography"; writes beside itself)

The collection has one shard. Three calls wrote it: record "a"; then, after a checkpoint of nothing,
a group that wrote "b" and deleted "a"; a checkpoint; and record "c", which no checkpoint knows.
"""
import struct
import zlib

from manifests import box, prefixed, varint, write

COLLECTION = b"C" * 16
FILE, BOOT = 0x1122334455667788, 7
DELETED, SEALED, GROUP = 0x10, 0x20, 0x40


def shard_header(born):
    head = b"NYRS" + struct.pack("<IQ", 1, FILE) + COLLECTION + struct.pack("<QQ", born, 0)
    head += bytes(12)
    return head + struct.pack("<I", zlib.crc32(head))


def slot(offset, sequence, payload, flags=0, index=0, count=1, retired=0, key=None):
    if key:
        flags |= SEALED
        data = b"NyaruRec" + COLLECTION + struct.pack("<QIIB7x", sequence, index, count, flags)
        payload = box(key, bytes([sequence]) * 24, payload, data)
    capacity = max(32, -(-len(payload) // 32) * 32)
    place = struct.pack("<QQ", FILE, offset)

    def header(flags, check, crc):
        return struct.pack(
            "<IIBBHIQII", capacity, len(payload), flags, 0, check, crc, sequence, index, count)

    crc = zlib.crc32(place + header(flags, 0, 0) + payload)
    check = zlib.crc32(place + header(flags, 0, crc)) & 0xFFFF
    return header(flags | retired, check, crc) + payload.ljust(capacity, b"\0")


def own(name, body):
    return b"\x00" + varint(0) + bytes(14) + prefixed(name) + body


def head_cell(cell, count, durable, reserved, generation, flags=0):
    data = b"NYRH" + struct.pack(
        "<IQQQQQQI", flags, count, durable, reserved, generation, BOOT, 0, 0)
    place = COLLECTION + struct.pack("<Q", 4096 * cell)
    return data + struct.pack("<I", zlib.crc32(place + data))


def entry(sequence, offset, capacity, length, flags):
    return struct.pack(
        "<QQII", sequence, 0 << 48 | offset // 32, capacity, length | flags >> 1 << 26)


def zigzag(value, base):
    difference = value - base
    return varint(2 * difference if difference >= 0 else -2 * difference - 1)


def packed(*entries):
    """Entries of one shard, 0, of which none has more room than it needs."""
    out, last, end = b"", 0, 0
    for sequence, offset, capacity, length, flags in entries:
        out += bytes([flags >> 1]) + zigzag(sequence, last) + zigzag(offset // 32, end)
        out += varint(length)
        last, end = sequence, (offset + 32 + capacity) // 32
    return out


def run(prefix, *pairs):
    out = varint(len(pairs)) + varint(len(prefix))
    out += b"".join(varint(len(key) - len(prefix)) for key, _ in pairs)
    out += b"".join(varint(handle) for _, handle in pairs)
    return out + prefix + b"".join(key[len(prefix):] for key, _ in pairs)


def checkpoint(generation, chunks, directory, key=None):
    def stored(data, number):
        if not key:
            return data
        place = b"NyaruChk" + COLLECTION + struct.pack("<QQQ", generation, number, 0)
        return box(key, bytes([number & 0xFF]) * 24, data, place)

    body, listed = b"", b""
    for number, (structure, index, first, count, data) in enumerate(chunks):
        data = stored(data, number)
        listed += bytes([structure]) + varint(index) + prefixed(first) + varint(count)
        listed += varint(64 + len(body)) + varint(len(data)) + struct.pack("<I", zlib.crc32(data))
        body += data
    directory = stored(directory + varint(len(chunks)) + listed, (1 << 64) - 1)
    head = b"NYRC" + struct.pack("<IQ", 1, generation) + COLLECTION
    head += struct.pack("<QIII8x", 64 + len(body), len(directory), 1 if key else 0,
                        zlib.crc32(directory))
    return head + struct.pack("<I", zlib.crc32(head)) + body + directory


def collection(suffix, key):
    slots, offset, places = b"", 64, {}
    for sequence, payload, options in [
        (1, own("a", b"\x05\x06\x07"), dict(retired=1)),
        (2, own("b", b"\x09"), dict(flags=GROUP, index=0, count=2)),
        (3, b"\x01" + varint(0) + prefixed("a"), dict(flags=GROUP | DELETED, index=1, count=2)),
        (4, own("c", bytes(range(40))), {}),
    ]:
        data = slot(offset, sequence, payload, key=key, **options)
        length, = struct.unpack_from("<I", data, 4)
        places[sequence] = (offset, len(data) - 32, length, data[8])
        slots += data
        offset += len(data)

    def big(number):
        return struct.pack(">Q", number)

    def slot_entry(sequence):
        return entry(sequence, *places[sequence])

    retired = varint(0) + varint(places[1][0] // 32) + varint(places[1][1] // 32) + varint(1)
    length = places[4][0]
    live = sum(32 + places[sequence][1] for sequence in (2, 3))
    directory = struct.pack("<QQ", 4, 0) + varint(1) + varint(live) + varint(2) + varint(0)
    directory += varint(1) + prefixed("default") + struct.pack("<Q", FILE)
    directory += varint(0) + varint(length) + varint(live)
    directory += varint(1) + prefixed("first")
    # Handle 0 is that of "a", now a deletion marker; handle 1 that of "b".
    table = (0, 0, big(0), 2, slot_entry(3) + slot_entry(2))
    chunks = [
        (7, 0, big(0), 2, packed((3, *places[3]), (2, *places[2]))),
        (1, 0, b"a" + bytes(4), 2, run(b"", (b"a", 0), (b"b", 1))),
        (2, 0, b"\x09" + struct.pack(">I", 1), 1, run(b"\x09", (b"\x09", 1))),
        (3, 0, big(2), 2, varint(2) + varint(1) + varint(1) + varint(0)),
        (4, 0, big(0), 1, retired),
        (6, 0, big(0), 1, retired),
    ]
    write("shard-" + suffix, shard_header(1) + slots)
    write("checkpoint-" + suffix, checkpoint(2, chunks, directory, key))
    # As they were written before there was structure 7.
    write("checkpoint-table-" + suffix, checkpoint(2, [table] + chunks[1:], directory, key))


write("head", head_cell(0, 4, 3, 4098, 2).ljust(4096, b"\0") + head_cell(1, 6, 4, 4098, 2, 2))
collection("clear", None)
collection("sealed", bytes(range(32)))

# A payload that is compressed with the second of two dictionaries.
DICTIONARY = b'{"id":"user-","email":"@example.org","country":"'
BODY = b'{"id":"user-17","email":"ana@example.org","country":"BR"}'
deflate = zlib.compressobj(6, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
prelude = b"\x04" + varint(0) + bytes(14) + prefixed("a") + varint(len(BODY))
write("payload-dictionary", prelude + b"\x02" + deflate.compress(BODY) + deflate.flush())
