"""Which strategy needs fewest questions: simulated people answer, fits are scored.

``python -m experiments.active`` runs what is not in the file of lines yet, and
``python -m experiments.active table`` writes the tables and figure of docs/active.md.
"""

import argparse
import subprocess
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from experiments.active_pages import write_page
from experiments.json_lines import append_line, open_lines, read_lines
from experiments.strategies import STRATEGIES
from fuzzypairs.active import Session
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import load
from fuzzypairs.datasets.loading import find_file

__all__ = ["GRADERS", "SETS", "Dialogue", "run"]

# Kept with the page, so that anyone can go on where others stopped.
DOCS = Path(__file__).resolve().parents[1] / "docs"
LINES = DOCS / "active" / "dialogues.jsonl"
# The default strategy was chosen on the first sets, and the others report on it.
CHOOSE = (
    *("ecoli", "heartc", "penguins", "glass", "votes", "ionosphere", "zoo"),
    *("segment", "penbased", "satimage", "waveform", "sonar", "hepatitis", "twonorm"),
)
REPORT = (
    *("wine", "seeds", "dermatology", "australian", "soybean", "crabs", "newthyroid"),
    *("vehicle", "texture", "vowel", "brown", "arrowhead"),
)
SETS = {"choose": CHOOSE, "report": REPORT}
# Of larger sets so many rows, always the same.
MOST_ROWS = 500
BUDGETS = (10, 25, 50, 75, 100, 150, 200, 300)
# The model that questions follow is fitted at the budgets, and at these.
REFITS = (18, 32, 40, 60, 125, 250)
WITHOUT_MODEL = ("random", "explore-consolidate", "min-max", "cobras", "disagreement")


@dataclass(frozen=True)
class Grader:
    """A simulated person who knows the classes.

    Grades are (1 + R) / 2 with R uniform on (0, 1], positive for one class.
    """

    wrong: float = 0.0  # share of answers with the wrong sign
    jitter: float = 0.0  # standard deviation of noise on grades
    shift: float = 0.0  # added to every grade
    skips: float = 0.0  # share of questions skipped

    def answer(self, same: bool, rng: np.random.Generator) -> float | None:
        """Return a grade, or None for a question that is skipped."""
        strength = (2.0 - rng.random()) / 2.0
        wrong, skips = rng.random(2) < (self.wrong, self.skips)
        grade = strength if same != wrong else -strength
        grade += self.shift + self.jitter * rng.standard_normal()
        return None if skips else float(np.clip(grade, -1.0, 1.0))


GRADERS = {
    "exact": Grader(),
    "10 % wrong": Grader(wrong=0.1),
    "jittered": Grader(jitter=0.4),
    "lenient": Grader(shift=0.3),
    "skips 20 %": Grader(skips=0.2),
}


@dataclass(frozen=True)
class Dialogue:
    """One simulated session."""

    set: str
    strategy: str
    grader: str
    seed: int
    questions: int


@lru_cache(maxsize=1)
def version() -> str:
    """Return the commit that the code is of, with "-dirty" if files were changed."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    ).stdout.strip()


@lru_cache(maxsize=1)
def read_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return standardised data and classes, of `MOST_ROWS` rows at most."""
    path = find_file(f"more/{name}.csv.gz")
    if path is not None:
        frame = pd.read_csv(path)
        X = frame.drop(columns="class").to_numpy(dtype=np.float64)
        y = pd.factorize(frame["class"])[0]
    else:
        data = load(name, scale=True)
        X, y = data.data, data.target
    if len(y) > MOST_ROWS:
        drawn = np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False)
        X, y = X[np.sort(drawn)], y[np.sort(drawn)]
    return X, y


def run(dialogue: Dialogue) -> dict[str, Any]:
    """Simulate a session; return normalised ARI in percent after each budget."""
    X, y = read_set(dialogue.set)
    grader = GRADERS[dialogue.grader]
    rng = np.random.default_rng([dialogue.seed, 1])
    begin = time.process_time()
    scores: dict[int, float] = {}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = Session(
            X, len(np.unique(y)), dialogue.strategy, dialogue.seed, refit_every=0
        )
        uses_model = dialogue.strategy not in WITHOUT_MODEL
        for asked in range(1, dialogue.questions + 1):
            for question in session.pop():
                same = bool(y[question.i] == y[question.j])
                session.mark(question.i, question.j, grader.answer(same, rng))
            if asked in BUDGETS:
                labels = session.fit().labels_
                scores[asked] = round(100 * normalized_ari(y, labels), 3)
            elif asked in REFITS and uses_model:
                session.fit()
    seconds = round(time.process_time() - begin, 2)
    found = {"ari": scores, "seconds": seconds, "version": version()}
    return {**asdict(dialogue), **found}


def run_all(dialogues: Sequence[Dialogue], jobs: int) -> Iterator[dict[str, Any]]:
    """Give lines as they are finished."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(run, dialogue) for dialogue in dialogues]
        for future in as_completed(futures):
            yield future.result()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", nargs="?", choices=["run", "table"], default="run")
    parser.add_argument("--lines", type=Path, default=LINES)
    parser.add_argument("--sets", default="report", help="choose, report, or names")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--graders", default=",".join(GRADERS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=BUDGETS[-1])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    lines = read_lines(options.lines)
    if options.action == "table":
        write_page(lines, DOCS / "active.md", DOCS / "pictures" / "active.png")
    else:
        done = {tuple(line[n] for n in Dialogue.__dataclass_fields__) for line in lines}
        todo = [
            Dialogue(name, strategy, grader, seed, options.questions)
            for grader in options.graders.split(",")
            for seed in range(options.seeds)
            for name in SETS.get(options.sets, options.sets.split(","))
            for strategy in options.strategies.split(",")
        ]
        todo = [d for d in todo if tuple(asdict(d).values()) not in done]
        open_lines(options.lines)
        for number, line in enumerate(run_all(todo, options.jobs), start=1):
            append_line(options.lines, line)
            what = line["set"], line["strategy"], line["grader"], line["seed"]
            print(
                f"{number} of {len(todo)}:", *what, f"{line['seconds']} s", flush=True
            )


if __name__ == "__main__":
    main()
