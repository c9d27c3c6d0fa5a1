#!/usr/bin/env python3
"""Makes results/ again, and compares.

  reproduce.py count [GAME...]   counts games
  reproduce.py solve [GAME...]   counts and solves games
  reproduce.py pages             writes the tables of the pages README.md and solved.md

Builds enum48, unless the variable ENUM48 names a program. Each new table must equal the table of results/. A table of
counts must agree with the published numbers and the laws. Values must have equal fingerprints, and starts equal values.
Then the script writes the game's table, summary, log and pictures again, and at the end the pages.

Without games, `count` takes some minutes on two cores, and `solve` ten minutes, 1 GiB of memory and 4 GB of disk. Games
that take longer must be named. To count 4x4-64, 4x3, 4x4-128, free9-256 or free10-512 takes up to an hour each, and
4x4-256 eight hours. 4x3 is counted as far as results/ has it. 4x4-64 and 4x3 need 8 GiB of memory, the others 16, and
4x4-64 needs 20 GB of disk. To solve 4x4-64 takes 100 minutes, 12 GiB of memory and 40 GB of disk.

Exit code 1 if a number differs; that game's files are then left as they are. The pictures need matplotlib.
"""

import failure

import argparse
import csv
import datetime
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pages
from pages import differs, parsed

ROOT = pathlib.Path(__file__).resolve().parent.parent

SHORT = [
    f"{size}{tile}"
    for size, most in (("2x2", 32), ("2x3", 128), ("2x4", 512), ("3x3", 1024))
    for tile in (*(f"-{1 << exponent}" for exponent in range(3, most.bit_length())), "")
] + ["4x4-8", "4x4-16"]
# Left out by --quick, unless it is named.
LONG = "4x4-32"

# The games that are counted only by name, and their options. Their logs are kept.
COUNTED = {
    "4x4-64": "--memory 8G",
    "4x4-128": "--keep last --memory 16G",
    "4x4-256": "--keep last --memory 16G",
    "4x3": "--until 656 --keep last --memory 8G",
    "free9-256": "--keep last --memory 16G",
    "free10-512": "--keep last --memory 16G",
}
# The game that is solved only by name.
SOLVED = "4x4-64"
# The objectives of each turn of a game. Values of a turn are deleted before the next turn, which may need their room.
# A game with a winning tile is solved for the score, moves and that tile. A game without a winning tile is solved for
# all tiles that are neither certain nor out of reach.
TURNS = {
    "2x2": ["--for score,moves,16,32"],
    "2x3": ["--for score,moves,32,64,128"],
    "2x4": ["--for score,moves,64,128,256,512"],
    "3x3": ["--for score,moves,128,256,512,1024"],
    "4x4-64": ["--for score:8 --memory 12G", "--for moves:8 --memory 12G"],
}
# Pictures of values: their names and objectives.
PICTURES = {
    "3x3": {"score": "score", "chances": "128,256,512,1024"},
    "4x4-32": {"score": "score", "moves": "moves", "chances": "32"},
    "4x4-64": {"score": "score", "moves": "moves"},
}
# The number of first columns of a table of values, which identify a part.
PART = 3


def is_shown(game):
    """Whether a game has a picture of its counts, or a table of its values.

    Below its winning tile, a game on a smaller board equals the game without one.
    """
    size, tile = parsed(game)
    return size == "4x4" or not tile


def asked(game):
    size, tile = parsed(game)
    return ["--size", size, *(["--max", tile] if tile else [])]


def plot(*arguments):
    subprocess.run([sys.executable, ROOT / "scripts/plot.py", *arguments], check=True)


def summaries(out):
    """The summaries of counted and of solved games."""
    path = out / "summaries.jsonl"
    runs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    runs.sort(key=pages.order)
    return [run for run in runs if "objectives" not in run], [run for run in runs if "objectives" in run]


