#!/usr/bin/env python3
"""release.py STEP ...: the steps of a release, which .github/workflows/release.yml runs on each system.

  release.py check TAG                    fails unless tag, changelog, README and Cargo.toml are ready for a release
  release.py notes                        prints the changelog of this version
  release.py build TARGET                 builds the program, and prints its path
  release.py archive TARGET PROGRAM OUT   packs the program into the folder OUT, with a checksum
  release.py wheel TARGET OUT             builds the Python module into the folder OUT
  release.py test TARGET OUT              installs the module, and tests it against the program of the archive

An archive holds the program, the README, the changelog, completions, the manual page, and the licences of all crates in
the program; a wheel has the licences of its own crates. Links of the README lead to the repository at this version.
Linux programs and wheels run with glibc 2.17 or later (2012). On Linux, needs cargo-zigbuild and ziglang of PyPI; a wheel
needs maturin and a commit. Archives and wheels are built with the profile dist.
"""
import failure, datetime, hashlib, json, os, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEATURES = "parquet"
GLIBC = "2.17"
# The packages that tests of the Python module need, beside those of the scripts.
TESTERS = ["mypy", "pandas", "polars", "pytest"]
SHELLS = {"bash": "enum48.bash", "zsh": "_enum48", "fish": "enum48.fish", "elvish": "enum48.elv", "powershell": "enum48.ps1"}
# A crate's own licences and notices, and those of code that it brings along.
LICENCES = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.IGNORECASE)


def run(*command, folder=ROOT, **environment):
    environment = os.environ | environment
    ended = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
    if ended.returncode:
        sys.stderr.write(ended.stdout)
        failure.fail(f"{' '.join(map(str, command[:3]))}: failed with code {ended.returncode}: see above")
    return ended.stdout


def write(path, text):
    """Write a text file that is equal on all systems."""
    path.write_text(text, encoding="utf-8", newline="\n")


def metadata(*options):
    return json.loads(run("cargo", "metadata", "--locked", "--format-version=1", *options))


def package():
    return metadata("--no-deps")["packages"][0]


def notes():
    """The changelog of this version, and the line above it."""
    version = package()["version"]
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^(## \[{re.escape(version)}\].*)\n+((?:(?!## ).*\n)*)", text, re.MULTILINE)
    if not found:
        failure.fail(f"CHANGELOG.md: no section of version {version}: write one")
    return found[1], found[2].strip()


def check(tag):
    """Tell everything that stands in the way of a release."""
    about = package()
    version, address, (heading, _) = about["version"], about["repository"] or "", notes()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if tag != f"v{version}":
        failure.tell(f"{tag}: Cargo.toml has version {version}: tag v{version}, or change the version")
    try:
        datetime.date.fromisoformat(heading.rpartition(" - ")[2])
    except ValueError:
        failure.tell(f"CHANGELOG.md: {heading}: expected a date, as in [{version}] - 2026-12-31: write it")
    if not re.match(r"https://[\w-]+(\.[\w-]+)+/", address):
        failure.tell(f"Cargo.toml: repository = {address!r}: expected an address: fill it in")
    if "git clone URL" in readme:
        failure.tell("README.md: git clone URL: expected the address: fill it in, and say how to install a release")
    if f"enum48 {version}:" not in readme:
        failure.tell(f"README.md: the section Citing has another version: expected {version}: change it")
    if failure.told:
        sys.exit(2)


def build(target):
    """Build the program; return its path."""
    zig = target.endswith("linux-gnu")
    command = ["cargo", "zigbuild" if zig else "build", "--locked", "--profile", "dist", "--features", FEATURES]
    command += ["--target", f"{target}.{GLIBC}" if zig else target, "--message-format=json-render-diagnostics"]
    made = [json.loads(line) for line in run(*command).splitlines() if line.startswith("{")]
    return next(item["executable"] for item in made if item.get("executable"))


def readme():
    """The README with links that work outside the repository."""
    about = package()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    if not about["repository"]:
        return text
    of_version = f"{about['repository'].rstrip('/')}/%s/v{about['version']}/"
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{of_version % 'raw'}", text)
    return re.sub(r"((?<!!)\[[^]]*\]\()(?!https?:|#)", rf"\1{of_version % 'blob'}", text)


def licences(target, *features):
    """The licence of each crate in a program or module, and the texts that the crate has."""
    asked = ("--filter-platform", target, *features)
    packages = {each["id"]: each for each in metadata(*asked)["packages"]}
    form = ("--prefix=none", "--format={p}", "--edges=normal", "--target", target, *features)
    names = {" ".join(line.split()[:2]) for line in run("cargo", "tree", "--locked", *form).splitlines()}
    texts = []
    for each in sorted(packages.values(), key=lambda each: (each["name"], each["version"])):
        folder = pathlib.Path(each["manifest_path"]).parent
        if f"{each['name']} v{each['version']}" not in names or folder == ROOT:
            continue
        texts.append(f"{each['name']} {each['version']}: {each['license'] or 'see its text'}")
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and LICENCES.match(path.name)):
            text = path.read_text(encoding="utf-8", errors="replace").strip()
            texts.append(f"--- {path.relative_to(folder).as_posix()}\n\n{text}")
    return "\n\n\n".join(texts) + "\n"


