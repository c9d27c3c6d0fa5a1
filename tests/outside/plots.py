"""Run a script that draws, again and again: matplotlib, which takes half a second, is imported once.

Each line of stdin is a script and its arguments, as JSON. A fork runs the script. Each line of stdout is the fork's
status as `wait` returns it, and what it wrote to stdout and stderr.
"""

import json
import os
import runpy
import sys
import tempfile
from pathlib import Path

import matplotlib.backends.backend_agg
import matplotlib.backends.backend_pdf
import matplotlib.backends.backend_svg
import matplotlib.figure

for line in sys.stdin:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.argv = json.loads(line)
            sys.path[0] = str(Path(sys.argv[0]).parent)
            runpy.run_path(sys.argv[0], run_name="__main__")
            sys.exit()
        _, status = os.waitpid(child, 0)
        said = [os.pread(file.fileno(), 1 << 20, 0).decode() for file in (out, err)]
    print(json.dumps([status, *said]), flush=True)
