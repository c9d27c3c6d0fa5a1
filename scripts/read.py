#!/usr/bin/env python3
"""read.py FILE [--boards | AFTERSTATES]: checks a file of a run and prints its header as JSON.

It is written from the description of the files (src/part/mod.rs) alone. FILE holds states or afterstates, matrices, or
values. With --boards it prints the boards too, sorted: of matrices, the canonical afterstates. A file of values needs the
file of its AFTERSTATES, and gives a line board,value,expected for each afterstate: the stored number, and the expectation
from the board on. For a score, the expectation is less than the stored number.

Parts take some 15 seconds for a hundred million boards, values seconds more, matrices seconds for a hundred thousand. From
Python, part(path) and matrices(path) return the fields of the header and the boards, an array of uint64. values(path)
returns the fields and an array of floats; values(path, afterstates) also returns the boards. expected(fields, values,
boards) returns the expectations."""
if __name__ == "__main__":
    import failure
import functools, itertools, json, struct, sys, zlib
import numpy, zstandard

# Only version 2 has stones, and only some games locks: the last three.
LABEL = "kind rows cols win sum max stones masks targets horizon".split()
OBJECTIVES = {0: "score", 1: "moves"}  # all others are tiles, or tiles to be forced
FORCED = 1 << 31


def check(path, what, found, expected):
    if found != expected:
        sys.exit(f"{path}: {what}: found {found}, expected {expected}")


def mix(x):
    """The first output of SplitMix64 seeded with each x; uint64 wraps by itself."""
    z = x + numpy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
    return z ^ z >> numpy.uint64(31)


def blocks(path, kinds, begin):
    """Check a file, except the contents of its blocks. Return its bytes, the numbers of its header, its count of boards,
    values or matrices, their fingerprint, and the first board, count and payload of each block. Block 0 is at begin, or
    16 bytes later if the game has locks."""
    data = open(path, "rb").read()
    magic, version, *label, size, length, header_crc = struct.unpack("<8sI4B3IQI", data[:40])
    count, number, total, index_crc, footer_crc, end = struct.unpack("<3Q2I8s", data[-40:])
    found = (magic, version in (1, 2), end, label[0] in kinds)
    check(path, "magics, version, kind", found, (b"enum48pt", True, b"enum48/.", True))
    if version == 2:
        kind, sides, stones, *rest = label
        label = [kind, sides >> 4, sides & 15, *rest, stones & 127]
        if stones & 128:
            *cells, horizon, crc = struct.unpack("<4H2I", data[40:56])
            check(path, "crc about locks", zlib.crc32(data[40:52]), crc)
            *masks, targets = (f"{cell:b}".replace("1", "f") for cell in cells)
            label += ["_".join(mask for mask in masks if mask != "0"), targets, horizon]
            begin += 16
    index, place, done, found = data[length - 40 - 16 * number : -40], begin, 0, []
    crcs = (len(data), *map(zlib.crc32, (data[:36], data[-40:-12], index)))
    check(path, "length, crcs of header, footer, index", crcs, (length, header_crc, footer_crc, index_crc))
    for entry in struct.iter_unpack("<2Q", index):
        first, inside, stored, crc = struct.unpack("<Q3I", data[place : place + 20])
        payload = data[place + 20 : place + 20 + stored]
        check(path, "block crc", zlib.crc32(data[place : place + 16] + payload), crc)
        check(path, "index, count", (*entry, inside), (place, first, min(size, count - done)))
        found.append((first, inside, payload))
        place, done = place + 20 + stored, done + inside
    check(path, "count, end", (done, place), (count, length - 40 - len(index)))
    return data, label, count, total, found


# States and afterstates.


def varints(data):
    """The numbers of LEB128 bytes: seven bits a byte, least first; the last byte is below 128."""
    data = numpy.frombuffer(data, numpy.uint8)
    ends = numpy.flatnonzero(data < 128)
    begins = numpy.concatenate(([0], ends[:-1] + 1))[: len(ends)]
    numbers = (data[begins] & 127).astype(numpy.uint64)
    # First bytes are in place. Few numbers have a second byte, fewer a third.
    for byte in range(1, 10):
        longer = numpy.flatnonzero(ends - begins >= byte)
        if not len(longer):
            break
        digits = (data[begins[longer] + byte] & 127).astype(numpy.uint64)
        numbers[longer] |= digits << numpy.uint64(7 * byte)
    return numbers


