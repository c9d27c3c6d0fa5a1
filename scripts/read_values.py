#!/usr/bin/env python3
"""read_values.py FILE [AFTERSTATES]: checks a file of values (src/part/mod.rs) and prints its header as JSON. With the
file of the afterstates, it checks both and prints a line board,value,expected for each afterstate: the stored number,
and the expectation from the board on. For a score, the expectation is less than the stored number.

From Python, read(path) returns the fields of the header and the values, an array of floats. read(path, afterstates)
also returns the boards, an array of uint64. expected(fields, values, boards) returns the expectations."""
if __name__ == "__main__":
    import failure
import json, struct, sys, zlib
import numpy, zstandard
import read_part_fast
from read_part_fast import check, mix

NAMES = "kind rows cols win sum max objective fraction keys values fingerprint four".split()
OBJECTIVES = {0: "score", 1: "moves"}  # all others are tiles, or tiles to be forced
FORCED = 1 << 31


def planes(path, payload, count):
    """The planes that store the four bytes of each value, the most significant first."""
    lengths, place, decoder = struct.unpack("<4I", payload[:16]), 16, zstandard.ZstdDecompressor()
    for length in lengths:
        plane = payload[place : place + length]
        if length < count:
            plane = decoder.decompress(plane, count)
        check(path, "bytes of a plane", len(plane), count)
        yield numpy.frombuffer(plane, numpy.uint8)
        place += length
    check(path, "end of a block", place, len(payload))


def read(path, afterstates=None):
    """Read and check a file of values. Its fingerprint can be checked only with the afterstates."""
    data, label, count, total, blocks = read_part_fast.blocks(path, (2,), 60)
    objective, fraction, fours, spawns, keys, crc = struct.unpack("<IH2BQI", data[40:60])
    check(path, "crc about values", zlib.crc32(data[40:56]), crc)
    numbers, places = numpy.empty((count, 4), numpy.uint8), [0]
    for _, number, payload in blocks:
        place = slice(places[-1], places[-1] + number)
        numbers[place] = numpy.transpose(list(planes(path, payload, number)))
        places.append(place.stop)
    numbers = numbers.view(">u4").reshape(count).astype(numpy.uint64)
    name = OBJECTIVES.get(objective, f"sure-{objective - FORCED}" if objective & FORCED else str(objective))
    four = f"{fours}/{spawns}" if spawns > 1 else str(fours) if spawns else "1/10"
    fields = [*label, name, fraction, f"{keys:016x}", count, f"{total:016x}", four]
    found = dict(zip(NAMES, fields)), numbers / 2.0**fraction
    if afterstates is None:
        return found
    part, boards = read_part_fast.read(afterstates)
    whose = [1, *label[1:], count, f"{keys:016x}"]
    check(afterstates, "afterstates of the values", list(part.values())[:8], whose)
    firsts = [first for first, _, _ in blocks]
    check(path, "first boards of the blocks", firsts, [int(boards[place]) for place in places[:-1]])
    check(path, "fingerprint", int(mix(mix(boards) + numbers).sum()), total)
    return *found, boards


def potential(boards):
    """For each board, the sum of (k - 1) 2^k over its tiles 2^k."""
    total = numpy.zeros(len(boards), numpy.uint64)
    for shift in range(0, 64, 4):
        digits = boards >> numpy.uint64(shift) & numpy.uint64(15)
        total += digits - (digits > 0) << digits
    return total


def expected(fields, values, boards):
    """The expected score or moves from each board on, or the chance of the tile."""
    return values - potential(boards) if fields["objective"] == "score" else values


if __name__ == "__main__":
    fields, values, *boards = read(sys.argv[1], *sys.argv[2:3])
    digits = fields["rows"] * fields["cols"]
    if boards:
        rest = expected(fields, values, boards[0])
        for board, value, number in zip(boards[0].tolist(), values.tolist(), rest.tolist()):
            print(f"0x{board:0{digits}x},{value},{number}")
    else:
        print(json.dumps(fields))
