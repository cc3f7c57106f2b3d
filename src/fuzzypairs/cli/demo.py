"""`fuzzypairs demo`: the same digits, clustered as two judges see them."""

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fuzzypairs import __version__
from fuzzypairs.cli import options, screen

# What is slow to load is imported where it is used: --help answers at once.
if TYPE_CHECKING:
    from fuzzypairs import GuidedFDC, PairSet
    from fuzzypairs._typing import Floats, Labels, Mask
    from fuzzypairs.report import Table

__all__ = ["demo"]

# Chosen because the clusters that pixels alone give fit neither judge: two of the four
# have a loop, two others are even, and all four combinations occur.
DIGITS = (2, 7, 8, 9)
PAIRS = 60
DRAWS = 5
# Pictures that are shown of all, and how many stand in a row of a block.
SHOWN, ACROSS = 80, 8
ORIGIN = (
    "The pictures are the digits 2, 7, 8 and 9 of scikit-learn, 8 by 8 pixels each. "
    "They were chosen because their clusters fit neither judge. Draws of judgements "
    "are consecutive seeds from {seed} on, none is left out, and the pictures show the "
    "first."
)


class Judge(NamedTuple):
    """A person with a question in mind."""

    name: str
    question: str
    yes: tuple[int, ...]  # digits of the one answer
    answers: tuple[str, str]  # for other digits, and for these


JUDGES = (
    Judge("loop", "Is there a loop?", (8, 9), ("no loop", "loop")),
    Judge("parity", "Even or odd?", (7, 9), ("even", "odd")),
)


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