def keep(out, run, commands, commit):
    """Put a summary in place of the summary of the same game, counted or solved."""
    del run["dir"]
    run |= commands | {"commit": commit, "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat()}
    counted, solved = summaries(out)
    group = solved if "objectives" in run else counted
    group[:] = sorted([*(other for other in group if other["game"] != run["game"]), run], key=pages.order)
    lines = [json.dumps(run) + "\n" for run in counted + solved]
    (out / "summaries.jsonl").write_text("".join(lines), encoding="utf-8")


class Make:
    """How to make games: the program, its commit, and the folders of results and of work."""

    def __init__(self, enum48, commit, out, work):
        self.enum48, self.commit, self.out, self.work = enum48, commit, out, work

    def run(self, *arguments, log=None):
        """The output of the program, which must not fail."""
        ended = subprocess.run([self.enum48, *arguments], stdout=subprocess.PIPE, stderr=log, text=True)
        if ended.returncode:
            if log:
                log.seek(0)
                sys.stderr.write(log.read())
            sys.stderr.write("".join(ended.stdout.splitlines(True)[-5:]))
            differs(f"enum48 {' '.join(map(str, arguments[:3]))}: ended with exit code {ended.returncode}")
        return ended.stdout

    def count(self, game):
        options = [*asked(game), *COUNTED.get(game, "").split()]
        command = " ".join(["enum48", *options])
        print("==", command, flush=True)
        table, kept = self.work / f"{game}.csv", self.out / "tables" / f"{game}.csv"
        with open(self.work / f"{game}.log", "w+", encoding="utf-8") as log:
            run = json.loads(self.run(*options, "--dir", self.work / game, "--csv", table, "--json", log=log))
            checked = self.run("check", table, *asked(game))
            if kept.exists():
                print(self.run("check", kept, table), end="")
            log.seek(0)
            said = log.read().replace(f"{self.work}/", "") + checked
        kept.write_bytes(table.read_bytes())
        if game in COUNTED:
            (self.out / "logs" / f"{game}.log").write_text(said, encoding="utf-8")
        keep(self.out, run, {"command": command}, self.commit)
        if is_shown(game):
            plot("layers", kept, "--log", "-o", self.out / "pictures" / f"{game}.svg")

    def striped(self):
        print("== the striped board", flush=True)
        code = self.run("witness", "0x2345454554544545", "--size", "4", "--max", "64")
        (self.out / "striped.code").write_text(code, encoding="utf-8")
        self.run("replay", code.strip(), "--html", self.out / "striped.html")

    def solve(self, game):
        place, table, turns = self.work / game, self.work / "values.csv", []
        self.run(*asked(game), "--keep", "afterstates", "--dir", place, "--quiet")
        for options in TURNS.get(game, [f"--for score,moves,{parsed(game)[1]}"]):
            print(f"== enum48 solve enum48-data/{game} {options}", flush=True)
            summary = self.run("solve", place, *options.split(), "--csv", table, "--json", "--quiet")
            turns.append((options, json.loads(summary), table.read_text(encoding="utf-8")))
            for made in (*place.glob("*.values"), place / "solution.json"):
                made.unlink()
        keep_solved(self.out, self.commit, turns)

    def pages(self):
        counted, solved = summaries(self.out)
        if not counted and not solved:
            failure.fail(f"{self.out}: no summaries: count or solve games first")
        for name, runs, *more in (("README.md", counted, self.enum48), ("solved.md", solved)):
            page = self.out / name if (self.out / name).exists() else ROOT / "results" / name
            if runs:
                write = pages.counts if more else pages.solved
                made = write(page.read_text(encoding="utf-8"), runs, self.out, *more)
                (self.out / name).write_text(made, encoding="utf-8")


def join_summaries(turns):
    """One summary of all turns of a game, with the objectives in order."""
    whole = turns[0]
    for turn in turns[1:]:
        for key in ("game", "states", "afterstates"):
            if turn[key] != whole[key]:
                differs(f"{key}: {whole[key]} in one turn, {turn[key]} in another")
        for key in ("objectives", "seconds", "bytes", "solved"):
            whole[key] += turn[key]
        fingerprints = sum(int(part["fingerprint"][1:], 16) for part in (whole, turn))
        whole["fingerprint"] = f"x{fingerprints % 2**64:016x}"
        if whole["peak_memory"] is not None:
            whole["peak_memory"] = max(whole["peak_memory"], turn["peak_memory"])
    return whole


def join_tables(turns):
    """One table of all turns: the columns of the part, then the columns of each objective."""
    tables = [list(csv.reader(io.StringIO(turn))) for turn in turns]
    joined = []
    for rows in zip(*tables, strict=True):
        parts = [row[:PART] for row in rows]
        if any(part != parts[0] for part in parts):
            differs(f"part {parts[0]} in one table, {parts[-1]} in another")
        joined.append(parts[0] + [cell for row in rows for cell in row[PART:]])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(joined)
    return text.getvalue()


def facts(summary):
    """The facts that do not depend on time and machine, by name."""
    found = {key: summary[key] for key in ("states", "afterstates", "fingerprint")}
    for objective in summary["objectives"]:
        for key in ("start", "start_two_2s", "error", "fraction", "fingerprint"):
            found[f"{objective['name']}: {key}"] = objective[key]
    return found


def keep_solved(out, commit, turns):
    """Keep a game that was solved in one or more turns, each with its options, summary and table."""
    options, found, tables = zip(*turns)
    summary, joined = join_summaries(found), join_tables(tables)
    game = summary["game"]
    for kept in summaries(out)[1]:
        if kept["game"] == game:
            new, old = facts(summary), facts(kept)
            for fact in dict.fromkeys((*old, *new)):
                if new.get(fact) != old.get(fact):
                    differs(f"{game}: {fact}: {new.get(fact)} now, {old.get(fact)} kept")
    table = out / "values" / f"{game}.csv"
    if table.exists() and table.read_text(encoding="utf-8") != joined:
        differs(f"{game}: another table than {table}")
    if is_shown(game):
        table.write_text(joined, encoding="utf-8")
    count = " ".join(["enum48", *asked(game), "--keep afterstates"])
    commands = [count, *(f"enum48 solve enum48-data/{game} {turn}" for turn in options)]
    keep(out, summary, {"commands": commands}, commit)
    for name, objectives in PICTURES.get(game, {}).items():
        plot("values", table, "--for", objectives, "-o", out / "pictures" / f"{game}-{name}.svg")


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def program():
    """The program and its commit. Outside Git, this fails before games are counted."""
    given = os.environ.get("ENUM48")
    if given:
        return given, output(given, "--version")
    commit = output("git", "rev-parse", "--short", "HEAD")
    same = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "src", "Cargo.toml", "Cargo.lock"], cwd=ROOT)
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    enum48 = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/enum48"
    return enum48, commit + "-changed" * bool(same.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda what: failure.fail(f"{what}: see --help")
    parser.add_argument("what", choices=["count", "solve", "pages"])
    parser.add_argument("game", metavar="GAME", nargs="*", help="a game of results/, such as 3x3-1024")
    parser.add_argument("--quick", action="store_true", help="leave out 4x4-32, which takes most of the time, unless it is named")
    parser.add_argument("--dir", metavar="DIR", help="where to make the temporary directory [default: $TMPDIR]")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, default=ROOT / "results",
                        help="where to write, and where to find the games to compare with [default: results/]")
    args = parser.parse_args()
    by_name = [*COUNTED] if args.what == "count" else [SOLVED]
    for game in args.game:
        if args.what == "pages" or game not in (*SHORT, LONG, *by_name):
            parser.error(f"{game}: not a game to {args.what}: name one, such as 3x3-1024")
    if not importlib.util.find_spec("matplotlib"):
        failure.fail("needs matplotlib: pip install matplotlib")
    games = args.game or ([*SHORT] if args.quick else [*SHORT, LONG])
    for folder in ("logs", "pictures", "tables", "values"):
        (args.out / folder).mkdir(parents=True, exist_ok=True)
    failed = False
    with tempfile.TemporaryDirectory(prefix="enum48-again.", dir=args.dir) as work:
        make = Make(*program(), args.out, pathlib.Path(work))
        for game in games if args.what != "pages" else []:
            try:
                make.count(game) if args.what == "count" else make.solve(game)
            except SystemExit as error:
                print(error, file=sys.stderr)
                failed = True
            shutil.rmtree(make.work / game, ignore_errors=True)
        if args.what == "count" and not args.game:
            make.striped()
        make.pages()
    sys.exit(failed)


if __name__ == "__main__":
    main()
