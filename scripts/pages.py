"""The tables of results/README.md and results/solved.md, which reproduce.py writes. All other text is written by hand."""

import failure

import math
import re
import subprocess


def replaced(page, heading, table):
    """The page with another table below this heading."""
    place = re.compile(rf"(^## {heading}\n(?:(?!#|\|).*\n)*)(?:\|.*\n)+", re.M)
    if not place.search(page):
        failure.fail(f"no table below the heading {heading}: add one")
    return place.sub(lambda found: found[1] + table, page, count=1)


def table(heads, alignment, rows):
    """A table in Markdown; "heads" are joined by bars, "alignment" by spaces."""
    lines = ["| " + " | ".join(line) + " |" for line in (heads.split("|"), *rows)]
    lines.insert(1, "|" + "|".join(alignment.split()) + "|")
    return "\n".join(lines) + "\n"


def size(value):
    """A number of bytes with a binary unit."""
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def differs(what):
    raise SystemExit(f"reproduce.py: {what}")


def parsed(game):
    """The size and the winning tile, which is "" without one."""
    size, _, tile = game.partition("-")
    return size, tile


def cells(game):
    size = parsed(game)[0]
    rows, columns = map(int, size.split("x") if "x" in size else (4, 4))
    return rows * columns


def order(run):
    """Games by cells, size and winning tile. The game without a winning tile comes last, and stones after all games."""
    size, tile = parsed(run["game"])
    return cells(run["game"]), len(size), size, int(tile or 1 << 20)


def linked(text, directory, path):
    """The text, with a link to the file if it exists."""
    return f"[{text}]({path})" if (directory / path).exists() else text


# Counts.

# Seconds of a job that is too short for a recipe.
SHORT = 3


def counts(page, runs, directory, enum48):
    """The page of all counted games."""
    rows = []
    for run in runs:
        game = run["game"]
        name = game + ("" if run["complete"] else f", to sum {run['last_sum']}")
        numbers = [f"{run[column]:,}" for column in ("live", "dead", "labeled", "afterstates", "total")]
        fingerprint = linked(f"`{run['fingerprint']}`", directory, f"tables/{game}.csv")
        rows.append([linked(name, directory, f"pictures/{game}.svg"), *numbers, fingerprint])
    heads = "game|live|dead|labeled|afterstates|total|fingerprint"
    page = replaced(page, "Counts", table(heads, "--- --: --: --: --: --: ---", rows))

    rows = [
        [f"`{run['command']}`", f"{run['seconds']:.2f} s", size(run["peak_memory"]), size(run["bytes"])]
        for run in runs
        if run["seconds"] >= SHORT
    ]
    page = replaced(page, "Recipes", table("command|time|memory|disk", "--- --: --: --:", rows))
    return replaced(page, "Against published numbers", agreements(runs, directory, enum48))


def agreements(runs, directory, enum48):
    """A row for each game and source, with the published figures. All figures must agree."""
    found = {}
    verdict = re.compile(r"^agrees +(\S+) +(.+?) {2,}([\d,]+) +[\d,]+ +([^,\n]+)", re.M)
    for run in runs:
        size, tile = parsed(run["game"])
        asked = [enum48, "check", directory / "tables" / f"{run['game']}.csv", "--size", size, *(["--max", tile] if tile else [])]
        checked = subprocess.run(asked, stdout=subprocess.PIPE, text=True)
        if checked.returncode:
            differs(f"{run['game']}: the table does not agree with the published numbers:\n{checked.stdout}")
        for game, figure, published, source in verdict.findall(checked.stdout):
            # Nobody else has published a first count.
            if not source.startswith("first counted by enum48"):
                found.setdefault((game, source), []).append(f"{figure} {published}")
    rows = [[game, "; ".join(figures), source] for (game, source), figures in found.items()]
    return table("game|figures|source", "--- --- ---", rows)


# Solved games.

