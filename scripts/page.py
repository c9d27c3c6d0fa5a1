"""Sizes and tables for the scripts that write pages of results/."""


def size(value):
    """A number of bytes with a binary unit."""
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def table(heads, alignment, rows):
    """A table in Markdown; "heads" are joined by bars, "alignment" by spaces."""
    lines = ["| " + " | ".join(line) + " |" for line in (heads.split("|"), *rows)]
    lines.insert(1, "|" + "|".join(alignment.split()) + "|")
    return "\n".join(lines) + "\n"