def archive(target, program, out):
    program, out = pathlib.Path(program).resolve(), pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    name = f"enum48-{package()['version']}-{target}"
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, name)
        (folder / "completions").mkdir(parents=True)
        for file in ("CHANGELOG.md", "LICENSE"):
            shutil.copy(ROOT / file, folder)
        write(folder / "README.md", readme())
        shutil.copy(program, folder)
        for shell, file in SHELLS.items():
            write(folder / "completions" / file, run(program, "completions", shell))
        write(folder / "enum48.1", run(program, "completions", "man"))
        write(folder / "LICENSES.txt", licences(target, "--features", FEATURES))
        kind = "zip" if "windows" in target else "gztar"
        packed = pathlib.Path(shutil.make_archive(str(out / name), kind, place, name))
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    write(packed.with_name(packed.name + ".sha256"), f"{digest}  {packed.name}\n")
    return packed


def wheel(target, out):
    out = pathlib.Path(out).resolve()
    options = ["--zig", "--compatibility", "manylinux2014"] if target.endswith("linux-gnu") else []
    command = ["maturin", "build", "--locked", "--profile", "dist", "--target", target, "--out", out, *options]
    with tempfile.TemporaryDirectory() as place:
        copy = pathlib.Path(place, "copy")
        run("git", "archive", "--output", f"{place}/commit.tar", "HEAD")
        shutil.unpack_archive(f"{place}/commit.tar", copy)
        write(copy / "README.md", readme())
        write(copy / "LICENSES.txt", licences(target, "--no-default-features", "--features", "python"))
        run(*command, folder=copy, CARGO_TARGET_DIR=str(ROOT / "target"))


def test(target, out):
    out = pathlib.Path(out).resolve()
    with tempfile.TemporaryDirectory() as place:
        for packed in out.glob(f"enum48-*-{target}.*[pz]"):
            shutil.unpack_archive(packed, place)
        (program,) = (path for path in pathlib.Path(place).glob("*/enum48*") if path.suffix in ("", ".exe"))
        run(sys.executable, "-m", "venv", f"{place}/python")
        (python,) = pathlib.Path(place, "python").glob("*/python" + (".exe" if os.name == "nt" else ""))
        install = (python, "-m", "pip", "install", "--quiet")
        run(*install, "--no-index", "--no-deps", "--only-binary", "enum48", "--find-links", out, "enum48")
        run(*install, *TESTERS, "--requirement", "scripts/requirements.txt")
        print(run(python, "-m", "pytest", "-q", "-rs", "tests/python", ENUM48_PROGRAM=str(program)))


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
    # Bash on Windows keeps a carriage return at the end of what a command prints.
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    printed = step(*sys.argv[2:])
    if printed:
        print(printed)
