"""Check what a release would contain: build it, install it elsewhere, test it there.

``python tests/release.py [pytest arguments]`` leaves a source archive and a wheel in
``dist``. Each is installed in a new, empty environment, and the tests are run on it.
The version is compared with the changelog, metadata are checked as a package index
does, and dependencies are compared with known vulnerabilities; where the list of these
cannot be reached, the last line says so.
"""

import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import wheel
from wheel import DIST, ROOT, call


def check_version():
    """Compare the version of the package with those of the changelog and citation."""
    found = {
        "src/fuzzypairs/__init__.py": r'^__version__ = "(.*)"$',
        "CHANGELOG.md": r"^## (\S+)",
        "CITATION.cff": r"^version: (\S+)$",
    }
    versions = {
        name: re.search(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)[1]
        for name, pattern in found.items()
    }
    if len(set(versions.values())) > 1:
        sys.exit(f"versions differ: {versions}")
    version = versions["CHANGELOG.md"]
    date = re.search(
        rf"^## {re.escape(version)} - (.*)$",
        (ROOT / "CHANGELOG.md").read_text("utf-8"),
        re.MULTILINE,
    )
    if date is None:
        sys.exit(f"CHANGELOG.md: the heading of {version} has no date")
    print(f"version {version}, {date[1]}", flush=True)
    if date[1] == "unreleased":
        print("note: set the date in CHANGELOG.md before the release", flush=True)
    return version


def build(version, python, folder):
    """The source archive and the wheel, built from nothing."""
    for old in DIST.glob(f"fuzzypairs-{version}*"):
        old.unlink()
    make = [sys.executable, "-m", "build", "--sdist", "--no-isolation"]
    call(*make, "--outdir", DIST, ROOT)
    [archive] = DIST.glob(f"fuzzypairs-{version}.tar.gz")
    return archive, wheel.build(python, folder)


def audit(python):
    """Compare the packages of an environment with known vulnerabilities.

    Returns the exit code, 1 if some are vulnerable, and what was found out.
    """
    call(python, "-m", "pip", "install", "--quiet", "pip-audit")
    command = [python, "-m", "pip_audit", "--progress-spinner=off", "--format=json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        return 0, f"NOT CHECKED, pip-audit failed: {last_line(done.stderr)}"
    return read_audit(json.loads(done.stdout)["dependencies"])


def read_audit(packages):
    """Exit code and result of what pip-audit says about some packages.

    Without a network, or with a mirror of the package index, it passes over packages
    that it cannot look up, and still says that it found no vulnerability.
    """
    # The package under test is on no index yet.
    packages = [one for one in packages if one["name"] != "fuzzypairs"]
    known = [one for one in packages if "skip_reason" not in one]
    found = [
        f"{one['name']} {one['version']} ({', '.join(v['id'] for v in one['vulns'])})"
        for one in known
        if one["vulns"]
    ]
    count = f"{len(known)} of {len(packages)} packages looked up"
    if found:
        return 1, f"FAILED, {count}, vulnerable: {', '.join(found)}"
    if len(known) < len(packages):
        skipped = next(one for one in packages if "skip_reason" in one)
        kind = "PARTLY CHECKED" if known else "NOT CHECKED"
        return 0, f"{kind}, {count}; pip-audit says: {skipped['skip_reason']}"
    return 0, f"passed, {count}"


def last_line(text):
    """The last line of a text, which may be empty."""
    return (text.splitlines() or ["no message"])[-1]


def main(arguments):
    """Run all checks and print a line for each; 0 if none failed."""
    version = check_version()
    with tempfile.TemporaryDirectory() as name:
        python = wheel.new_environment(Path(name))
        archives = build(version, python, Path(name))
    call(sys.executable, "-m", "twine", "check", "--strict", *archives)
    asked = " ".join(arguments) if arguments else "all tests"
    failed, results = 0, {"version": "passed", "metadata": "passed"}
    for archive in archives:
        print(f"testing {archive.name}", flush=True)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # The tests of the source archive: those here may have changed since.
            with tarfile.open(archives[0]) as packed:
                packed.extractall(folder, filter="data")
            root = folder / f"fuzzypairs-{version}"
            python = wheel.new_environment(folder)
            code = wheel.run_tests(python, archive, folder, arguments, root)
            results[archive.name] = f"{'FAILED' if code else 'passed'}, {asked}"
            failed |= code
            if archive.suffix == ".whl":
                code, results["known vulnerabilities"] = audit(python)
                failed |= code
    for check, result in results.items():
        print(f"{check}: {result}", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