@functools.cache
def contents(cells):
    """The contents of some last cells, by weight and in order: the number of cells, the contents, their weights."""
    number, boards, weights = 0, numpy.zeros(1, numpy.uint64), numpy.zeros(1, int)
    for digits in map(numpy.array, cells):
        if len(digits) * len(boards) > 2**17:
            break
        boards = (digits[:, :1].astype(numpy.uint64) << numpy.uint64(4 * number) | boards).ravel()
        number, weights = number + 1, (digits[:, 1:] + weights).ravel()
    order = numpy.argsort(weights, kind="stable")
    return number, boards[order], weights[order]


class Ranks:
    """The ranks of boards. A part's boards have its sum and stones, and no larger tile than its largest. If all masks
    have a cell, a stone is there. A stone weighs 1 and a 2 weighs 17, more than all stones."""

    def __init__(self, fields):
        masks = [int(mask, 16) for mask in fields.get("masks", "").split("_") if mask]
        fixed = functools.reduce(int.__and__, masks) if masks else 0
        self.weight = fields["sum"] // 2 * 17 + fields.get("stones", 0)
        digits = *((exponent, 2**exponent // 2 * 17) for exponent in range(fields["max"].bit_length())), (15, 1)
        # The digits of each cell, the last cell first, and the ways to fill no cell, one cell, two cells, ... by weight.
        self.digits = [digits[-1:] if fixed >> 4 * cell & 15 else digits for cell in range(fields["rows"] * fields["cols"])]
        self.ways = [numpy.zeros(self.weight + 1, numpy.uint64)]
        self.ways[0][0] = 1
        for digits in self.digits:
            self.ways.append(numpy.zeros_like(self.ways[0]))
            for _, weight in digits:
                self.ways[-1][weight:] += self.ways[-2][: max(0, self.weight + 1 - weight)]

    def rank(self, board):
        left, rank = self.weight, 0
        for cell in reversed(range(len(self.digits))):
            for digit, weight in self.digits[cell]:
                if digit == board >> 4 * cell & 15:
                    break
                rank += int(self.ways[cell][left - weight]) if weight <= left else 0
            left -= weight
        return rank

    def boards(self, path, ranks):
        """The boards of many ranks."""
        found = bool((ranks[1:] > ranks[:-1]).all()), bool(ranks[-1] < self.ways[-1][-1])
        check(path, "order of ranks, last rank", found, (True, True))
        # The first cells of these boards: their digits, the rank of their first board, and the weight left.
        (boards, begins), left = numpy.zeros((2, 1), numpy.uint64), numpy.array([self.weight])
        tail, tails, tail_weights = contents(tuple(self.digits[:-1]))
        for cell in reversed(range(tail, len(self.digits))):
            digits, weights = numpy.array(self.digits[cell]).T
            left = left[:, None] - weights
            ways = numpy.where(left >= 0, self.ways[cell][numpy.maximum(left, 0)], numpy.uint64(0))
            ends = begins[:, None] + numpy.cumsum(ways, axis=1)
            boards = boards[:, None] << numpy.uint64(4) | digits.astype(numpy.uint64)
            number = numpy.diff(numpy.searchsorted(ranks, ends.ravel()), prepend=0)
            some = numpy.flatnonzero(number)
            boards, begins, left = (cells.ravel()[some] for cells in (boards, ends - ways, left))
        whose = numpy.repeat(numpy.arange(len(some)), number[some])
        places = numpy.searchsorted(tail_weights, left)[whose] + (ranks - begins[whose]).astype(int)
        return boards[whose] << numpy.uint64(4 * tail) | tails[places]


def part(path):
    """Read and check a part file."""
    _, label, count, total, found = blocks(path, (0, 1), 40)
    ranks = Ranks(dict(zip(LABEL, label)))
    boards, decoder, done = numpy.empty(count, numpy.uint64), zstandard.ZstdDecompressor(), 0
    for first, number, payload in found:
        contents = decoder.decompress(payload, 10 * number)
        deltas = varints(contents)
        check(path, "boards of a block", (len(deltas), contents[-1:] < b"\x80"), (number - 1, True))
        block = boards[done : done + number]
        block[0], block[1:] = ranks.rank(first), deltas
        block[:] = ranks.boards(path, numpy.cumsum(block))
        check(path, "first board of a block", int(block[0]), first)
        done += number
    found = bool((boards[1:] > boards[:-1]).all()), int(mix(boards).sum())
    check(path, "order, fingerprint", found, (True, total))
    ends = (f"{x:016x}" for x in (*boards[:1].tolist(), *boards[-1:].tolist()))
    names = [*LABEL[: len(label)], "states", "fingerprint", "first", "last"]
    return dict(zip(names, [*label, count, f"x{total:016x}", *ends])), boards


# Values.


def planes(path, payload, count):
    """The planes that store the four bytes of each value, the most significant first."""
    lengths, place, decoder = struct.unpack("<4I", payload[:16]), 16, zstandard.ZstdDecompressor()
    if not any(lengths[1:]):
        words = payload[16:] if len(payload) == 16 + 2 * count else decoder.decompress(payload[16:], 2 * count)
        check(path, "bytes of words", len(words), 2 * count)
        low, high = numpy.frombuffer(words, numpy.uint8).reshape(count, 2).T
        yield from (numpy.zeros_like(low), numpy.zeros_like(low), high, low)
        return
    for length in lengths:
        plane = payload[place : place + length]
        if length < count:
            plane = decoder.decompress(plane, count)
        check(path, "bytes of a plane", len(plane), count)
        yield numpy.frombuffer(plane, numpy.uint8)
        place += length
    check(path, "end of a block", place, len(payload))


def values(path, afterstates=None):
    """Read and check a file of values. Its fingerprint can be checked only with the afterstates."""
    data, label, count, total, found = blocks(path, (2,), 60)
    about = data[40:60] if len(label) < len(LABEL) else data[56:76]
    objective, fraction, fours, spawns, keys, crc = struct.unpack("<IH2BQI", about)
    check(path, "crc about values", zlib.crc32(about[:16]), crc)
    numbers, places = numpy.empty((count, 4), numpy.uint8), [0]
    for _, number, payload in found:
        place = slice(places[-1], places[-1] + number)
        numbers[place] = numpy.transpose(list(planes(path, payload, number)))
        places.append(place.stop)
    numbers = numbers.view(">u4").reshape(count).astype(numpy.uint64)
    name = OBJECTIVES.get(objective, f"sure-{objective - FORCED}" if objective & FORCED else str(objective))
    four = f"{fours}/{spawns}" if spawns > 1 else str(fours) if spawns else "1/10"
    names = [*LABEL[: len(label)], "objective", "fraction", "keys", "values", "fingerprint", "four"]
    fields = dict(zip(names, [*label, name, fraction, f"x{keys:016x}", count, f"x{total:016x}", four]))
    if afterstates is None:
        return fields, numbers / 2.0**fraction
    whose, boards = part(afterstates)
    named = [1, *label[1:], count, f"x{keys:016x}"]
    check(afterstates, "afterstates of the values", list(whose.values())[: len(named)], named)
    firsts = [int(boards[place]) for place in places[:-1]]
    check(path, "first boards of the blocks", [first for first, _, _ in found], firsts)
    check(path, "fingerprint", int(mix(mix(boards) + numbers).sum()), total)
    return fields, numbers / 2.0**fraction, boards


def potential(boards, stones=0):
    """For each board, the sum of (k - 1) 2^k over its tiles 2^k. In a game with stones, the digit 15 is no tile."""
    total = numpy.zeros(len(boards), numpy.uint64)
    for shift in range(0, 64, 4):
        digits = boards >> numpy.uint64(shift) & numpy.uint64(15)
        if stones:
            digits = numpy.where(digits == 15, numpy.uint64(0), digits)
        total += digits - (digits > 0) << digits
    return total


def expected(fields, values, boards):
    """The expected score or moves from each board on, or the chance of the tile."""
    return values - potential(boards, fields.get("stones")) if fields["objective"] == "score" else values


# Matrices.

# Cells of each quad: the corner, its neighbours in the outer and in the inner row, and the cell in the middle.
CORNERS = (0, 1, 4, 5), (3, 2, 7, 6), (12, 13, 8, 9), (15, 14, 11, 10)
LEFT, MOVED, OTHER, FULL = range(4)  # Parts of the columns; the last three are the range `both`.


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


def halves(quads, weight):
    """The halves of a weight that are rows, and those that are columns, as pairs of quads. None is padding."""
    found = []
    for rest in sorted(quads):
        for right, left in itertools.product(quads[rest], quads.get(weight - rest, [])):
            place = group((*left[:2], right[1], right[0]), (*left[2:], right[3], right[2]))
            if place:
                found.append((place, (left, right)))
    found.sort(key=lambda half: half[0])
    rows, left, both = (
        [half for (part, _), half in found if part in parts] for parts in ((LEFT, MOVED), (LEFT,), (MOVED, OTHER, FULL))
    )
    return rows, [half for side in (left, both) for half in side + [None] * (-len(side) % 512)]


def ones(byte):
    return [bit for bit in range(8) if byte >> bit & 1]


def unpacked(path, packed, rows, columns):
    """The halves of the board of each bit of a matrix."""
    lines, end = len(columns) // 512, (len(rows) + 7) // 8
    row, mask, rest = bytearray(64 * lines), int.from_bytes(packed[:end], "little"), iter(packed[end:])

    def differing(what):
        """The next byte, which is not 0."""
        byte = next(rest, None)
        check(path, what, byte in (None, 0), False)
        return byte

    check(path, "bits of the mask after the last row", mask >> len(rows), 0)
    check(path, "a matrix without bits", mask == 0, False)
    for top in (half for number, half in enumerate(rows) if mask >> number & 1):
        for line in range(lines):
            words = next(rest, None)
            check(path, "a row that is cut", words is None, False)
            of_words = [(word, differing("a word that differs in no byte")) for word in ones(words)]
            for word, byte in ((word, byte) for word, bytes in of_words for byte in ones(bytes)):
                row[64 * line + 8 * word + byte] ^= differing("a byte that differs in no bit")
        check(path, "a row of the mask without bits", any(row), True)
        for place in (8 * byte + bit for byte, bits in enumerate(row) if bits for bit in ones(bits)):
            check(path, "a bit in the padding", columns[place] is None, False)
            yield top, columns[place]
    check(path, "bytes after the last row", len(list(rest)), 0)


@functools.cache
def digits(quad, cells):
    return sum(exponent << 60 - 4 * cell for exponent, cell in zip(quad, cells))


def canonical(top, bottom):
    """The least of the images of a board: the quads trade corners, and all of them are transposed or none."""
    (a, b), (c, d) = top, bottom
    images = [(a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a)]
    images += [map(transpose, (a, c, b, d)) for a, b, c, d in images]
    return min(sum(map(digits, image, CORNERS)) for image in images)


def matrices(path):
    """Read and check a file of matrices."""
    _, label, count, total, found = blocks(path, (3,), 40)
    _, rows, cols, win, layer, most = label
    check(path, "rows, cols, max", (rows, cols, most), (4, 4, 65536))
    quads, boards, prints, before = {}, set(), [], -1
    for quad in sorted(itertools.product(range(win), repeat=4), key=rank):
        quads.setdefault(sum(1 << exponent >> 1 for exponent in quad), []).append(quad)
    for first, number, payload in found:
        check(path, "order, matrices of a block", (first > before, number), (True, 1))
        tops, bottoms = halves(quads, first)[0], halves(quads, layer // 2 - first)[1]
        shape = 1, len(tops), len(bottoms) // 512
        check(path, "order, rows, lines", struct.unpack("<3I", payload[:12]), shape)
        size = (len(tops) + 7) // 8 + 73 * shape[1] * shape[2]
        packed = zstandard.ZstdDecompressor().decompress(payload[12:], size, allow_extra_data=False)
        boards.update(itertools.starmap(canonical, unpacked(path, packed, tops, bottoms)))
        prints.append(2**32 * first + zlib.crc32(payload[:12] + packed))
        before = first
    check(path, "fingerprint", int(mix(numpy.array(prints, numpy.uint64)).sum()), total)
    fields = dict(zip([*LABEL[: len(label)], "matrices", "fingerprint"], [*label, count, f"x{total:016x}"]))
    return fields, numpy.array(sorted(boards), numpy.uint64)


def main():
    path, option = sys.argv[1], "".join(sys.argv[2:])
    kind = open(path, "rb").read(13)[12:]
    if kind == b"\2":
        fields, numbers, *boards = values(path, *sys.argv[2:3])
        print(json.dumps(fields))
        if boards:
            width, rest = fields["rows"] * fields["cols"], expected(fields, numbers, boards[0])
            for board, value, number in zip(boards[0].tolist(), numbers.tolist(), rest.tolist()):
                print(f"0x{board:0{width}x},{value},{number}")
        return
    if option not in ("", "--boards"):
        failure.usage()
    fields, boards = matrices(path) if kind == b"\3" else part(path)
    print(json.dumps(fields))
    if option:
        print(*(f"{board:016x}" for board in boards.tolist()), sep="\n")


if __name__ == "__main__":
    main()
