#!/usr/bin/env python3
"""replay_code.py CODE...: replays codes (src/play/mod.rs) and prints where each ends; exit code 1 if one is false."""
import failure, re, struct, sys, zlib

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/"
WINS = ["", *(f"-{1 << exponent}" for exponent in range(3, 17))]
SIZES = {f"{rows}x{cols}": (rows, cols, 0) for rows in (2, 3, 4) for cols in (2, 3, 4)}
SIZES |= {f"{'' if size == '4x4' else size}free{free}": (rows, cols, rows * cols - free)
          for size, (rows, cols, _) in SIZES.items() for free in range(2, rows * cols)}
# The masks and target cells of the names that players use, and the cells beside the stones.
NAMED = {"L3": (10, "fff0fff", ""), "442": (10, "ffffff", "f000000"), "444": (12, "ffff", "ff00000"),
         "t": (10, "f0fff0ff_f000f0ff00ff_f000f00000ff00ff", "ff0f000f00"), "LL": (12, "ff00ff", "ff0f000f00"),
         "4431": (12, "f0fff", "f00000"), "4421": (11, "ff0fff", "f000000"), "4441": (13, "fff", "fff000"),
         "4442": (14, "ff", "ff0f00"), "4432": (13, "f00ff", "f00000"), "4432f": (12, "f00ff", "f00000"),
         "4442f": (13, "ff", "ffff00"), "4442ff": (12, "ff", "ff0fff0f00"), "44": (8, "ffffffff", "ffff00000000")}
UNNAMED = {f"free{free}lock{masks}": name for name, (free, masks, _) in NAMED.items()}
STONE = 1

def cells_of(digits, cells):
    """The cells that are f in a hexadecimal board."""
    assert re.fullmatch("f[f0]*", digits) and len(digits) <= cells, "unknown game"
    return [cell for cell, digit in enumerate(digits.rjust(cells)) if digit == "f"]

def sized(name):
    """Rows, columns, stones, masks and target cells of a size, and how far a game goes on beyond its horizon's base. A
    mask is a list of cells; a game without masks has an empty one. Without target cells, all cells are."""
    name, at, targets = name.partition("at")
    assert name not in UNNAMED and bool(targets) == bool(at), "unknown game"
    if name in NAMED:
        free, lock, own = NAMED[name]
        assert targets != own or not at, "unknown game"
        full, targets = f"free{free}lock{lock}", targets or own
    else:
        full = name
    size, lock, masks = full.partition("lock")
    assert size in SIZES and ("free" in size or not lock + at), "unknown game"
    rows, cols, stones = SIZES[size]
    masks = masks.split("_")
    assert masks == sorted({*masks}, key=lambda mask: int("0" + mask, 16)), "unknown game"
    masks = [cells_of(mask, rows * cols) if lock else [] for mask in masks]
    assert len(masks) <= 3 and {*map(len, masks)} == {len(masks[0])} and len(masks[0]) <= stones, "unknown game"
    targets = cells_of(targets, rows * cols) if targets else None
    assert not targets or not {*targets}.intersection(*masks), "unknown game"
    return rows, cols, stones, masks, targets, 60 if name == "444" else 48 if lock else 36

def keeps(board, masks):
    """Whether all cells of a mask hold stones."""
    return any(all(board[cell] == STONE for cell in mask) for mask in masks)

def chacha20(seed):
    """The words of RFC 8439's key stream: the seed is the key, nonce and counter are 0."""
    def rotate(x, n):
        return (x << n | x >> (32 - n)) & 0xFFFFFFFF
    for counter in range(2**32):
        first = [*struct.unpack("<4I", b"expand 32-byte k"), seed & 0xFFFFFFFF, seed >> 32, *[0] * 6, counter, 0, 0, 0]
        s = first[:]
        for step in range(80):
            a, shift = step % 4, step // 4 % 2
            b, c, d = ((a + shift * n) % 4 + 4 * n for n in (1, 2, 3))
            for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                s[x] = (s[x] + s[y]) & 0xFFFFFFFF
                s[z] = rotate(s[z] ^ s[x], n)
        yield from ((x + y) & 0xFFFFFFFF for x, y in zip(s, first))

