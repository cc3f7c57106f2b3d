"""Tables and pictures of the experiment on judgements, from its lines alone."""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context

from experiments.design import AMOUNTS, GROUPS, LARGE, SETS, SHARES
from experiments.methods import METHODS
from experiments.scores import REFERENCE, Scores, read_scores
from fuzzypairs.plots import COLORS, HELD, MARKERS, new_figure

__all__ = ["markdown_table", "write_pages"]

# What choices are compared with, besides fuzzy c-means.
GUIDED = "GuidedFDC"
BEGIN, END = "<!-- results: written by the table command -->", "<!-- end of results -->"
TITLES = {
    "i": "0.05 judgements for each sample, all wrong",
    "ii": "0.1 for each sample, half of them wrong",
    "iii": "0.05 for each sample, all true",
    "iv": "0.1 for each sample, all true",
}
CURVES = {
    "judgements for each sample, all true": AMOUNTS,
    "share of wrong ones among 0.1 for each sample": SHARES,
}


def write_pages(
    lines: Sequence[Mapping[str, Any]], methods: Collection[str], page: Path
) -> list[Path]:
    """Write the results into a page, and tables and pictures to a folder of its name.

    Parameters
    ----------
    lines : sequence of dict
        Finished trials; nothing is fitted here.
    methods : collection of str
        Those to show.
    page : Path
        A page with the marks between which results go.

    Returns
    -------
    written : list of Path
    """
    points = list(dict.fromkeys([*GROUPS, *AMOUNTS, *SHARES]))
    # Choices fit many candidates and may have fewer draws: another table shows them.
    choices = [name for name in methods if METHODS[name].grid is not None]
    fixed = [name for name in methods if name not in choices]
    scores = _scores(lines, points, fixed)
    chosen = {
        point: found
        for point, found in _scores(
            lines, GROUPS, [*choices, REFERENCE, GUIDED]
        ).items()
        if any(name in choices for name in found.methods)
    }
    if not scores:
        raise ValueError(
            "no set has a score of every method: run the experiment, or show fewer "
            "methods by --methods"
        )
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise ValueError(f"{page} lacks the marks {BEGIN!r} and {END!r}")
    folder = page.with_suffix("")
    folder.mkdir(exist_ok=True)
    groups = {point: scores[point] for point in GROUPS if point in scores}
    written = [folder / "sets.md", folder / "scores.csv", page]
    _write(written[0], _sets_page(groups, chosen))
    alone = {
        point: Scores(
            {m: found.means[m] for m in found.methods if m in choices}, found.draws
        )
        for point, found in chosen.items()
    }
    _write(written[1], _csv([*scores.items(), *alone.items()]))
    figure = draw_curves(scores)
    for ending in ("png", "svg") if figure else ():
        written.append(folder / f"curves.{ending}")
        _save(figure, written[-1])
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    results = _results(groups, chosen, scores, folder.name, bool(figure))
    _write(page, f"{before}{BEGIN}\n\n{results}\n\n{END}{after}")
    return written


def _scores(
    lines: Sequence[Mapping[str, Any]], points: Iterable[str], methods: Collection[str]
) -> dict[str, Scores]:
    """Return the scores of methods at the points where they share a set."""
    found = {point: read_scores(lines, point, methods) for point in points}
    return {point: scores for point, scores in found.items() if scores.sets}


def summary_table(scores: Scores) -> str:
    """Return a line of means, wins and losses for each method.

    Examples
    --------
    >>> from experiments.pages import summary_table
    >>> from experiments.scores import Scores
    >>> scores = Scores({"FCM": {"zoo": 80.0}, "PCCA": {"zoo": 84.0}}, {"zoo": 5})
    >>> print(summary_table(scores))  # doctest: +NORMALIZE_WHITESPACE
    | method | chosen on | reported on | all | better / worse | worst loss |
    |---|---|---|---|---|---|
    | FCM | - | 80.00 | 80.00 | | |
    | PCCA | - | **84.00** | **84.00** | 1 / 0 | none |
    """
    halves = scores.halves()
    columns = {
        half: _bold_best({m: scores.mean(m, sets) for m in scores.methods})
        for half, sets in halves.items()
    }
    rows = []
    for method in scores.methods:
        row = [method, *(column[method] for column in columns.values())]
        if method == REFERENCE or REFERENCE not in scores.methods:
            rows.append([*row, "", ""])
            continue
        name, loss = scores.worst(method)
        worst = f"{loss:.2f} ({name})" if loss < 0 else "none"
        rows.append([*row, "{} / {}".format(*scores.wins(method)), worst])
    return markdown_table(["method", *halves, "better / worse", "worst loss"], rows)


def curve_table(scores: Mapping[str, Scores], places: Mapping[str, float]) -> str:
    """Return means over all sets along a curve, a line for each method."""
    curve = _curve_means(scores, places)
    columns = [_bold_best(means) for means in curve.values()]
    methods = list(next(iter(curve.values()), {}))
    rows = [[m, *(column[m] for column in columns)] for m in methods]
    return markdown_table(["method", *(f"{value:g}" for value in curve)], rows)


