"""Run the core's tests under the address, undefined-behaviour and thread sanitizers.

``python tests/sanitize.py [address | thread] [pytest arguments]``, with GCC on Linux.
The core is compiled with them into a copy of the package in ``build``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CXX = os.environ.get("CXX", "c++")
TESTS = ["tests/unit/core", "tests/property/test_core.py", "tests/unit/solvers"]
SUPPRESSIONS = ROOT / "tests" / "sanitize.supp"
# Name: the sanitizers, their runtime, its options.
KINDS = {
    "address": ("address,undefined", "libasan.so", "ASAN_OPTIONS", "detect_leaks=1"),
    "thread": ("thread", "libtsan.so", "TSAN_OPTIONS", "halt_on_error=1"),
}


def library(name):
    """Where the compiler has a library that must be loaded before Python."""
    asked = [CXX, f"-print-file-name={name}"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def package(name, sanitizers):
    """A folder with the package, its core compiled with sanitizers."""
    place = ROOT / "build" / name
    site = place / "site"
    programs = Path(sys.executable).parent
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    options = [
        f"-DFUZZYPAIRS_SANITIZE={sanitizers}",
        "-DFUZZYPAIRS_ARCH=native",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    for command in (
        ["cmake", "-G", "Ninja", "-S", ROOT, "-B", place, *options],
        ["cmake", "--build", place],
        ["cmake", "--install", place, "--prefix", site],
    ):
        subprocess.run(
            command,
            env=os.environ | {"PATH": path},
            check=True,
            stdout=subprocess.DEVNULL,
        )
    shutil.copytree(
        ROOT / "src",
        site,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    return site


def run(name, arguments):
    """Test under one kind; whether all went well and nothing was found."""
    sanitizers, runtime, variable, options = KINDS[name]
    site = package(name, sanitizers)
    # Without `site` the editable install is not seen, only the folders named here.
    others = [path for path in sys.path if path.endswith("site-packages")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(site), *others]),
        # The sanitizer sees an array of its own behind each object of Python.
        "PYTHONMALLOC": "malloc",
        # Exceptions of C++ pass the sanitizer, so their library must be there first.
        "LD_PRELOAD": f"{library(runtime)} {library('libstdc++.so')}",
        variable: options,
        "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:print_suppressions=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        # Other libraries' threads are not compiled with the sanitizer.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    tests = [sys.executable, "-S", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return not subprocess.run(
        [*tests, *arguments], cwd=ROOT, env=environment
    ).returncode


def main(arguments):
    """Run all kinds, or the one that is named first."""
    kinds = [arguments.pop(0)] if arguments[:1] and arguments[0] in KINDS else KINDS
    passed = {name: run(name, arguments or TESTS) for name in kinds}
    for name, result in passed.items():
        print(f"{name}: {'nothing found' if result else 'FAILED'}")
    return int(not all(passed.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
