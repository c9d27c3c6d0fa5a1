#!/usr/bin/env python3
"""read_matrices.py FILE: checks a file of matrices (src/part/mod.rs) and prints its canonical afterstates, sorted.

It shows how to read the file, without NumPy: seconds for a hundred thousand afterstates."""
import failure, functools, itertools, struct, sys, zlib, zstandard

# Cells of each quad: the corner, its neighbours in the outer and in the inner row, and the cell in the middle.
CORNERS = (0, 1, 4, 5), (3, 2, 7, 6), (12, 13, 8, 9), (15, 14, 11, 10)
LEFT, MOVED, OTHER, FULL = range(4)  # Parts of the columns; the last three are the range `both`.


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{path}: {what}: found {found}, expected {expected}")


def mix(x):
    z = (x + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


@functools.cache
def transpose(quad):
    corner, outer, inner, middle = quad
    return corner, inner, outer, middle


def rank(quad):
    """The place of a quad among the quads of its weight."""
    twin = transpose(quad)
    return (1, quad) if 0 in quad else (0, (quad > twin) - (quad < twin), min(quad, twin))


def is_moved(row):
    pairs = list(zip(row, row[1:]))
    equal = [a for a, b in pairs if a == b > 0]
    return all(a or not b for a, b in pairs) and (not equal or 0 in row and 1 not in equal)


def group(outer, inner):
    """The part of the columns and the kind of a half. None if it is no column."""
    moved, columns = is_moved(outer) and is_moved(inner), list(zip(outer, inner))
    short = 0 in outer + inner and all(a or not b for a, b in columns)
    hollow = (0, 0) in columns and all(b or not a for a, b in columns)
    kind = [(True, False), (True, True), (False, True), (False, False)].index((short, hollow))
    if any(0 in row and any(row) for row in (outer, inner)):
        return (LEFT, kind) if moved else None
    return (MOVED if moved else OTHER, kind) if 0 in outer + inner else (FULL, kind)


def halves(weight):
    """The halves of a weight that are rows, and those that are columns, as pairs of quads. None is padding."""
    found = []
    for rest in sorted(quads):
        for right, left in itertools.product(quads[rest], quads.get(weight - rest, [])):
            place = group((*left[:2], right[1], right[0]), (*left[2:], right[3], right[2]))
            if place:
                found.append((place, (left, right)))
    found.sort(key=lambda half: half[0])
    rows, left, both = ([half for (part, _), half in found if part in parts] for parts in
                        ((LEFT, MOVED), (LEFT,), (MOVED, OTHER, FULL)))
    return rows, [half for side in (left, both) for half in side + [None] * (-len(side) % 512)]


def ones(byte):
    return [bit for bit in range(8) if byte >> bit & 1]


def boards(packed, rows, columns):
    """The halves of the board of each bit of a matrix."""
    lines, end = len(columns) // 512, (len(rows) + 7) // 8
    row, mask, rest = bytearray(64 * lines), int.from_bytes(packed[:end], "little"), iter(packed[end:])

    def differing(what):
        """The next byte, which is not 0."""
        byte = next(rest, None)
        check(what, byte in (None, 0), False)
        return byte

    check("bits of the mask after the last row", mask >> len(rows), 0)
    check("a matrix without bits", mask == 0, False)
    for top in (half for number, half in enumerate(rows) if mask >> number & 1):
        for line in range(lines):
            words = next(rest, None)
            check("a row that is cut", words is None, False)
            of_words = [(word, differing("a word that differs in no byte")) for word in ones(words)]
            for word, byte in ((word, byte) for word, bytes in of_words for byte in ones(bytes)):
                row[64 * line + 8 * word + byte] ^= differing("a byte that differs in no bit")
        check("a row of the mask without bits", any(row), True)
        for place in (8 * byte + bit for byte, bits in enumerate(row) if bits for bit in ones(bits)):
            check("a bit in the padding", columns[place] is None, False)
            yield top, columns[place]
    check("bytes after the last row", len(list(rest)), 0)


@functools.cache
def digits(quad, cells):
    return sum(exponent << 60 - 4 * cell for exponent, cell in zip(quad, cells))


def canonical(top, bottom):
    """The least of the images of a board: the quads trade corners, and all of them are transposed or none."""
    (a, b), (c, d) = top, bottom
    images = [(a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a)]
    images += [map(transpose, (a, c, b, d)) for a, b, c, d in images]
    return min(sum(map(digits, image, CORNERS)) for image in images)


data = open(path := sys.argv[1], "rb").read()
magic, version, *label, win, layer, most, size, length, header_crc = struct.unpack("<8sI4B3IQI", data[:40])
count, blocks, total, index_crc, footer_crc, end = struct.unpack("<3Q2I8s", data[-40:])
check("magics, version", (magic, version, end), (b"enum48pt", 1, b"enum48/."))
index, place, before, prints, found = data[length - 40 - 16 * blocks : -40], 40, -1, 0, set()
crcs = len(data), *map(zlib.crc32, (data[:36], data[-40:-12], index))
check("length, crcs of header, footer, index", crcs, (length, header_crc, footer_crc, index_crc))
check("kind, rows, cols, max, block size", (*label, most, size), (3, 4, 4, 65536, 1))
quads = {}
for quad in sorted(itertools.product(range(win), repeat=4), key=rank):
    quads.setdefault(sum(1 << exponent >> 1 for exponent in quad), []).append(quad)
for entry in struct.iter_unpack("<2Q", index):
    first, number, stored, crc = struct.unpack("<Q3I", data[place : place + 20])
    payload = data[place + 20 : place + 20 + stored]
    check("block crc", zlib.crc32(data[place : place + 16] + payload), crc)
    check("index, count, order", (*entry, number, first > before), (place, first, 1, True))
    rows, columns = halves(first)[0], halves(layer // 2 - first)[1]
    shape = 1, len(rows), len(columns) // 512
    check("order, rows, lines", struct.unpack("<3I", payload[:12]), shape)
    most = (len(rows) + 7) // 8 + 73 * shape[1] * shape[2]
    packed = zstandard.ZstdDecompressor().decompress(payload[12:], most, allow_extra_data=False)
    found.update(itertools.starmap(canonical, boards(packed, rows, columns)))
    place, before, prints = place + 20 + stored, first, prints + mix(2**32 * first + zlib.crc32(payload[:12] + packed))
check("count, end, fingerprint", (count, place, prints % 2**64), (blocks, length - 40 - len(index), total))
print(*(f"{board:016x}" for board in sorted(found)), sep="\n")
