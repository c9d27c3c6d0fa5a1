"""How scripts end if they fail: with one line on stderr and exit code 2.

A script imports this module before any other module, because the other module may be missing.
"""

import atexit
import os
import sys
from pathlib import Path


# The lines that were printed.
told = []


def tell(what):
    """Print a line. Control characters are escaped, because a name could steer the terminal."""
    what = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in what)
    told.append(what)
    print(f"{Path(sys.argv[0]).name}: {what}", file=sys.stderr)


def fail(what):
    """Print the line and exit."""
    tell(what)
    sys.exit(2)


def usage():
    """End a script that was called with wrong arguments."""
    fail(f"wrong arguments: see the first lines of {sys.argv[0]}")


def cause(error):
    """An exception in words, on one line."""
    if isinstance(error, KeyboardInterrupt):
        return "stopped"
    if isinstance(error, BrokenPipeError):
        return "stdout: closed by its reader"
    if isinstance(error, ModuleNotFoundError):
        return f"needs {error.name}: pip install {'. in the checkout' if error.name == 'enum48' else error.name}"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    parts = " ".join(sys.argv[1:]), type(error).__name__, " ".join(str(error).split())
    return ": ".join(filter(None, parts))


def end(_, error, __):
    """End after an exception that the script does not handle."""
    if len(sys.argv) == 1 and isinstance(error, IndexError):
        usage()
    fail(cause(error))


@atexit.register
def flush():
    """Write the last lines of stdout. Python would print a traceback if their reader has gone."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        if not told:
            tell(cause(error))
        os._exit(2)


sys.excepthook = end
