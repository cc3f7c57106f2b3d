"""`fuzzypairs demo`: the same items, clustered as two judges see them."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fuzzypairs import __version__
from fuzzypairs.cli import options, screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    import pandas as pd

    from fuzzypairs import GuidedFDC, PairSet
    from fuzzypairs._typing import Floats, Labels
    from fuzzypairs.report import Table

__all__ = ["JudgeTrial", "Subject", "demo", "read_messages"]

# Chosen because the clusters that pixels alone give fit neither judge: two of the four
# have a loop, two others are even, and all four combinations occur.
DIGITS = (2, 7, 8, 9)
DRAWS = 5


class Judge(NamedTuple):
    """A person with a question in mind."""

    name: str
    question: str
    answers: tuple[str, ...]
    # The number of the answer for each kind of items.
    answer: Callable[[str], int]


class Limit(NamedTuple):
    """Conditions under which a judge is tried."""

    n_pairs: int
    wrong: float  # share of judgements with the wrong sign
    learns: bool = True  # whether the model is GuidedFDC, not PCCA

    @property
    def name(self) -> str:
        """The conditions in words."""
        wrong = f", {round(self.wrong * self.n_pairs)} wrong" if self.wrong else ""
        method = "" if self.learns else ", PCCA"
        return f"{self.n_pairs} judgements{wrong}{method}"


def _limits(n_pairs: int) -> tuple[Limit, ...]:
    return (
        Limit(n_pairs, 0.0),
        Limit(n_pairs // 2, 0.0),
        Limit(n_pairs, 0.2),
        Limit(n_pairs, 0.0, learns=False),
    )


@dataclass(frozen=True)
class Subject:
    """What is clustered, and by whom."""

    name: str
    noun: str
    judges: tuple[Judge, ...]
    limits: tuple[Limit, ...]
    origin: str
    method: str

    @property
    def title(self) -> str:
        """The heading of the report."""
        return f"Same {self.name}, two judges"


DRAWN = (
    "Draws of judgements are consecutive seeds from {seed} on, none is left out, and "
    "{shown} the first."
)
PICTURES = Subject(
    "digits",
    "picture",
    (
        Judge(
            "loop", "Is there a loop?", ("no loop", "loop"),
            lambda kind: int(kind in "89"),
        ),
        Judge(
            "parity", "Even or odd?", ("even", "odd"), lambda kind: int(kind in "79")
        ),
    ),
    _limits(60),
    "The pictures are the digits 2, 7, 8 and 9 of scikit-learn, 8 by 8 pixels each. "
    "They were chosen because their clusters fit neither judge. "
    + DRAWN.replace("{shown}", "the pictures show"),
    "Each judge graded {n} random pairs of pictures as alike or unlike, by the answer "
    "to the question and with a random strength. Digits are known only to the judge, "
    "and to score the clusters.",
)  # fmt: skip
TOPICS = ("bank", "food", "internet", "parcel", "pool", "train")
TONES = ("annoyed", "pleased")
MESSAGES = Subject(
    "messages",
    "message",
    (
        Judge(
            "subject", "What is it about?", TOPICS,
            lambda kind: TOPICS.index(kind.split(", ")[0]),
        ),
        Judge(
            "tone", "Annoyed or pleased?", TONES,
            lambda kind: TONES.index(kind.split(", ")[1]),
        ),
    ),
    _limits(100),
    "The 300 messages were written for this demo: 25 for each of six subjects in two "
    "tones. " + DRAWN.replace("{shown}", "texts and tables show"),
    "Each judge graded {n} random pairs of messages as alike or unlike, by the answer "
    "to the question and with a random strength. Subjects and tones are known only to "
    "the judge, and to score the clusters. Messages are compared {said}.",
)  # fmt: skip


def demo(
    out: options.Out = Path("fuzzypairs-demo"),
    texts: Annotated[
        bool, typer.Option("--texts", help="Short messages instead of pictures.")
    ] = False,
    seed: Annotated[
        int, options.of_model(min=0, help="The first seed of judgements and starts.")
    ] = 0,
    draws: Annotated[
        int, options.of_model(min=1, help="How many draws of judgements.")
    ] = DRAWS,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Cluster the same items as two judges see them; show what judgements change.

    The items are pictures of digits, or 300 short messages with --texts.
    """
    screen.check_folder(out, force)
    subject = MESSAGES if texts else PICTURES
    with screen.plain_errors():
        from fuzzypairs.tables.atomic import staging

        with screen.progress() as show, screen.warnings_as_notes() as notes:
            items = _load_messages() if texts else _load_digits()
            trials = _run_trials(subject, items, seed, draws, show)
        with staging(out) as folder:
            _write(folder, subject, trials, seed)
    if as_json:
        screen.print_json(_summary(subject, trials))
        return
    terminal = screen.new_terminal()
    for trial in trials:
        terminal.print(f"\n[bold]{trial.judge.question}[/]")
        screen.print_verdict(terminal, trial.model.verdict_.sentences)
        terminal.print(screen.as_table(trial.table()))
    terminal.print(screen.as_table(_limits_table(subject, trials)))
    terminal.print(subject.origin.format(seed=seed))
    screen.print_notes(terminal, notes)
    terminal.print("\nRead the report:")
    typer.echo(out / "report.html")


