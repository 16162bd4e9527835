#!/usr/bin/env python3
"""Writes the manifests' fixtures: docs/format.md once more, in another language.

usage: manifests.py        (needs the package "cryptography"; writes beside itself)
"""
import hashlib
import hmac
import pathlib
import struct
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
    data = data.encode() if isinstance(data, str) else data
    return varint(len(data)) + data


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def derive(key, label):
    return mac(mac(bytes(32), key), label.encode() + b"\x01")


def box(key, nonce, plaintext, associated):
    """XAES-256-GCM (c2sp.org/XAES-256-GCM): nonce, ciphertext, tag."""
    blocks = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    doubled = int.from_bytes(blocks.update(bytes(16)), "big") << 1
    subkey = (doubled ^ 0x87 if doubled >> 128 else doubled) & (1 << 128) - 1
    message_key = b""
    for counter in (1, 2):
        block = bytes([0, counter, 0x58, 0]) + nonce[:12]
        masked = int.from_bytes(block, "big") ^ subkey
        message_key += blocks.update(masked.to_bytes(16, "big"))
    return nonce + AESGCM(message_key).encrypt(nonce[12:], plaintext, associated)


def frame(magic, body):
    head = magic + struct.pack("<II", 1, len(body))
    return head + struct.pack("<I", zlib.crc32(head + body)) + body


def database(protection, vault_key, authentication):
    body = bytes(range(16))                                      # databaseID
    body += b"\x01"                                              # reidentification pending
    body += struct.pack("<QqI", 0x1122334455667788, -2, 999_999_999)  # LOCK
    body += b"\x01\x01"                                          # JSON, gzip
    body += varint(2) + b"replica1" + b"replica2"
    body += varint(2) + prefixed("%") + struct.pack("<Q", 7)
    body += prefixed("+users") + struct.pack("<Q", 2**64 - 1)
    body += protection
    body += b"\x01" + b"V" * 16 + prefixed(vault_key)
    if authentication:
        body += mac(authentication, body)
    return frame(b"NYDB", body)


def collection(name, key, file_name, dictionaries=()):
    content = b"C" * 16 + struct.pack("<Q", 1_750_000_000_000) + b"\x00\x01"
    content += prefixed(name) + prefixed("id") + b"\x01" + prefixed("region")
    content += varint(2) + prefixed("email") + prefixed("address.city")
    if dictionaries:
        content += varint(len(dictionaries)) + b"".join(map(prefixed, dictionaries))
    if key is None:
        return frame(b"NYCM", b"\x00" + content)
    associated = b"nyaru collection manifest\x00" + file_name.encode()
    return frame(b"NYCM", b"\x01" + box(key, b"n" * 24, content, associated))


def write(name, data):
    text = data.hex()
    lines = [text[start:start + 64] for start in range(0, len(text), 64)]
    path = pathlib.Path(__file__).with_name(name + ".hex")
    path.write_text("\n".join(lines) + "\n")


user_key = bytes(range(32))
data_key = b"D" * 32
vault_key = b"K" * 32

write("database-clear", database(b"\x00", vault_key, None))
header = b"\x01" + prefixed(b"S" * 16)
wrapped = box(derive(user_key, "nyaru wrap"), b"w" * 24, data_key, header)
write("database-key", database(
    header + mac(derive(user_key, "nyaru check"), header) + wrapped,
    box(derive(data_key, "nyaru vault"), b"v" * 24, vault_key, b"V" * 16),
    derive(data_key, "nyaru authentication")))

password_key = hashlib.scrypt(
    b"correct horse", salt=b"P" * 16, n=2**17, r=8, p=1, maxmem=256 << 20, dklen=32)
header = b"\x02\x11\x08\x01" + prefixed(b"P" * 16)
wrapped = box(derive(password_key, "nyaru wrap"), b"w" * 24, data_key, header)
write("database-password", database(
    header + mac(derive(password_key, "nyaru check"), header) + wrapped,
    box(derive(data_key, "nyaru vault"), b"v" * 24, vault_key, b"V" * 16),
    derive(data_key, "nyaru authentication")))

NAME = "Users/\u00e9 \U0001F408"
write("collection-clear", collection(NAME, None, None))
hidden = "h" + mac(derive(data_key, "nyaru names"), b"collection\x00" + NAME.encode())[:16].hex()
write("collection-sealed", collection(NAME, derive(data_key, "nyaru manifests"), hidden))
write("collection-dictionaries", collection(NAME, None, None, [b"first", bytes(range(100))]))
