"""Arguments, tables, figures and labels for the scripts that draw.

A picture depends on its table alone: equal tables give equal files, byte for byte.
"""

from failure import fail  # first, as it tells of what is missing

import argparse
import contextlib
import csv
import inspect
import math
import re
import sys
from pathlib import Path

# Without the date, equal tables give equal files.
METADATA = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}


def terse(parser):
    """The parser, which keeps the lines of its description, and tells an error in one line."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = inspect.cleandoc(parser.description)
    parser.error = lambda what: fail(f"{what}: see --help")
    return parser


def draws(parser):
    """The parser with the option -o."""
    parser.add_argument(
        "-o", metavar="FILE", type=Path, required=True, help="the picture to write: .svg, .png or .pdf"
    )
    return terse(parser)


def parse(parser, least=1):
    """The parsed arguments. If there are fewer than `least`, print the help and exit."""
    if len(sys.argv) <= least:
        with contextlib.redirect_stdout(sys.stderr), contextlib.suppress(SystemExit):
            parser.parse_args([*sys.argv[1:], "--help"])
        sys.exit(2)
    return parser.parse_args()


def read(path, columns):
    """The rows of a table, each as the list of its numbers in `columns`."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            for name in columns:
                if name not in (table.fieldnames or []):
                    fail(f"{path}: no column {name}")
            rows = []
            for row in table:
                try:
                    rows.append([columns[name](row[name]) for name in columns])
                except (TypeError, ValueError):
                    fail(f"{path}: line {table.line_num}: not a row of numbers")
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except (UnicodeDecodeError, csv.Error):
        fail(f"{path}: not a CSV file")
    return rows or fail(f"{path}: no rows")


def natural(text):
    number = int(text)
    if not 0 <= number < 2**64:
        raise ValueError
    return number


def positive(text):
    number = float(text)
    if not 0 < number < 1e9:
        raise ValueError
    return number


def one_of(*words):
    """A function that reads one of these words."""

    def read_word(text):
        if text not in words:
            raise ValueError
        return text

    return read_word


def spoken(game):
    """A game's name in words: 3x3-1024 is "3x3 to 1024"."""
    return re.sub(r"^(\d+x\d+)-(\d+)$", r"\1 to \2", game)


def figure(out, width, height):
    """An empty figure, to be written to `out`. Call it first: it tells if matplotlib is missing."""
    if out.suffix not in METADATA:
        fail(f"{out}: must end in {', '.join(METADATA)}")
    try:
        import matplotlib
    except ModuleNotFoundError:
        fail("needs matplotlib: pip install matplotlib, or start it with uv run")
    from matplotlib.figure import Figure

    # Keep text as text, and make the ids in the file reproducible.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "enum48"})
    matplotlib.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
    return Figure(figsize=(width, height), layout="constrained")


def save(figure, out):
    try:
        figure.savefig(out, dpi=150, metadata=METADATA[out.suffix])
    except OSError as error:
        fail(f"{out}: {error.strerror}")


def color(number):
    """The color of a line, a game or a tile: ten distinct colors, then lighter ones."""
    from matplotlib import colormaps

    return colormaps["tab20"](2 * number % 20 + number // 10 % 2)


def is_tile(number):
    return number >= 2 and number & (number - 1) == 0


def color_of(tile):
    """The color of a tile, in every picture."""
    return color(tile.bit_length() - 2)


def tick_sums(axis, most):
    """Set at most this many steps, each a power of two: valleys are at multiples of tiles, which are powers of two."""
    from matplotlib import ticker

    step = 2 ** max(math.ceil(math.log2(axis.get_view_interval()[1] / most)), 1)
    axis.set_major_locator(ticker.MultipleLocator(step))
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))


def tick_numbers(axis):
    """Whole numbers with k, M, G and T for thousands, millions and so on."""
    from matplotlib import ticker

    if axis.get_scale() == "linear":
        axis.set_major_locator(ticker.MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(ticker.EngFormatter())
    axis.set_minor_formatter(ticker.NullFormatter())


# Places of a label, in points from its point: the nearest first, then above or below.
PLACES = [
    (away, (away * math.cos(math.radians(turn)), away * math.sin(math.radians(turn))))
    for away in (9, 12, 15, 20, 26, 32)
    for turn in (90, 270, 45, 135, 315, 225, 0, 180)
]


def label(axes, labels, **style):
    """Write each label (a text, its point, its color) near its point, clear of other labels and of lines.

    Call this last: it measures the finished axes.
    """
    axes.figure.draw_without_rendering()
    frame = axes.get_window_extent()
    paths = [artist.get_transform().transform_path(artist.get_path()) for artist in (*axes.patches, *axes.lines)]
    points = axes.transData.transform([point for _, point, _ in labels])
    # Keeps a label readable where it must cross a line.
    veil = {"boxstyle": "square,pad=0", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
    taken = []
    for text, point, ink in labels:
        place = {"textcoords": "offset points", "ha": "center", "va": "center", "in_layout": False}
        note = axes.annotate(text, point, (0, 0), color=ink, bbox=veil, **place, **style)

        def box(offset):
            note.set_position(offset)
            return note.get_window_extent().padded(2)

        def cost(place):
            away, offset = place
            here = box(offset)
            outside = not all(frame.contains(*corner) for corner in (here.min, here.max))
            covered = here.count_overlaps(taken) + here.count_contains(points)
            crossed = sum(path.intersects_bbox(here, filled=False) for path in paths)
            return 100 * (outside + covered) + 10 * crossed + away

        _, offset = min(PLACES, key=cost)
        taken.append(box(offset))