@dataclass(frozen=True, eq=False)
class _Items:
    """Items with their features."""

    X: "Floats"
    kinds: "Sequence[str]"  # a digit, or subject and tone
    texts: list[str] | None = None
    said: str = ""


@dataclass(frozen=True, eq=False)
class JudgeTrial:
    """What one judge gets: without judgements, with them, and at the limits."""

    judge: Judge
    items: _Items
    meant: "Labels"  # the number of the answer for each item
    alone: "Floats"  # memberships without judgements
    model: "GuidedFDC"  # fitted with the judgements of the first draw
    pairs: "PairSet"  # of the first draw
    accuracy: dict[Limit, list[float]]  # by draw

    def found(self, memberships: "Floats") -> "Labels":
        """Return clusters, numbered after the answers that they match best."""
        import numpy as np

        from fuzzypairs.criteria import align_clusters

        answers = np.eye(len(self.judge.answers))[self.meant]
        return np.asarray(align_clusters(answers, memberships).argmax(axis=1))

    @cached_property
    def clusters(self) -> "list[Labels]":
        """Clusters without judgements, and with those of the first draw."""
        return [self.found(U) for U in (self.alone, self.model.memberships_)]

    @property
    def before(self) -> float:
        """The share of items that clusters without judgements have right."""
        return float((self.clusters[0] == self.meant).mean())

    @property
    def mean(self) -> float:
        """The mean share of right items under the first conditions."""
        shares = next(iter(self.accuracy.values()))
        return sum(shares) / len(shares)

    @property
    def weights(self) -> "Floats":
        """How much each feature matters; 0 where no judgement was learned from."""
        import numpy as np

        none = np.zeros(self.items.X.shape[1])
        return np.asarray(getattr(self.model, "feature_weights_", none))

    def table(self) -> "Table":
        """Return how many items of each kind are in the right cluster."""
        import numpy as np

        from fuzzypairs.report import Table

        kinds = np.array(self.items.kinds)
        rows: list[list[str | float]] = []
        for kind in np.unique(kinds):
            own, answer = kinds == kind, self.judge.answer(str(kind))
            right = [int((found[own] == answer).sum()) for found in self.clusters]
            said = self.judge.answers[answer]
            rows.append([str(kind), said, int(own.sum()), *right])
        share = [100 * float((found == self.meant).mean()) for found in self.clusters]
        heads = [
            "items",
            "judge says",
            "number",
            "right alone",
            "right with judgements",
        ]
        return Table(
            heads,
            rows,
            f"Items in the cluster of their answer, without judgements ({share[0]:.1f} "
            f"%) and with {len(self.pairs)} ({share[1]:.1f} %)",
        )

    def summary(self) -> dict[str, Any]:
        """Return the entry of the judge in summary.json."""
        return {
            "question": self.judge.question,
            "without_judgements": round(self.before, 6),
            "accuracy": {
                limit.name: [round(share, 6) for share in shares]
                for limit, shares in self.accuracy.items()
            },
            "verdict": asdict(self.model.verdict_),
            "feature_weights": self.weights.round(6).tolist(),
            "judgements": [list(map(float, triple)) for triple in self.pairs],
        }


def _load_digits() -> _Items:
    import numpy as np
    from sklearn.datasets import load_digits

    everything = load_digits()
    chosen = np.isin(everything.target, DIGITS)
    return _Items(everything.data[chosen] / 16, everything.target[chosen].astype(str))


def _load_messages() -> _Items:
    from fuzzypairs.items import ItemFeatures

    messages = read_messages()
    texts = messages["message"].tolist()
    features = ItemFeatures("text")
    X = features.fit_transform(texts)
    kinds = (messages["subject"] + ", " + messages["tone"]).tolist()
    return _Items(X, kinds, texts, features.said_)


def read_messages() -> "pd.DataFrame":
    """Return the messages of the demo, with subject and tone."""
    from importlib.resources import files

    from fuzzypairs.tables.readers import TableFile

    return TableFile(str(files("fuzzypairs.datasets") / "messages.csv")).read()