def draw_curves(scores: Mapping[str, Scores]) -> Any:
    """Draw means over all sets against number and share; None without two points."""
    panels = {
        title: curve
        for title, places in CURVES.items()
        if len(curve := _curve_means(scores, places)) > 1
    }
    if not panels:
        return None
    figure = new_figure((5.0 * len(panels) + 2.2, 4.4))
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (title, curve) in zip(axes, panels.items(), strict=True):
        methods = list(next(iter(curve.values())))
        for number, method in enumerate(methods):
            alone = method == REFERENCE
            ax.plot(
                list(curve),
                [means[method] for means in curve.values()],
                color=HELD if alone else COLORS[number % len(COLORS)],
                linestyle=":" if alone else ("-", "--")[number // len(COLORS) % 2],
                marker="" if alone else MARKERS[number % len(MARKERS)],
                markersize=5,
                linewidth=1.4,
                label=method,
            )
        ax.set_xlabel(title)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("mean normalised ARI, %")
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def _curve_means(
    scores: Mapping[str, Scores], places: Mapping[str, float]
) -> dict[float, dict[str, float]]:
    """Return means by place and method, over the sets and methods of all places."""
    there = {p: scores[p] for p in places if p in scores}
    if not there:
        return {}
    every = list(there.values())
    methods = [
        m
        for m in METHODS
        if METHODS[m].on_curves and all(m in s.methods for s in every)
    ]
    # Large sets are in the groups only, which would bend the curves there.
    sets = [
        name
        for name in every[0].draws
        if name not in LARGE and all(name in s.means[m] for s in every for m in methods)
    ]
    if not methods or not sets:
        return {}
    return {
        places[p]: {m: found.mean(m, sets) for m in methods}
        for p, found in there.items()
    }


def _results(
    groups: Mapping[str, Scores],
    chosen: Mapping[str, Scores],
    scores: Mapping[str, Scores],
    folder: str,
    has_picture: bool,
) -> str:
    parts = []
    for point, found in groups.items():
        parts += [
            f"### Group ({point}): {TITLES[point]}",
            f"Means over {_describe_sets(found)}.",
            summary_table(found),
        ]
        if point in chosen:
            parts += [
                f"Settings that were chosen, over {_describe_sets(chosen[point])}:",
                summary_table(chosen[point]),
            ]
    if groups:
        parts.append(f"Each set on its own: [{folder}/sets.md]({folder}/sets.md).")
    if has_picture:
        parts += ["### Curves", f"![Curves]({folder}/curves.png)"]
        for title, places in CURVES.items():
            parts += [f"By {title}:", curve_table(scores, places)]
    return "\n\n".join(parts)


def _sets_page(groups: Mapping[str, Scores], chosen: Mapping[str, Scores]) -> str:
    parts = ["# Judgements: each set", "Normalised ARI in percent, means over draws."]
    for point, found in groups.items():
        parts += [f"## Group ({point}): {TITLES[point]}", _sets_table(found)]
        if point in chosen:
            parts += ["Settings that were chosen:", _sets_table(chosen[point])]
    return "\n\n".join(parts) + "\n"


def _sets_table(found: Scores) -> str:
    names = [name for name in SETS if found.draws.get(name)]
    rows = []
    for name in names:
        means = {m: found.means[m].get(name, float("nan")) for m in found.methods}
        rows.append([name, str(found.draws[name]), *_bold_best(means).values()])
    return markdown_table(["set", "draws", *found.methods], rows)


def _csv(scores: Iterable[tuple[str, Scores]]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["point", "set", "draws", "method", "normalized_ari"])
    for point, found in scores:
        for method in found.methods:
            for name, value in found.means[method].items():
                table.writerow([point, name, found.draws[name], method, f"{value:.4f}"])
    return text.getvalue()


def _describe_sets(scores: Scores) -> str:
    """Return over how many sets and draws a mean is, and which sets if few."""
    names = scores.sets
    draws = sorted({scores.draws[name] for name in names})
    many = f"{draws[0]} to {draws[-1]}" if len(draws) > 1 else f"{draws[0]}"
    drawn = "1 draw" if many == "1" else f"{many} draws"
    text = f"{len(names)} sets of {drawn}" if len(names) > 1 else f"{names[0]}"
    return text + (f" ({', '.join(names)})" if 1 < len(names) < 6 else "")


def _bold_best(means: Mapping[str, float]) -> dict[str, str]:
    best = max((value for value in means.values() if value == value), default=None)
    texts = {}
    for method, value in means.items():
        text = "-" if value != value else f"{value:.2f}"
        is_best = best is not None and text == f"{best:.2f}"
        texts[method] = f"**{text}**" if is_best else text
    return texts


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    first, *rest = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join([first, "|" + "---|" * len(head), *rest])


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _save(figure: Any, path: Path) -> None:
    kind = path.suffix[1:]
    # Neither a date nor random names inside: the same lines give the same file.
    metadata = {"Date": None} if kind == "svg" else None
    with rc_context({"svg.hashsalt": "fuzzypairs", "svg.fonttype": "none"}):
        figure.savefig(path, format=kind, dpi=110, metadata=metadata)
