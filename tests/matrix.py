"""Run the tests on every Python at hand, and on the oldest dependencies allowed.

``python tests/matrix.py [--only NAME] [pytest arguments]``. Each environment is a
folder of ``.matrix``, made once; the package is installed into it anew each time.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / ".matrix"
PYTHONS = ("3.11", "3.12", "3.13")
OLDEST = "oldest"


def interpreter(version):
    """The program of a Python version: on the path, or the newest that pyenv has."""
    name = f"python{version}"
    kept = Path.home().glob(f".pyenv/versions/{version}.*/bin/{name}")
    newest = sorted(kept, key=lambda path: int(path.parents[1].name.split(".")[2]))
    for program in (shutil.which(name), *map(str, reversed(newest))):
        # pyenv puts names on the path that lead to no program.
        if (
            program
            and not subprocess.run([program, "-V"], capture_output=True).returncode
        ):
            return program
    return None


def oldest():
    """Lower bounds of what users install, as exact versions for pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    users = [
        name
        for name in project["optional-dependencies"]
        if name not in ("test", "docs", "dev")
    ]
    asked = project["dependencies"] + [
        line for name in users for line in project["optional-dependencies"][name]
    ]
    return [
        # Constraints name no extras.
        re.sub(r"\[.*\]", "", line).replace(">=", "==")
        for line in asked
        if not line.startswith("fuzzypairs")
    ]


def run(name, program, constraints, arguments):
    """Test in one environment; whether all went well."""
    place = PLACE / name
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([program, "-m", "venv", place], check=True)
    listed = place / "constraints.txt"
    listed.write_text("".join(f"{line}\n" for line in constraints), "utf-8")
    pip = [python, "-m", "pip", "install", "--quiet", "--constraint", listed]
    subprocess.run([*pip, ".[test]"], cwd=ROOT, check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", "."], cwd=ROOT, check=True)
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    if name == OLDEST:
        # Old libraries use what newer ones beneath them have deprecated since.
        tests += ["-W", "default::DeprecationWarning"]
    return subprocess.run(tests, cwd=ROOT).returncode == 0


def main(arguments):
    """Run all environments, or the one that --only names."""
    only = arguments[1] if arguments[:1] == ["--only"] else None
    arguments = arguments[2 if only else 0 :] or ["-n", "2", "tests"]
    results = {}
    for name in (*PYTHONS, OLDEST):
        if only in (None, name):
            program = interpreter(PYTHONS[0] if name == OLDEST else name)
            constraints = oldest() if name == OLDEST else []
            print(f"== {name}: {program or 'not found'}", flush=True)
            results[name] = program and run(name, program, constraints, arguments)
    words = {None: "not found", True: "passed", False: "FAILED"}
    print(*(f"{name}: {words[result]}" for name, result in results.items()), sep="\n")
    return int(False in results.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