def _judge_pairs(meant: "Labels", limit: Limit, seed: int) -> "PairSet":
    """Draw random pairs of pictures, graded by how sure the judge happens to be."""
    import numpy as np

    from fuzzypairs import PairSet
    from fuzzypairs.datasets import flip_pairs

    right = PairSet.from_labels(meant, n_pairs=limit.n_pairs, random_state=seed)
    sure = np.random.default_rng(seed).choice([0.4, 0.6, 0.8, 1.0], len(right))
    graded = PairSet(right.i, right.j, right.grade * sure, right.n_samples)
    return flip_pairs(graded, limit.wrong, random_state=seed)


def _run_trials(
    subject: Subject,
    items: _Items,
    seed: int,
    draws: int,
    show: Callable[[str, float, float], None],
) -> list[JudgeTrial]:
    """Fit without judgements, and for each judge, limit and draw."""
    import numpy as np

    from fuzzypairs import FDC, PCCA, GuidedFDC
    from fuzzypairs.criteria import hungarian_accuracy
    from fuzzypairs.exceptions import FuzzyPairsWarning

    total, done = len(subject.judges) * len(subject.limits) * draws, 0
    trials = []
    for judge in subject.judges:
        k = len(judge.answers)
        meant = np.array([judge.answer(kind) for kind in items.kinds])
        plain = FDC if items.texts is None else GuidedFDC
        alone = plain(k, random_state=seed).fit(items.X).memberships_
        accuracy: dict[Limit, list[float]] = {limit: [] for limit in subject.limits}
        fits: list[tuple[Any, PairSet]] = []
        for limit in subject.limits:
            for draw in range(seed, seed + draws):
                show(f"{judge.question} {limit.name}", done, total)
                pairs = _judge_pairs(meant, limit, draw)
                kind = GuidedFDC if limit.learns else PCCA
                with warnings.catch_warnings():
                    # PCCA is here to compare: users are not told how to mend it.
                    if not limit.learns:
                        warnings.simplefilter("ignore", FuzzyPairsWarning)
                    model = kind(k, random_state=draw, n_jobs=-1)
                    model.fit(items.X, pairs=pairs)
                accuracy[limit].append(hungarian_accuracy(meant, model.labels_))
                fits.append((model, pairs))
                done += 1
        trials.append(JudgeTrial(judge, items, meant, alone, *fits[0], accuracy))
    return trials


def _limits_table(subject: Subject, trials: list[JudgeTrial]) -> "Table":
    """Return the accuracy of all draws under each condition, judge by judge."""
    import numpy as np

    from fuzzypairs.report import Table

    heads = ["conditions"]
    names = ["no judgements", *(limit.name for limit in subject.limits)]
    rows: list[list[str | float]] = [[name] for name in names]
    for trial in trials:
        heads += [trial.judge.question, "+/-", "worst"]
        rows[0] += [100 * trial.before, "", ""]
        for row, limit in zip(rows[1:], subject.limits, strict=True):
            shares = 100 * np.array(trial.accuracy[limit])
            n = len(shares)
            error = float(shares.std(ddof=1)) / n**0.5 if n > 1 else ""
            row += [float(shares.mean()), error, float(shares.min())]
    draws = len(next(iter(trials[0].accuracy.values())))
    caption = (
        f"{subject.noun.capitalize()}s in the right cluster, percent: mean of {draws} "
        "draws, its standard error, and the worst draw"
    )
    return Table(heads, rows, caption)


def _summary(subject: Subject, trials: list[JudgeTrial]) -> dict[str, Any]:
    """Return what summary.json holds."""
    data = "digits 2, 7, 8 and 9 of scikit-learn"
    return {
        "fuzzypairs": __version__,
        "data": data if subject is PICTURES else "messages of fuzzypairs",
        f"{subject.noun}s": len(trials[0].meant),
        "judges": {trial.judge.name: trial.summary() for trial in trials},
    }


def _write(folder: Path, subject: Subject, trials: list[JudgeTrial], seed: int) -> None:
    """Write all files of the demo."""
    from fuzzypairs.analysis.analysis_result import write_json
    from fuzzypairs.analysis.result_columns import write_memberships
    from fuzzypairs.cli.demo_page import draw_figure, write_page

    if subject is PICTURES:
        draw_figure(trials).savefig(folder / "digits.png", dpi=150)
    else:
        read_messages().to_csv(folder / "messages.csv", index=False)
    write_page(
        folder / "report.html",
        subject,
        trials,
        [_limits_table(subject, trials)],
        subject.origin.format(seed=seed),
    )
    for trial in trials:
        path = folder / f"memberships-{trial.judge.name}.csv"
        write_memberships(path, None, trial.model.memberships_, trial.model.labels_)
    write_json(folder / "summary.json", _summary(subject, trials))
