"""Run all benchmarks: ``python -m benchmarks [--quick] [NAME ...]``.

These are what ``fuzzypairs bench`` measures, and more.
"""

import argparse
import json
import platform
import warnings
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fuzzypairs.cli.bench import HEADS

NAMES = [
    "groups",
    "fits",
    "steps",
    "levels",
    "spaces",
    "memory",
    "propagation",
    "labelling",
]
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="smaller data")
    options = parser.parse_args()
    # Runs are stopped early on purpose, and random data have no clusters.
    warnings.simplefilter("ignore")
    console = Console()
    table = Table(title=f"fuzzypairs on {platform.processor() or platform.machine()}")
    for column in HEADS:
        table.add_column(column)
    results = []
    for name in options.names:
        console.print(f"measuring {name} ...")
        for row in import_module(f"benchmarks.{name}").rows(options.quick):
            results.append({**asdict(row), "holds": row.holds})
            table.add_row(*map(str, row.cells()))
            console.print(f"  {row.what}: {row.value:.3g} {row.unit}")
    console.print(table)
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / "results.json"
    target.write_text(json.dumps(results, indent=1) + "\n")
    console.print(f"written to {target}")


if __name__ == "__main__":
    main()
