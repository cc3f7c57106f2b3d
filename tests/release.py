"""Check what a release would contain: build it, install it elsewhere, test it there.

``python tests/release.py [pytest arguments]`` leaves a source archive and a wheel in
``dist``. Each is installed in a new, empty environment, and the tests are run on it.
The version is compared with the changelog, metadata are checked as a package index
does, and dependencies are compared with known vulnerabilities if there is a network.
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
    """Look dependencies up in the list of known vulnerabilities; 1 if some have any."""
    call(python, "-m", "pip", "install", "--quiet", "pip-audit")
    command = [python, "-m", "pip_audit", "--progress-spinner=off", "--format=json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        print("pip-audit did not run:", (done.stderr.splitlines() or [""])[-1])
        return 0
    packages = json.loads(done.stdout)["dependencies"]
    known = [package for package in packages if "skip_reason" not in package]
    # Without a network, or with a mirror of the package index, it may know none.
    print(f"pip-audit knows {len(known)} of {len(packages)} packages", flush=True)
    found = [package for package in known if package["vulns"]]
    for package in found:
        names = ", ".join(one["id"] for one in package["vulns"])
        print(f"{package['name']} {package['version']}: {names}", flush=True)
    return int(bool(found))


def main(arguments):
    """Run all checks; 0 if all are well."""
    version = check_version()
    with tempfile.TemporaryDirectory() as name:
        python = wheel.new_environment(Path(name))
        archives = build(version, python, Path(name))
    call(sys.executable, "-m", "twine", "check", "--strict", *archives)
    failed = 0
    for archive in archives:
        print(f"testing {archive.name}", flush=True)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # The tests of the source archive: those here may have changed since.
            with tarfile.open(archives[0]) as packed:
                packed.extractall(folder, filter="data")
            root = folder / f"fuzzypairs-{version}"
            python = wheel.new_environment(folder)
            failed |= wheel.run_tests(python, archive, folder, arguments, root)
            if archive.suffix == ".whl":
                failed |= audit(python)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