LIMITS = (
    Limit(PAIRS, 0.0),
    Limit(PAIRS // 2, 0.0),
    Limit(PAIRS, 0.2),
    Limit(PAIRS, 0.0, learns=False),
)


def demo(
    out: options.Out = Path("fuzzypairs-demo"),
    seed: Annotated[
        int, options.of_model(min=0, help="The first seed of judgements and starts.")
    ] = 0,
    draws: Annotated[
        int, options.of_model(min=1, help="How many draws of judgements.")
    ] = DRAWS,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Cluster the same digits as two judges see them; show what judgements change."""
    screen.check_folder(out, force)
    with screen.plain_errors():
        from fuzzypairs.tables.atomic import staging

        with screen.progress() as show, screen.warnings_as_notes() as notes:
            trials = _run_trials(seed, draws, show)
        with staging(out) as folder:
            _write(folder, trials, seed)
    if as_json:
        screen.print_json(_summary(trials))
        return
    terminal = screen.new_terminal()
    for trial in trials:
        terminal.print(f"\n[bold]{trial.judge.question}[/]")
        screen.print_verdict(terminal, trial.model.verdict_.sentences)
        terminal.print(screen.as_table(trial.digit_table()))
    terminal.print(screen.as_table(_limits_table(trials)))
    terminal.print(ORIGIN.format(seed=seed))
    screen.print_notes(terminal, notes)
    terminal.print("\nRead the report:")
    typer.echo(out / "report.html")


@dataclass(frozen=True, eq=False)
class _Trial:
    """What one judge gets: without judgements, with them, and at the limits."""

    judge: Judge
    images: "Floats"  # (n_pictures, 64), from 0 to 1
    digit: "Labels"
    alone: "Floats"  # memberships without judgements
    model: "GuidedFDC"  # fitted with the judgements of the first draw
    pairs: "PairSet"  # of the first draw
    accuracy: dict[Limit, list[float]]  # by draw

    @cached_property
    def meant(self) -> "Labels":
        """The answer to the judge's question for each picture."""
        return _answers(self.judge, self.digit)

    def found(self, memberships: "Floats") -> "Labels":
        """Return clusters, numbered after the answers that they match best."""
        import numpy as np

        from fuzzypairs.criteria import align_clusters

        aligned = align_clusters(np.eye(2)[self.meant], memberships)
        return np.asarray(aligned.argmax(axis=1))

    @property
    def before(self) -> float:
        """The share of pictures that clusters without judgements have right."""
        return float((self.found(self.alone) == self.meant).mean())

    def digit_table(self) -> "Table":
        """Return how many pictures of each digit are in each cluster."""
        from fuzzypairs.report import Table

        clusters = [self.found(U) for U in (self.alone, self.model.memberships_)]
        rows: list[list[str | float]] = []
        for digit in DIGITS:
            own = self.digit == digit
            counts = [int((c[own] == k).sum()) for c in clusters for k in (0, 1)]
            answer = self.judge.answers[digit in self.judge.yes]
            rows.append([str(digit), answer, *counts])
        right = [100 * float((c == self.meant).mean()) for c in clusters]
        return Table(
            ["digit", "judge says", "alone: A", "alone: B", "judged: A", "judged: B"],
            rows,
            f"Pictures in clusters A and B, without judgements ({right[0]:.1f} % "
            f"right) and with {len(self.pairs)} ({right[1]:.1f} % right)",
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
            "feature_weights": _weights(self.model).round(6).tolist(),
            "judgements": [list(map(float, triple)) for triple in self.pairs],
        }


def _answers(judge: Judge, digit: "Labels") -> "Labels":
    import numpy as np

    return np.isin(digit, judge.yes).astype(np.int64)


def _weights(model: "GuidedFDC") -> "Floats":
    """Return how much each pixel matters; 0 where no judgement was learned from."""
    import numpy as np

    return np.asarray(getattr(model, "feature_weights_", np.zeros(64)))


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
    seed: int, draws: int, show: Callable[[str, float, float], None]
) -> list[_Trial]:
    """Fit the digits without judgements, and for each judge, limit and draw."""
    import numpy as np
    from sklearn.datasets import load_digits

    from fuzzypairs import FDC, PCCA, GuidedFDC
    from fuzzypairs.criteria import hungarian_accuracy
    from fuzzypairs.exceptions import FuzzyPairsWarning

    everything = load_digits()
    chosen = np.isin(everything.target, DIGITS)
    X, digit = everything.data[chosen] / 16, everything.target[chosen]
    alone = FDC(2, random_state=seed).fit(X).memberships_
    total, done = len(JUDGES) * len(LIMITS) * draws, 0
    trials = []
    for judge in JUDGES:
        meant = _answers(judge, digit)
        accuracy: dict[Limit, list[float]] = {limit: [] for limit in LIMITS}
        fits: list[tuple[Any, PairSet]] = []
        for limit in LIMITS:
            for draw in range(seed, seed + draws):
                show(f"{judge.question} {limit.name}", done, total)
                pairs = _judge_pairs(meant, limit, draw)
                kind = GuidedFDC if limit.learns else PCCA
                with warnings.catch_warnings():
                    # PCCA is here to compare: users are not told how to mend it.
                    if not limit.learns:
                        warnings.simplefilter("ignore", FuzzyPairsWarning)
                    model = kind(2, random_state=draw, n_jobs=-1).fit(X, pairs=pairs)
                accuracy[limit].append(hungarian_accuracy(meant, model.labels_))
                fits.append((model, pairs))
                done += 1
        trials.append(_Trial(judge, X, digit, alone, *fits[0], accuracy))
    return trials


def _limits_table(trials: list[_Trial]) -> "Table":
    """Return the accuracy of all draws under each condition, judge by judge."""
    import numpy as np

    from fuzzypairs.report import Table

    heads = ["conditions"]
    names = ["no judgements", *(limit.name for limit in LIMITS)]
    rows: list[list[str | float]] = [[name] for name in names]
    for trial in trials:
        heads += [trial.judge.question, "+/-", "worst"]
        rows[0] += [100 * trial.before, "", ""]
        for row, limit in zip(rows[1:], LIMITS, strict=True):
            shares = 100 * np.array(trial.accuracy[limit])
            n = len(shares)
            error = float(shares.std(ddof=1)) / n**0.5 if n > 1 else ""
            row += [float(shares.mean()), error, float(shares.min())]
    draws = len(next(iter(trials[0].accuracy.values())))
    caption = (
        f"Pictures in the right cluster, percent: mean of {draws} draws, its standard "
        "error, and the worst draw"
    )
    return Table(heads, rows, caption)


def _summary(trials: list[_Trial]) -> dict[str, Any]:
    """Return what summary.json holds."""
    return {
        "fuzzypairs": __version__,
        "data": "digits 2, 7, 8 and 9 of scikit-learn",
        "pictures": len(trials[0].digit),
        "judges": {trial.judge.name: trial.summary() for trial in trials},
    }


def _write(folder: Path, trials: list[_Trial], seed: int) -> None:
    """Write all files of the demo."""
    from fuzzypairs.analysis.analysis_result import write_json
    from fuzzypairs.analysis.result_columns import write_memberships

    _figure(trials).savefig(folder / "digits.png", dpi=120)
    _write_page(folder / "report.html", trials, seed)
    for trial in trials:
        path = folder / f"memberships-{trial.judge.name}.csv"
        write_memberships(path, None, trial.model.memberships_, trial.model.labels_)
    write_json(folder / "summary.json", _summary(trials))


def _figure(trials: list[_Trial]) -> Any:
    """Draw pictures by cluster, a row for each judge, and the pixels that matter."""
    from fuzzypairs.plots import new_figure

    figure = new_figure((11.0, 2.6 * len(trials)))
    panels = figure.subplots(
        len(trials), 3, squeeze=False, width_ratios=[2.0, 2.0, 1.0]
    )
    for trial, (left, middle, right) in zip(trials, panels, strict=True):
        fits = [("without judgements", left, trial.alone)]
        fits += [(f"with {PAIRS} judgements", middle, trial.model.memberships_)]
        for name, ax, memberships in fits:
            found = trial.found(memberships)
            share = 100 * (found == trial.meant).mean()
            _draw_mosaic(ax, trial.images, found, found != trial.meant)
            title = f"{trial.judge.question} {name}: {share:.1f} % right"
            ax.set_title(title, fontsize=9, pad=14)
        _draw_pixels(right, trial.model)
    return figure


def _draw_mosaic(ax: Any, images: "Floats", found: "Labels", wrong: "Mask") -> None:
    """Show some pictures, one block for each cluster, with the wrong ones boxed."""
    import numpy as np
    from matplotlib.patches import Rectangle

    from fuzzypairs.plots.style import BROKEN

    shown = np.random.default_rng(0).permutation(len(images))[:SHOWN]
    blocks = [shown[found[shown] == k] for k in (0, 1)]
    height = -(-max(map(len, blocks)) // ACROSS)
    side, gap = 10, 6  # a picture with its margin, and between blocks, in pixels
    canvas = np.zeros((side * height + 1, 2 * side * ACROSS + gap))
    for k, rows in enumerate(blocks):
        for place, row in enumerate(rows):
            y = 1 + side * (place // ACROSS)
            x = 1 + side * (place % ACROSS) + k * (side * ACROSS + gap)
            canvas[y : y + 8, x : x + 8] = images[row].reshape(8, 8)
            if wrong[row]:
                ax.add_patch(
                    Rectangle((x - 1, y - 1), 9, 9, fill=False, ec=BROKEN, lw=1.5)
                )
    ax.imshow(canvas, cmap="gray_r", vmin=0, vmax=1.1, interpolation="nearest")
    for k, name in enumerate("AB"):
        middle = side * ACROSS * (k + 0.5) + gap * k
        ax.text(middle, -2, f"cluster {name}", ha="center", va="bottom", fontsize=8)
    ax.set_axis_off()
    ax.set_anchor("N")


def _draw_pixels(ax: Any, model: "GuidedFDC") -> None:
    """Show how much each pixel matters for the judge's clusters."""
    ax.imshow(_weights(model).reshape(8, 8), cmap="Blues", interpolation="nearest")
    ax.set_title("pixels that matter", fontsize=9)
    ax.set(xticks=[], yticks=[], anchor="N")


def _write_page(path: Path, trials: list[_Trial], seed: int) -> None:
    """Write the report of the demo."""
    from fuzzypairs.report import Picture, Section, write_report

    lead = " ".join(
        f"{t.judge.question} {100 * t.before:.1f} % of {len(t.digit)} pictures are in "
        f"the right cluster without judgements, and {100 * _mean(t):.1f} % on average "
        f"with {PAIRS}."
        for t in trials
    )
    shown = Picture(
        _figure(trials),
        alt="Pictures of digits in two clusters, without judgements and with them, for "
        "both judges; the tables hold the numbers.",
        caption="The same pictures in every panel, by cluster. Boxes mark pictures in "
        "the wrong cluster. To the right: how much each pixel matters (darker: more).",
    )
    sections: list[Section] = [Section("Same digits, two judges", picture=shown)]
    sections += [
        Section(t.judge.question, t.model.verdict_.sentences, tables=[t.digit_table()])
        for t in trials
    ]
    made = [
        ORIGIN.format(seed=seed),
        f"Each judge graded {PAIRS} random pairs of pictures as alike or unlike, by "
        "the answer to the question and with a random strength. Digits are known only "
        "to the judge, and to score the clusters. Without judgements: FDC with its "
        "defaults. "
        "With judgements: GuidedFDC with its defaults, and PCCA for comparison.",
    ]
    sections += [
        Section("Limits", tables=[_limits_table(trials)]),
        Section("How this was made", made),
    ]
    write_report(path, title="Same digits, two judges", lead=lead, sections=sections)


def _mean(trial: _Trial) -> float:
    shares = trial.accuracy[LIMITS[0]]
    return sum(shares) / len(shares)
