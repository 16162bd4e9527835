#!/usr/bin/env python3
"""Prints the step by step vectors of protocol.md: its text once more, in another language.

usage: protocol.py        (needs the package "cryptography")
"""
import hashlib
import hmac
import zlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def prefixed(data):
    return varint(len(data)) + data


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def derive(key, label):
    return mac(mac(bytes(32), key), label.encode() + b"\x01")


def padded(size):
    if size < 2:
        return size
    exponent = size.bit_length() - 1
    mask = (1 << (exponent - exponent.bit_length())) - 1
    return (size + mask) & ~mask


def sealed(key, nonce, plaintext, associated):
    """XAES-256-GCM (c2sp.org/XAES-256-GCM): ciphertext, tag."""
    blocks = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    doubled = int.from_bytes(blocks.update(bytes(16)), "big") << 1
    if doubled >> 128:
        doubled = doubled & ((1 << 128) - 1) ^ 0x87
    subkey = doubled.to_bytes(16, "big")
    message_key = b""
    for counter in (1, 2):
        block = bytes([0, counter, 0x58, 0]) + nonce[:12]
        message_key += blocks.update(bytes(a ^ b for a, b in zip(block, subkey)))
    return AESGCM(message_key).encrypt(nonce[12:], plaintext, associated)


def filled(byte, count=16):
    return bytes([byte]) * count


VAULT_KEY = bytes(range(32))
VAULT = derive(VAULT_KEY, "nyaru/sync/1/vault")[:16]
INDEX = derive(VAULT_KEY, "nyaru/sync/1/index")
BODY = derive(VAULT_KEY, "nyaru/sync/1/body")
COLLECTION = mac(INDEX, b"\x01users")[:16]
CATALOG = mac(INDEX, b"\x03" + COLLECTION)[:16]
A, B, C = filled(0xAA, 8), filled(0xBB, 8), filled(0xCC, 8)
ID = bytes.fromhex("207531")
DOCUMENT = bytes.fromhex("82a26964a27531a361676505")
NONCE = bytes(range(0x40, 0x58))
EPOCH, CHAIN, TICKET, ENDPOINT = filled(0xE0), filled(0xC0), filled(0x70), filled(0xED)


def record_tag(id_key):
    return mac(INDEX, b"\x02" + COLLECTION + id_key)[:16]


def dot(write):
    return write[0] + varint(write[1])


def vector(dots):
    return varint(len(dots)) + b"".join(dot(d) for d in sorted(dots))


def form(dots, standing):
    """What a state tag is the hash of: standing is (dot, tag) pairs."""
    pairs = b"".join(dot(d) + tag for d, tag in sorted(standing))
    return vector(dots) + varint(len(standing)) + pairs


def state_tag(dots, standing):
    return hashlib.sha256(form(dots, standing)).digest()[:8]


class Envelope:
    """entries are (dot, tag, time, format, body), the seen one first."""

    def __init__(self, dots, entries, record=None, id_key=ID, group=None, compress=False):
        self.record = record or record_tag(id_key)
        self.tag = state_tag(dots, [entry[:2] for entry in entries])
        self.flags = bytes([0 if entries else 1])
        self.vector = vector(dots)
        self.header = b"\x01" + self.flags + self.record + self.tag + self.vector
        self.data = b"\x00" if group is None else b"\x01" + group
        self.data += prefixed(id_key) + varint(len(entries))
        for write, tag, time, body_format, body in entries:
            self.data += dot(write) + tag + time.to_bytes(6, "little")
            self.data += bytes([body_format]) + prefixed(body)
        if compress:
            deflater = zlib.compressobj(1, zlib.DEFLATED, -15)
            small = deflater.compress(self.data) + deflater.flush()
            assert len(small) < len(self.data)
            packed = b"\x01" + varint(len(small)) + varint(len(self.data)) + small
        else:
            packed = b"\x00" + prefixed(self.data)
        self.packed = packed + bytes(padded(len(packed)) - len(packed))
        self.associated = b"nyaru/sync/1/envelope" + VAULT + COLLECTION + self.header
        self.sealed = sealed(BODY, NONCE, self.packed, self.associated)
        self.bytes = self.header + NONCE + prefixed(self.sealed)

    def fields(self):
        length = varint(len(self.sealed))
        return [
            (b"\x01" + self.flags, "format, flags"), (self.record, "record tag"),
            (self.tag, "state tag"), (self.vector, "vector"), (NONCE, "nonce"),
            (length, "length"), (self.sealed, "ciphertext, tag"),
        ]


