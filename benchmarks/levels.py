"""Code for a CPU level against code compiled for this machine alone."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measure import in_fresh_process
from fuzzypairs import _core
from fuzzypairs.bench import Row, fastest

ROOT = Path(__file__).parents[1]
# What limits -march=native to the registers of a level.
FLAGS = {"v3": "-mno-avx512f", "v4": ""}
SIZES = [(58_000, 10, 7), (20_000, 16, 26)]


def rows(quick: bool) -> Iterator[Row]:
    if quick:
        return
    cmake = shutil.which("cmake", path=Path(sys.executable).parent) or "cmake"
    for tool in (cmake, "c++"):
        if shutil.which(tool) is None:
            print(f"  no {tool}: levels are not compared with -march=native")
            return
    if find_spec("nanobind") is None:
        print("  no nanobind: levels are not compared with -march=native")
        return
    for level in [name for name in FLAGS if name in _core.cpu_levels()]:
        with TemporaryDirectory() as folder:
            compile_native(cmake, Path(folder), FLAGS[level])
            builds = [{"FUZZYPAIRS_CPU_LEVEL": level}, {"PYTHONPATH": folder}]
            times = [
                [in_fresh_process(f"{__name__}.passes", env=env) for env in builds]
                for _ in range(5)
            ]
        fewest = np.min(times, axis=0).T.tolist()
        for (n_samples, n_features, k), (a, b) in zip(SIZES, fewest, strict=True):
            yield Row(
                f"{level} / -march=native, pass, {n_samples} x {n_features}, k = {k}",
                a / b,
                "times",
                1.05,
                detail=f"{a:.2f} ms / {b:.2f} ms",
            )


def compile_native(cmake: str, folder: Path, flags: str) -> None:
    """Put the package into a folder, its core compiled for this machine."""
    shutil.copytree(
        ROOT / "src" / "fuzzypairs",
        folder / "fuzzypairs",
        ignore=shutil.ignore_patterns("_core*.so", "__pycache__"),
    )
    build = folder / "build"
    options = [
        "-DFUZZYPAIRS_ARCH=native",
        f"-DCMAKE_CXX_FLAGS={flags}",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    for command in (
        ["-S", str(ROOT), "-B", str(build), *options],
        ["--build", str(build), "--parallel", "2"],
        ["--install", str(build), "--prefix", str(folder)],
    ):
        subprocess.run([cmake, *command], check=True, capture_output=True)


def passes() -> list[float]:
    """Return milliseconds for a pass over samples of each size."""
    times = []
    for n_samples, n_features, k in SIZES:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n_samples, n_features))
        C = rng.normal(size=(k, n_features))
        samples = _core.Samples(X, None, None, mean=np.zeros(n_features))
        (seconds,) = fastest(partial(samples.pass_over, C), repeats=200)
        times.append(1e3 * seconds)
    return times