def drawn(words, board, each=10):
    """The cell of the next random tile on a board, and its value; with each=1 the cell of a stone."""
    empty = [cell for cell, tile in enumerate(board) if not tile]
    choices = each * len(empty)
    k = next(w for w in words if w < 2**32 // choices * choices) % choices
    return empty[k // each], STONE if each == 1 else 4 if k % 10 == 9 else 2

def written(text):
    """The tiles in a code, as cells and values."""
    return [(place // 2, 2 + 2 * (place % 2)) for place in map(ALPHABET.index, text)]

def moved(board, move, rows, cols):
    """The board after a move: 0 up, 1 right, 2 down, 3 left."""
    after = [0] * len(board)
    for at in range(rows if move % 2 else cols):
        line = [at * cols + i for i in range(cols)] if move % 2 else [i * cols + at for i in range(rows)]
        line = line[::-1] if move in (1, 2) else line
        tiles = [board[cell] for cell in line if board[cell]]
        for cell in line:
            if tiles:
                after[cell] = tiles.pop(0)
                if tiles and tiles[0] == after[cell] != STONE:
                    after[cell] += tiles.pop(0)
    return after

def replay(code):
    body, _, check = code.rpartition(".")
    assert check == f"{zlib.crc32(body.encode()):08x}", "check differs"
    form, game, start, count, moves, *rest = body.split(".")
    assert form in ("s1", "w1"), "unknown form"
    game, until, horizon = game.partition("until")
    size, _, win = game.partition("-")
    assert game[len(size):] in WINS, "unknown game"
    assert re.fullmatch("0|[1-9][0-9]*", count), "not a number of moves"
    (rows, cols, stones, masks, targets, extra), count = sized(size), int(count)
    own = str(8 + int(win) + 2 * extra - 4) if targets and win else ""
    assert win or not targets, "unknown game"
    assert not until or stones and win and re.fullmatch("[1-9][0-9]*[02468]", horizon), "unknown game"
    assert not until or horizon != own and int(horizon) > 8, "unknown game"
    horizon = int(horizon or own or sys.maxsize)
    board, won, over = [0] * (rows * cols), False, False
    if form == "s1":
        assert re.fullmatch("0|[1-9a-z][0-9a-z]*", start) and int(start, 36) < 2**64, "not a seed"
        words, spawns = chacha20(int(start, 36)), []
        number = len(masks)
        chosen = next(w for w in words if w < 2**32 // number * number) % number if number > 1 else 0
        for cell in masks[chosen]:
            board[cell] = STONE
        for _ in range(stones - len(masks[0])):
            board[drawn(words, board, 1)[0]] = STONE
    else:
        words, spawns = None, written(start[stones:])
        cells = [cell for cell, tile in written(start[:stones]) if tile == 2]
        assert len(cells) == stones and cells == sorted({*cells}), "not the stones of a start"
        for cell in cells:
            board[cell] = STONE
        assert keeps(board, masks), "no stones in all cells of a mask"
        assert len(spawns) == 2 and spawns[0][0] < spawns[1][0], "not a start"
        spawns, rest = spawns + written(rest[0]), rest[1:]
    assert rest in ([], ["W"]) and len(moves) == (count + 2) // 3, "fields"
    digits = [ALPHABET.index(c) >> shift & 3 for c in moves for shift in (4, 2, 0)]
    assert not any(digits[count:]), "moves beyond the count"
    for move in [None, None, *digits[:count]]:
        assert not won, "a move after the win"
        assert not over, "a move after the horizon"
        before = board
        board = board[:] if move is None else moved(board, move, rows, cols)
        assert move is None or board != before, "a move that changes nothing"
        assert keeps(board, masks), "a move that unlocks stones"
        if targets:
            won = any(board[cell] == int(win) for cell in targets)
        else:
            won = bool(win) and max(board) >= int(win)
        over = move is not None and sum(tile for tile in board if tile != STONE) >= horizon
        if not won and not over:
            cell, tile = drawn(words, board) if words else spawns.pop(0)
            assert board[cell] == 0, "a tile on a tile"
            board[cell] = tile
    assert not spawns and won == (rest == ["W"]), "tiles left over, or a false claim"
    signs = [{0: ".", STONE: "x"}.get(tile, str(tile)) for tile in board]
    return " / ".join(" ".join(signs[r * cols : (r + 1) * cols]) for r in range(rows))

false = 0
for code in sys.argv[1:] or map(str.strip, sys.stdin):
    try:
        print(replay(code))
    except (AssertionError, ValueError, IndexError) as error:
        false = print(f"false: {error}") or 1
sys.exit(false)