def catalog(name, field):
    body = prefixed(name) + prefixed(field)
    tag = hashlib.sha256(body).digest()[:8]
    author = (bytes(8), 1)
    return Envelope([author], [(author, tag, 0, 0, body)], record=CATALOG, id_key=b"")


TAG1, TAG2 = bytes.fromhex("0102030405060708"), bytes.fromhex("1112131415161718")
TIME = 1_700_000_000_000
WRITTEN = Envelope([(A, 7)], [((A, 7), TAG1, TIME, 0, DOCUMENT)])
DELETED = Envelope([(A, 7), (B, 300)], [])
LONG = b'{"id":"u1","age":6,"note":"' + b"so " * 60 + b'"}'
CONFLICT = Envelope(
    [(A, 7), (B, 300)],
    [((B, 300), TAG2, TIME + 1, 1, LONG), ((A, 7), TAG1, TIME, 0, DOCUMENT)],
    group=bytes.fromhex("00000000000000f0"), compress=True)
CATALOGUE = catalog(b"users", b"id")


def show(name, *fields):
    """Prints a vector: bytes, and what they are."""
    print(f"{name} =")
    for data, what in fields:
        lines = [data[start:start + 24] for start in range(0, len(data), 24)] or [b""]
        for index, line in enumerate(lines):
            text = "  " + line.hex(" ", -4)
            note = f"; {what}" if index == 0 and what else ""
            print(f"{text:<58}{note}".rstrip())


def message(name, *frames):
    """Frames are (type, what, fields); the end is added."""
    body = b"NYS1"
    shown = [(b"NYS1", "magic")]
    for kind, what, fields in frames:
        content = b"".join(data for data, _ in fields)
        start = bytes([kind]) + varint(len(content))
        body += start + content
        shown += [(start, f"{what}, {len(content)} bytes")] + list(fields)
    end = varint(len(frames)) + hashlib.sha256(body).digest()
    shown += [(b"\x00" + varint(len(end)), "end"), (end[:1], "frames"), (end[1:], "SHA-256")]
    show(name, *shown)


def section(title):
    print(f"\n### {title}\n\n```")


def items(*headers):
    total = 0
    for envelope in headers:
        digest = hashlib.sha256(envelope.record + envelope.tag).digest()[:16]
        total += int.from_bytes(digest, "big")
    return (total % (1 << 128)).to_bytes(16, "big")


def merges():
    a1, a2, b1 = (A, 1), (A, 2), (B, 1)
    t1, t2, t3, t4 = filled(1, 8), filled(2, 8), filled(3, 8), filled(4, 8)
    return [
        ("concurrent first writes", ([a1], [(a1, t1)]), ([b1], [(b1, t2)]),
         ([a1, b1], [(a1, t1), (b1, t2)])),
        ("an edit and its ancestor", ([a2], [(a2, t3)]), ([a1], [(a1, t1)]), ([a2], [(a2, t3)])),
        ("a deletion that saw the edit", ([a1, b1], []), ([a1], [(a1, t1)]), ([a1, b1], [])),
        ("a deletion beside an edit", ([a1, b1], []), ([a2], [(a2, t3)]), ([a2, b1], [(a2, t3)])),
        ("a resolved conflict", ([a1, b1], [(a1, t1), (b1, t2)]),
         ([a2, b1], [(a2, t3)]), ([a2, b1], [(a2, t3)])),
        ("a fork, before the dot", ([a1], [(a1, t1)]), ([a1], [(a1, t4)]),
         ([a1], [(a1, t1), (a1, t4)])),
        ("nothing seen in common", ([], []), ([a1], [(a1, t1)]), ([a1], [(a1, t1)])),
    ]


