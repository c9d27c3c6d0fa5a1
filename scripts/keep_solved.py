#!/usr/bin/env python3
"""keep_solved.py DIR COMMIT ARGUMENTS STEM...: keeps a game, solved by a commit, in DIR beside others.

The game was solved in one or more turns, each by "enum48 solve RUN ARGUMENTS --json > STEM.json", with
--csv STEM.csv for a table. Joins the summaries and the tables of all turns. If DIR has the game, they
must equal the kept ones; otherwise nothing is written and the exit code is 1. Writes DIR/GAME.json,
DIR/GAME.csv and the pictures of the table; scripts/solved.py writes the page.
"""

import failure

import csv
import datetime
import io
import json
import pathlib
import subprocess
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parent

# The number of first columns, which identify a part.
PART = 3

# The pictures of a game: their names and objectives.
PICTURES = {
    "3x3": {"score": "score", "chances": "128,256,512,1024"},
    "4x4-32": {"score": "score", "moves": "moves", "chances": "32"},
    "4x4-64": {"score": "score", "moves": "moves"},
}


def fail(what):
    sys.exit(f"keep_solved.py: {what}")


def join_summaries(turns):
    """One summary of all turns of a game, with the objectives in order."""
    whole = turns[0]
    del whole["dir"]
    for turn in turns[1:]:
        for key in ("game", "states", "afterstates"):
            if turn[key] != whole[key]:
                fail(f"{key}: {whole[key]} in one turn, {turn[key]} in another")
        for key in ("objectives", "seconds", "bytes", "solved"):
            whole[key] += turn[key]
        fingerprints = int(whole["fingerprint"], 16) + int(turn["fingerprint"], 16)
        whole["fingerprint"] = f"{fingerprints % 2**64:016x}"
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
            fail(f"part {parts[0]} in one table, {parts[-1]} in another")
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


def compare(game, found, kept):
    """Fail unless all facts are equal."""
    for fact in dict.fromkeys((*kept, *found)):
        if found.get(fact) != kept.get(fact):
            fail(f"{game}: {fact}: {found.get(fact)} now, {kept.get(fact)} kept")


def main():
    if len(sys.argv) < 5 or not len(sys.argv) % 2:
        failure.usage()
    directory, commit = pathlib.Path(sys.argv[1]), sys.argv[2]
    arguments, stems = sys.argv[3::2], sys.argv[4::2]

    summary = join_summaries([json.loads(pathlib.Path(f"{stem}.json").read_text()) for stem in stems])
    game = summary["game"]
    kept = directory / f"{game}.json"
    if kept.exists():
        compare(game, facts(summary), facts(json.loads(kept.read_text())))
    tables = [path for path in (pathlib.Path(f"{stem}.csv") for stem in stems) if path.exists()]
    table = directory / f"{game}.csv"
    if tables:
        joined = join_tables([path.read_text() for path in tables])
        if table.exists() and table.read_text() != joined:
            fail(f"{game}: another table than {table}")
        table.write_text(joined)

    size, *winning = game.split("-")
    count = f"enum48 --size {size}" + (f" --max {winning[0]}" if winning else "") + " --keep afterstates"
    summary["commands"] = [count, *(f"enum48 solve enum48-data/{game} {options}" for options in arguments)]
    summary["commit"] = commit
    summary["date"] = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    kept.write_text(json.dumps(summary, indent=2) + "\n")

    for name, objectives in PICTURES.get(game, {}).items():
        plot = (SCRIPTS / "plot_values.py", table, "--for", objectives, "-o", directory / f"{game}-{name}.svg")
        subprocess.run((sys.executable, *plot), check=True)


main()
