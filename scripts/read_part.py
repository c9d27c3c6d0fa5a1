#!/usr/bin/env python3
"""read_part.py FILE [--states]: checks a part file (src/part/mod.rs) and prints it as JSON; --states adds its states."""
import failure, json, struct, sys, zlib, zstandard

def check(what, found, expected):
    if found != expected:
        sys.exit(f"{path}: {what}: found {found}, expected {expected}")

def mix(x):
    z = (x + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31

data = open(path := sys.argv[1], "rb").read()
magic, version, *label, size, length, header_crc = struct.unpack("<8sI4B3IQI", data[:40])
count, blocks, total, index_crc, footer_crc, end = struct.unpack("<3Q2I8s", data[-40:])
check("magics, version, kind", (magic, version, end, label[0] < 2), (b"enum48pt", 1, b"enum48/.", True))
index, place, states, delta, shift = data[length - 40 - 16 * blocks : -40], 40, [], 0, 0
found = (len(data), *map(zlib.crc32, (data[:36], data[-40:-12], index)))
check("length, crcs of header, footer, index", found, (length, header_crc, footer_crc, index_crc))
for entry in struct.iter_unpack("<2Q", index):
    first, number, stored, crc = struct.unpack("<Q3I", data[place : place + 20])
    payload = data[place + 20 : place + 20 + stored]
    check("block crc", zlib.crc32(data[place : place + 16] + payload), crc)
    check("index, count", (*entry, number), (place, first, min(size, count - len(states))))
    place += 20 + stored
    states.append(first)
    for byte in zstandard.ZstdDecompressor().decompress(payload, 10 * number):
        delta, shift = delta | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:  # the last byte of a delta
            states.append(states[-1] + delta)
            delta = shift = 0
check("states, order", (len(states), states == sorted(set(states)), shift), (count, True, 0))
check("end, fingerprint", (place, sum(map(mix, states)) % 2**64), (length - 40 - len(index), total))
names = "kind rows cols win sum max states fingerprint first last".split()
total, *hexes = (f"{x:016x}" for x in [total, *states])
fields = dict(zip(names, [*label, count, total, *hexes[:1], *hexes[-1:]]))
print(json.dumps(fields), *hexes * ("--states" in sys.argv), sep="\n")