section("Keys and tags")
show("secret", (VAULT_KEY, ""))
show("index key", (INDEX, ""))
show("body key", (BODY, ""))
show("collection users", (COLLECTION, ""))
show("collection é", (mac(INDEX, b"\x01\xc3\xa9")[:16], "one scalar, c3 a9"))
show("catalog of users", (CATALOG, ""))
for name, key in [('"u1"', "207531"), ('"1"', "2031"), ("1", "18bff8")]:
    show(f"record {name} of users", (record_tag(bytes.fromhex(key)), f"id key {key}"))
print("```")

section("Varints")
for number in [0, 1, 127, 128, 300, 16384, 1 << 32, (1 << 64) - 1]:
    print(f"varint {number} = {varint(number).hex(' ')}")
for text in ["8000", "808000", "ffffffffffffffffff02", "80808080808080808080", "ff"]:
    print(f"no varint = {bytes.fromhex(text).hex(' ')}")
print("```")

section("Padded sizes")
sizes = [0, 1, 2, 9, 33, 63, 100, 129, 200, 1000, 1025, 4097, 65_537, 1_000_000, 8_388_609]
for size in sizes:
    print(f"padded {size} = {padded(size)}")
print("```")

section("Merge")
for name, left, right, result in merges():
    show(f"{name}: left", (form(*left), ""))
    show(f"{name}: right", (form(*right), ""))
    show(f"{name}: merged", (form(*result), ""))
print("```")

section("Envelopes")
show("nonce", (NONCE, ""))
show("written: data", (WRITTEN.data, ""))
show("written: packed", (WRITTEN.packed, ""))
show("written: associated data", (WRITTEN.associated, ""))
show("written", *WRITTEN.fields())
show("deleted: data", (DELETED.data, ""))
show("deleted", *DELETED.fields())
show("conflict: data", (CONFLICT.data, ""))
show("conflict", *CONFLICT.fields())
show("catalog: data", (CATALOGUE.data, ""))
show("catalog", *CATALOGUE.fields())
show("root of written, deleted, catalog", (items(WRITTEN, CATALOGUE), ""))
print("```")

section("Messages")
message(
    "session answer",
    (3, "answer", [(b"\x01", "version"), (ENDPOINT, "endpoint"), (varint(TIME), "time"),
                   (varint(10_000), "page count"), (varint(4 << 20), "page size"),
                   (varint(16 << 20), "body size")]),
    (4, "status", [(COLLECTION, "collection"), (EPOCH, "epoch"), (varint(312), "head"),
                   (CHAIN, "chain"), (b"\x01", "flags"), (b"\x07", "pushedThrough"),
                   (b"\x02", "count"), (items(WRITTEN, CATALOGUE), "root")]),
    (4, "status", [(filled(0xCD), "collection"), (EPOCH, "epoch"), (varint(12), "head"),
                   (CHAIN, "chain"), (b"\x06", "flags"), (b"\x00", "pushedThrough"),
                   (b"\x00", "count"), (bytes(16), "root"),
                   (filled(0x6F, 8), "common ticket")]))
message(
    "push request",
    (32, "push", [(COLLECTION, "collection"), (EPOCH, "epoch"), (A, "replica"),
                  (TICKET, "ticket"), (b"\x09", "pushedThrough")]),
    (64, "envelope", CATALOGUE.fields()),
    (64, "envelope", WRITTEN.fields()))
message(
    "push answer",
    (33, "push", [(varint(300), "before"), (varint(312), "through"), (CHAIN, "chain"),
                  (b"\x02", "outcomes"), (b"\x01\x02", "same, covered")]),
    (64, "envelope", DELETED.fields()))
message(
    "fetch answer",
    (49, "fetch", []),
    (0x81, "unknown, skipped", [(b"\x01\x02", "")]),
    (64, "envelope", CATALOGUE.fields()))
print("```")