# Published values: game, objective, which start, and the value in its unit. The page has the sources.
PUBLISHED = [
    *(
        (game, "score", start, value)
        for game, values in (
            ("2x2", ("66.96", "67.70")),
            ("2x3", ("480.26", "480.99")),
            ("2x4", ("2641.87", "2642.60")),
            ("3x3", ("5468.49", "5469.21")),
        )
        for start, value in zip(("start", "start_two_2s"), values)
    ),
    *(
        (game, tile, "start", value)
        for game, tile, value in (
            ("2x2", "16", "96.25 %"),
            ("2x2", "32", "8.29 %"),
            ("2x3", "64", "93.93 %"),
            ("2x3", "128", "5.70 %"),
            ("2x4", "256", "86.98 %"),
            ("2x4", "512", "2.46 %"),
            ("3x3", "512", "73.68 %"),
            ("3x3", "1024", "1.13 %"),
        )
    ),
    ("2x2-32", "32", "start", "0.08288728907155415"),
]
STARTS = {"start": "", "start_two_2s": ", from two 2s"}


def solved(page, runs, directory):
    """The page of all solved games."""
    for heading, made in (
        ("Values", values(runs, directory)),
        ("Chances of tiles", chances(runs)),
        ("Against published values", published(runs)),
        ("Recipes", recipes(runs)),
    ):
        page = replaced(page, heading, made)
    return page


def objectives(run):
    return {objective["name"]: objective for objective in run["objectives"]}


def values(runs, directory):
    rows = []
    for run in runs:
        of, name = objectives(run), linked(run["game"], directory, f"values/{run['game']}.csv")
        rows.append([name, *worth(of.get("score")), *worth(of.get("moves")), f"`{run['fingerprint']}`"])
    heads = "game|score|from two 2s|off by|moves|from two 2s|off by|fingerprint"
    return table(heads, "--- --: --: --: --: --: --: ---", rows)


def worth(objective):
    """Three cells for an objective: both starts and the error, or nothing if the game is not solved for it."""
    if objective is None:
        return ["", "", ""]
    return [f"{objective['start']:,.4f}", f"{objective['start_two_2s']:,.4f}", bound(objective["error"])]


def bound(error):
    """An error bound in two digits, rounded up."""
    unit = 10 ** (math.floor(math.log10(error)) - 1)
    digits, _, exponent = f"{math.ceil(error / unit - 1e-9) * unit:.1e}".partition("e")
    return f"{digits}e{int(exponent)}"


def chances(runs):
    """A row for each board. The game without a winning tile has the most tiles; the other games must agree with it."""
    boards = {}
    for run in reversed(runs):
        found = boards.setdefault(parsed(run["game"])[0], {})
        for name, here in objectives(run).items():
            if name not in ("score", "moves"):
                other = found.setdefault(int(name), here)
                if abs(other["start"] - here["start"]) > other["error"] + here["error"]:
                    differs(f"{run['game']}: chance of {name}: {here['start']}, but {other['start']} in another game")
    tiles = sorted(set().union(*boards.values()))

    def cell(board, found, tile):
        if tile in found:
            return f"{100 * found[tile]['start']:.5f}"
        return "" if tile <= 1 << cells(board) + 1 else "–"

    rows = [[board, *(cell(board, found, tile) for tile in tiles)] for board, found in reversed(boards.items())]
    return table("|".join(("board", *map(str, tiles))), "--- " + "--: " * len(tiles), rows)


def published(runs):
    by_game = {run["game"]: objectives(run) for run in runs}
    rows = []
    for game, name, start, value in PUBLISHED:
        objective = by_game.get(game, {}).get(name)
        if objective is None:
            continue
        digits, percent, _ = value.partition(" %")
        scale = 100 if percent else 1
        here = scale * objective[start]
        decimals = len(digits.partition(".")[2])
        if abs(here - float(digits)) > 0.5 * 10**-decimals + scale * objective["error"]:
            differs(f"{game}: {name}{STARTS[start]}: {here} here, {value} published")
        shown = f"{here:.{min(decimals + 2, 9)}f}{percent}"
        rows.append([game, name + STARTS[start], value, shown])
    return table("game|value|published|here", "--- --- --: --:", rows)


def recipes(runs):
    """The commands and the cost of games that are not short, or are not solved by the usual command."""
    rows = []
    for run in runs:
        game, commands, seconds = run["game"], run["commands"][1:], run["seconds"]
        usual = [f"enum48 solve enum48-data/{game} --for score,moves,{parsed(game)[1]}"]
        if commands != usual or seconds >= SHORT:
            commands = "<br>".join(f"`{command}`" for command in commands if [command] != usual)
            rows.append([game, commands, f"{seconds:.2f} s", size(run["peak_memory"]), size(run["bytes"])])
    return table("game|commands|time|memory|values", "--- --- --: --: --:", rows)
