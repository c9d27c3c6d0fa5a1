#!/usr/bin/env python3
"""release.py STEP ...: the steps of a release, which .github/workflows/release.yml runs on each system.

  release.py check TAG                    fails unless the tag, the changelog and Cargo.toml are ready for a release
  release.py notes                        prints the changelog of this version
  release.py build TARGET                 builds the program, and prints its path
  release.py archive TARGET PROGRAM OUT   packs the program into the folder OUT, with a checksum
  release.py wheel TARGET OUT             builds the Python module into the folder OUT
  release.py test TARGET OUT              installs the module, and tests it against the program of the archive

An archive holds the program, the README, the changelog, completions, the manual page, and the licences of all crates in
the program. Linux programs and wheels run with glibc 2.17 or later (2014). On Linux, needs cargo-zigbuild and ziglang of
PyPI; a wheel needs maturin. Archives and wheels are built with the profile dist.
"""
import failure, hashlib, json, os, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEATURES = "parquet"
GLIBC = "2.17"
# The packages that tests of the Python module need, beside those of the scripts.
TESTERS = ["mypy", "pandas", "polars", "pytest"]
SHELLS = {"bash": "enum48.bash", "zsh": "_enum48", "fish": "enum48.fish", "elvish": "enum48.elv", "powershell": "enum48.ps1"}
# A crate's own licences and notices, and those of code that it brings along.
LICENCES = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.IGNORECASE)


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def metadata(*options):
    return json.loads(run("cargo", "metadata", "--locked", "--format-version=1", *options))


def package():
    return metadata("--no-deps")["packages"][0]


def notes():
    """The changelog of this version, and the line above it."""
    version = package()["version"]
    text = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(rf"^(## \[{re.escape(version)}\].*)\n+((?:(?!## ).*\n)*)", text, re.MULTILINE)
    if not found:
        failure.fail(f"CHANGELOG.md: no section of version {version}: write one")
    return found[1], found[2].strip()


def check(tag):
    about = package()
    if tag != f"v{about['version']}":
        failure.fail(f"{tag}: Cargo.toml has version {about['version']}: tag v{about['version']}, or change the version")
    heading, _ = notes()
    if not re.search(r" - \d{4}-\d\d-\d\d$", heading):
        failure.fail(f"CHANGELOG.md: {heading}: expected a date, as in [{about['version']}] - 2026-12-31: write it")
    if not re.match(r"https://", about["repository"] or ""):
        failure.fail(f"Cargo.toml: repository = {about['repository'] or ''!r}: expected an address: fill it in")


def build(target):
    """Build the program; return its path."""
    zig = target.endswith("linux-gnu")
    command = ["cargo", "zigbuild" if zig else "build", "--locked", "--profile", "dist", "--features", FEATURES]
    command += ["--target", f"{target}.{GLIBC}" if zig else target, "--message-format=json-render-diagnostics"]
    made = [json.loads(line) for line in run(*command).splitlines() if line.startswith("{")]
    return next(item["executable"] for item in made if item.get("executable"))


def licences(target):
    """The licence of each crate in the program, and the texts that the crate has."""
    asked = ("--filter-platform", target, "--features", FEATURES)
    packages = {each["id"]: each for each in metadata(*asked)["packages"]}
    form = ("--prefix=none", "--format={p}", "--edges=normal", "--target", target, "--features", FEATURES)
    names = {" ".join(line.split()[:2]) for line in run("cargo", "tree", "--locked", *form).splitlines()}
    for each in sorted(packages.values(), key=lambda each: (each["name"], each["version"])):
        folder = pathlib.Path(each["manifest_path"]).parent
        if f"{each['name']} v{each['version']}" not in names or folder == ROOT:
            continue
        yield f"{each['name']} {each['version']}: {each['license'] or 'see its text'}"
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and LICENCES.match(path.name)):
            yield f"--- {path.relative_to(folder).as_posix()}\n\n{path.read_text(errors='replace').strip()}"


def archive(target, program, out):
    program, out = pathlib.Path(program).resolve(), pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    name = f"enum48-{package()['version']}-{target}"
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, name)
        (folder / "completions").mkdir(parents=True)
        for file in ("README.md", "CHANGELOG.md", "LICENSE"):
            shutil.copy(ROOT / file, folder)
        shutil.copy(program, folder)
        for shell, file in SHELLS.items():
            (folder / "completions" / file).write_text(run(program, "completions", shell), encoding="utf-8")
        (folder / "enum48.1").write_text(run(program, "completions", "man"), encoding="utf-8")
        (folder / "LICENSES.txt").write_text("\n\n\n".join(licences(target)) + "\n", encoding="utf-8")
        kind = "zip" if "windows" in target else "gztar"
        packed = pathlib.Path(shutil.make_archive(str(out / name), kind, place, name))
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    packed.with_name(packed.name + ".sha256").write_text(f"{digest}  {packed.name}\n")
    return packed


def wheel(target, out):
    options = ["--zig", "--compatibility", "manylinux2014"] if target.endswith("linux-gnu") else []
    run("maturin", "build", "--locked", "--profile", "dist", "--target", target, "--out", out, *options)


def test(target, out):
    out = pathlib.Path(out).resolve()
    with tempfile.TemporaryDirectory() as place:
        for packed in out.glob(f"enum48-*-{target}.*[pz]"):
            shutil.unpack_archive(packed, place)
        (program,) = (path for path in pathlib.Path(place).glob("*/enum48*") if path.suffix in ("", ".exe"))
        run(sys.executable, "-m", "venv", f"{place}/python")
        (python,) = pathlib.Path(place, "python").glob("*/python" + (".exe" if os.name == "nt" else ""))
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--find-links", out, "enum48")
        run(python, "-m", "pip", "install", *TESTERS, "--requirement", "scripts/requirements.txt")
        command = (python, "-m", "pytest", "-q", "tests/python")
        subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"ENUM48_PROGRAM": str(program)})


STEPS = {
    "check": (check, 1),
    "notes": (lambda: notes()[1], 0),
    "build": (build, 1),
    "archive": (archive, 3),
    "wheel": (wheel, 2),
    "test": (test, 2),
}

if __name__ == "__main__":
    step, arguments = STEPS.get(sys.argv[1] if sys.argv[1:] else "", (None, 0))
    if not step or len(sys.argv) != 2 + arguments:
        failure.usage()
    printed = step(*sys.argv[2:])
    if printed:
        print(printed)
