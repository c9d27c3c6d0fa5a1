#!/usr/bin/env python3
"""Examines every state of 3x3 to 512 from Python. It is an example, in cells as in a notebook.

  pip install . matplotlib          in the checkout
  scripts/explore.py DIR -o 3x3.svg

Counts 3x3 to 512 in DIR, unless DIR has it, and draws the empty cells and the legal moves of all states. If the run in
DIR is solved for score ("enum48 solve DIR --for score"), it also draws the values of the states. Editors that know
"# %%" run one cell at a time.
"""

# %% The run.
import failure  # first, as it tells of missing packages

import argparse

import enum48
import matplotlib
import numpy as np
from matplotlib.figure import Figure

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.error = lambda what: failure.fail(f"{what}: see --help")
arguments.add_argument("dir", metavar="DIR")
arguments.add_argument("-o", metavar="FILE", required=True, help="the picture to write: .svg, .png or .pdf")
arguments = arguments.parse_args()
if not arguments.o.endswith((".svg", ".png", ".pdf")):
    failure.fail(f"{arguments.o}: must end in .svg, .png or .pdf")

run = enum48.count("3x3-512", arguments.dir, keep="both", progress=True)
table = run.table()
print(run, "with fingerprint", f"x{table['fingerprint'].sum():016x}")

# %% Every state, a layer at a time.
# The share of states of each sum by number of empty cells, and by number of moves.
empty = np.zeros((len(run.sums), 10))
moves = np.zeros((len(run.sums), 5))
for at, total in enumerate(run.sums):
    states = run.layer(total)
    cells = enum48.cells(states, run.shape)
    empty[at] = np.bincount((cells == 0).sum(axis=(1, 2)), minlength=10) / len(states)
    legal = (enum48.moves(states, run.shape) > 0).sum(axis=1)
    moves[at] = np.bincount(legal, minlength=5) / len(states)

# %% The values, if the run is solved.
quantiles = [0, 0.25, 0.5, 0.75, 1]
worth = None
if "score" in run.objectives:
    worth = np.array([np.quantile(run.values(total, "score"), quantiles) for total in run.sums])

# %% The picture.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "enum48", "axes.spines.top": False})
matplotlib.rcParams.update({"axes.spines.right": False, "font.size": 9})
picture = Figure(figsize=(9, 7.5 if worth is not None else 5), layout="constrained")
axes = picture.subplots(3 if worth is not None else 2, sharex=True)
shades = matplotlib.colormaps["viridis"]


def stack(axes, shares, name):
    """Draw the shares of each sum on top of one another."""
    used = [at for at in range(shares.shape[1]) if shares[:, at].any()]
    colors = [shades(1 - at / max(used)) for at in used]
    axes.stackplot(run.sums, 100 * shares[:, used].T, labels=used, colors=colors, step="mid")
    axes.set_ylabel("% of the states")
    axes.set_ylim(0, 100)
    axes.set_title(name, loc="left")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, reverse=True)


stack(axes[0], empty, "Empty cells")
stack(axes[1], moves, "Legal moves")
if worth is not None:
    axes[2].fill_between(run.sums, worth[:, 1], worth[:, 3], color=shades(0.5), alpha=0.4, label="half of them")
    axes[2].plot(run.sums, worth[:, 2], color=shades(0.5), label="the median")
    axes[2].plot(run.sums, worth[:, 4], color="black", linewidth=0.8, label="the best")
    axes[2].set_ylabel("score to come")
    axes[2].set_ylim(0)
    axes[2].set_title("What states are worth, under the best play", loc="left")
    axes[2].legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
axes[-1].set_xlabel("Sum of the tiles")
axes[-1].set_xlim(run.sums[0], run.sums[-1])
picture.suptitle(f"3x3 to 512: {table['live'].sum():,} live states")
picture.savefig(arguments.o, dpi=150, metadata={"Date": None} if arguments.o.endswith(".svg") else None)
