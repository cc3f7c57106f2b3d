"""What graded judgements by 13 people predict, with one rate of errors and with many.

``python -m experiments.graded`` fits what is not in the file of lines yet, and
``python -m experiments.graded table`` writes the tables of docs/judges.md from it.

The judgements are those of 16 words of DWUG EN 3: how related two uses of a word are,
from 1 to 4. ``$FUZZYPAIRS_DATA/graded`` holds them, as ``judgements.csv.gz`` (word, a,
b, annotator, grade) and ``uses.csv.gz`` (id, word, cluster, context).
"""

import argparse
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from experiments.json_lines import append_line, open_lines, read_lines
from experiments.pages import markdown_table, put_results
from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.criteria import paired_ttest
from fuzzypairs.items import ItemFeatures

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "judges.md"
LINES = PAGE.with_suffix("") / "graded.jsonl"

N_FOLDS = 3
N_CLUSTERS = (1, 2, 4, 8)
# 0 is "cannot decide".
GRADES = {0: 0.0, 1: -1.0, 2: -1 / 3, 3: 1 / 3, 4: 1.0}
# Probabilities are at least this far from 0 and 1.
LEAST = 1e-3
FEATURES = ("texts", "none")
RATES = ("one", "by judge")
REFERENCES = ("share", "published")
# What predicts, by what is known of uses and by rates.
NAMES = {
    ("share", ""): "share of alike",
    ("none", "one"): "judgements, one rate",
    ("none", "by judge"): "judgements, a rate by judge",
    ("texts", "one"): "judgements and sentences, one rate",
    ("texts", "by judge"): "judgements and sentences, a rate by judge",
    ("published", ""): "published clusters",
}
SAID = {"texts": "with sentences", "none": "without sentences"}
RESAMPLES, N_ITER = 200, 50


@dataclass(frozen=True)
class Word:
    """The uses of a word, and what people said of pairs of them.

    Attributes
    ----------
    name : str
    contexts : list of str
        The sentences.
    clusters : ndarray of shape (n_uses,)
        The published ones, -1 for none. They were found from these judgements.
    pairs : PairSet
    """

    name: str
    contexts: list[str]
    clusters: Ints
    pairs: PairSet


def read_words(folder: Path) -> list[Word]:
    """Read the judgements and the uses of all words."""
    judged = pd.read_csv(folder / "judgements.csv.gz")
    judged["grade"] = judged["grade"].map(GRADES)
    uses = pd.read_csv(folder / "uses.csv.gz", keep_default_na=False)
    words = []
    for name, some in uses.groupby("word"):
        frame = judged[judged["word"] == name]
        pairs = PairSet.from_frame(frame, data=some, id_column="id")
        words.append(
            Word(
                str(name),
                some["context"].tolist(),
                some["cluster"].to_numpy(),
                pairs.informative,
            )
        )
    return words


def features_of(word: Word, kind: str) -> Floats:
    """Return embeddings of the sentences, or numbers that say nothing."""
    if kind == "texts":
        return np.asarray(ItemFeatures("text").fit_transform(word.contexts))
    return np.random.default_rng(0).normal(size=(len(word.contexts), 2))


def rates_of(pairs: PairSet, rates: Mapping[str, float], other: float) -> Floats:
    """Return the rate of errors of the judge of each judgement."""
    by_judge = np.array([rates.get(name, other) for name in pairs.judge_names])
    return np.asarray(by_judge[pairs.judges])


def score(pairs: PairSet, together: Floats, rate: Floats | float) -> dict[str, Any]:
    """Score predictions of judgements that were held out.

    Parameters
    ----------
    pairs : PairSet
    together : ndarray of shape (n_pairs,)
        The probability that both samples are in one cluster.
    rate : float or ndarray of shape (n_pairs,)
        The rate of errors of each judgement.
    """
    alike = pairs.grade > 0
    p = np.clip(rate + (1 - 2 * rate) * together, LEAST, 1 - LEAST)
    rank = spearmanr(p, pairs.grade).statistic if np.ptp(p) > 0 else 0.0
    return {
        "n": len(pairs),
        "log_likelihood": float(np.log(np.where(alike, p, 1 - p)).mean()),
        "auc": float(roc_auc_score(alike, p)) if 0 < alike.mean() < 1 else None,
        "rank": float(rank),
    }


def run_fold(
    word: Word, train: PairSet, test: PairSet, X: Floats, rates: str
) -> dict[str, Any]:
    """Fit the judgements of a fold, and score those that were held out."""
    started = time.monotonic()
    given = train if rates == "by judge" else train.by("people")
    model: Any = GuidedFDC(N_CLUSTERS, random_state=0).fit(X, pairs=given)
    U = model.memberships_
    found = {name: rate for name, (rate, *_) in model.error_rates_.items()}
    rate = rates_of(test, found, model.error_rate_)
    together = np.einsum("pk,pk->p", U[test.i], U[test.j])
    return {
        **score(test, together, rate),
        "error_rate": model.error_rate_,
        "error_rates": found,
        "n_clusters": model.n_clusters_,
        "seconds": round(time.monotonic() - started, 2),
    }


def run_reference(
    word: Word, train: PairSet, test: PairSet, kind: str
) -> dict[str, Any]:
    """Score the share of alike judgements, or the published clusters."""
    if kind == "share":
        alike = float((train.grade > 0).mean())
        return score(test, np.full(len(test), alike), 0.0)
    c = word.clusters
    same, other = (((c[p.i] == c[p.j]) & (c[p.i] >= 0)) for p in (train, test))
    rate = float((same != (train.grade > 0)).mean())
    return score(test, other.astype(float), rate)


def trials(words: Sequence[Word], features: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Name trials: a word, a fold, what is known of uses, and rates."""
    kinds = [(kind, "") for kind in REFERENCES]
    for fold, word in itertools.product(range(N_FOLDS), words):
        for kind, rates in [*kinds, *itertools.product(FEATURES, RATES)]:
            if kind in features:
                trial = {"word": word.name, "fold": fold, "features": kind}
                yield trial | {"rates": rates}


def run_all(words: Sequence[Word], features: Sequence[str], lines: Path) -> int:
    """Run the trials that are not in the file; return their number."""
    by_name = {word.name: word for word in words}
    keys = ("word", "fold", "features", "rates")
    done = {tuple(line[key] for key in keys) for line in read_lines(lines)}
    open_lines(lines)
    n_run, last = 0, ""
    X: dict[str, Floats] = {}
    folds: list[tuple[PairSet, PairSet]] = []
    for trial in trials(words, features):
        if tuple(trial.values()) in done:
            continue
        word, kind = by_name[trial["word"]], trial["features"]
        if word.name != last:
            last, X = word.name, {}
            # All judgements of a pair are held out together.
            folds = list(word.pairs.split(N_FOLDS, 0, whole_groups=False))
        train, test = folds[trial["fold"]]
        if kind in REFERENCES:
            found = run_reference(word, train, test, kind)
        else:
            if kind not in X:
                X[kind] = features_of(word, kind)
            found = run_fold(word, train, test, X[kind], trial["rates"])
        append_line(lines, {**trial, **found})
        n_run += 1
    return n_run


# Rates from judgements of one pair by several people


@dataclass(frozen=True)
class Doubles:
    """Judgements of pairs that several people judged, in all words.

    Attributes
    ----------
    names : tuple of str
    alike : ndarray of shape (n_pairs, n_judges)
        1 for alike, 0 for unlike, NaN for no judgement.
    word : ndarray of shape (n_pairs,)
        The word of each pair, by number.
    """

    names: tuple[str, ...]
    alike: Floats
    word: Ints


def read_doubles(words: Sequence[Word]) -> Doubles:
    """Return the pairs that two people or more have judged."""
    names = sorted({name for word in words for name in word.pairs.judge_names})
    parts = []
    for word in words:
        pairs = word.pairs
        column = np.array([names.index(name) for name in pairs.judge_names])
        said = np.full((pairs.pair.max() + 1, len(names)), np.nan)
        said[pairs.pair, column[pairs.judges]] = pairs.grade > 0
        parts.append(said[(~np.isnan(said)).sum(axis=1) > 1])
    number = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return Doubles(tuple(names), np.concatenate(parts), number)


def disagreement(alike: Floats) -> float:
    """Return the share of two people's judgements of a pair on opposite sides."""
    n, yes = (~np.isnan(alike)).sum(axis=1), np.nansum(alike, axis=1)
    return float((yes * (n - yes)).sum() / (n * (n - 1) / 2).sum())


def rates_of_doubles(alike: Floats, word: Ints) -> Floats:
    """Return the rate of errors of each judge, by expectation maximisation.

    Each pair is alike, with a probability of its word, or unlike, and each judge errs
    with a rate of his own whatever it is, independently of others (Dawid and Skene,
    1979, with one rate a judge). One right and one wrong judgement are added to each
    judge's, one alike and one unlike pair to each word's.
    """
    known = ~np.isnan(alike)
    yes, no = np.nan_to_num(alike), np.where(known, 1 - np.nan_to_num(alike), 0.0)
    rate, share = np.full(alike.shape[1], 0.2), np.full(word.max() + 1, 0.5)
    for _ in range(N_ITER):
        odds = np.log((1 - rate) / rate)
        logit = np.log(share / (1 - share))[word] + (yes - no) @ odds
        q = 1 / (1 + np.exp(-logit))
        wrong = (q[:, None] * no + (1 - q)[:, None] * yes).sum(axis=0)
        rate = np.minimum((wrong + 1) / (known.sum(axis=0) + 2), 0.499)
        share = (np.bincount(word, q) + 1) / (np.bincount(word) + 2)
    return np.asarray(rate)


def intervals_of_doubles(doubles: Doubles) -> tuple[Floats, Floats]:
    """Return 95 % intervals of the rates, by resampling pairs."""
    alike, word = doubles.alike, doubles.word
    draws = np.random.default_rng(0).integers(len(word), size=(RESAMPLES, len(word)))
    found = [rates_of_doubles(alike[rows], word[rows]) for rows in draws]
    low, high = np.quantile(found, [0.025, 0.975], axis=0)
    return low, high


# Tables


def results(lines: Sequence[dict[str, Any]], words: Sequence[Word]) -> str:
    """Return the tables in Markdown."""
    frame = pd.DataFrame(lines)
    if frame.empty:
        raise ValueError("the file has no lines: run the experiment first")
    scores = ["log_likelihood", "auc", "rank"]
    keys = ["features", "rates"]
    means = {
        (str(kind), str(rates)): some.groupby("word")[scores].mean()
        for (kind, rates), some in frame.groupby(keys)
    }
    rows = []
    for key, name in NAMES.items():
        if key in means:
            mean = means[key].mean()
            rows.append([name, *(f"{mean[score]:.3f}" for score in scores)])
    parts = [markdown_table(
        ["predicted by", "log-likelihood", "area under the ROC curve",
         "rank correlation"], rows)]  # fmt: skip
    parts += [
        said_of_rates(means, kind)
        for kind in FEATURES
        if all((kind, rates) in means for rates in RATES)
    ]
    parts += ["Log-likelihood by word:", words_table(means, words)]
    parts.append(judges_table(frame, words))
    return "\n\n".join(parts)


def words_table(
    means: Mapping[tuple[str, str], pd.DataFrame], words: Sequence[Word]
) -> str:
    """Return the log-likelihood of each word, and its share of unlike judgements."""
    rows = [
        [
            word.name,
            f"{100 * word.pairs.dissimilar.mean():.0f} %",
            *(
                f"{means[key]['log_likelihood'].get(word.name, np.nan):.2f}"
                for key in NAMES
                if key in means
            ),
        ]
        for word in words
    ]
    heads = [name for key, name in NAMES.items() if key in means]
    return markdown_table(["word", "unlike", *heads], rows)


def said_of_rates(means: Mapping[tuple[str, str], pd.DataFrame], kind: str) -> str:
    """Say what a rate by judge changes, over words."""
    said = []
    for name, score_ in (("log-likelihood", "log_likelihood"), ("area", "auc")):
        one, own = (means[kind, rates][score_].dropna() for rates in RATES)
        own = own[own.index.isin(one.index)]
        one = one[own.index]
        gap, test = own - one, paired_ttest(own, one)
        said.append(
            f"{name} {gap.mean():+.4f} ({(gap > 0).sum()} of {len(gap)} words better, "
            f"p = {test.pvalue:.2g})"
        )
    return f"A rate by judge changes, {SAID[kind]}: {', '.join(said)}."


def judges_table(frame: pd.DataFrame, words: Sequence[Word]) -> str:
    """Return rates of errors by judge: from double judgements, and of the model."""
    doubles = read_doubles(words)
    rate = rates_of_doubles(doubles.alike, doubles.word)
    low, high = intervals_of_doubles(doubles)
    found = {kind: model_rates(frame, words, kind) for kind in FEATURES}
    model = {kind: rates for kind, rates in found.items() if rates}
    rows = []
    for place in np.argsort(rate):
        name = doubles.names[place]
        n_all = sum(
            int((w.pairs.judges == w.pairs.judge_names.index(name)).sum())
            for w in words
            if name in w.pairs.judge_names
        )
        n_double = int((~np.isnan(doubles.alike[:, place])).sum())
        told = [f"{100 * rates.get(name, np.nan):.0f}" for rates in model.values()]
        rows.append([
            name, f"{n_all}", f"{n_double}",
            f"{100 * rate[place]:.0f} ({100 * low[place]:.0f} to "
            f"{100 * high[place]:.0f})", *told,
        ])  # fmt: skip
    head = [
        "judge", "judgements", "of pairs that others judged", "% wrong, from these",
        *(f"by the model, {SAID[kind]}" for kind in model),
    ]  # fmt: skip
    said = (
        f"{len(doubles.alike)} pairs were judged by two people or more; two judgements "
        f"of a pair are on opposite sides in {100 * disagreement(doubles.alike):.0f} % "
        "of cases."
    )
    for kind, rates in model.items():
        by_model = [rates.get(name, np.nan) for name in doubles.names]
        same = spearmanr(rate, by_model, nan_policy="omit").statistic
        said += (
            f" Rank correlation with the rates by the model {SAID[kind]}: {same:.2f}."
        )
    return f"{markdown_table(head, rows)}\n\n{said}"


def model_rates(
    frame: pd.DataFrame, words: Sequence[Word], kind: str
) -> dict[str, float]:
    """Return the mean rates of the model by judge, weighted by judgements."""
    own = frame[(frame["features"] == kind) & (frame["rates"] == "by judge")]
    count = {
        (w.name, name): int((w.pairs.judges == code).sum())
        for w in words
        for code, name in enumerate(w.pairs.judge_names)
    }
    top: Counter[str] = Counter()
    weight: Counter[str] = Counter()
    for word, found in zip(own["word"], own.get("error_rates", []), strict=True):
        for name, rate in found.items():
            top[name] += rate * count[word, name]
            weight[name] += count[word, name]
    return {name: top[name] / weight[name] for name in top}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        "python -m experiments.graded", description=__doc__
    )
    parser.add_argument("action", nargs="?", choices=("run", "table"), default="run")
    every = (*REFERENCES, *FEATURES)
    parser.add_argument(
        "--features", nargs="+", choices=every, default=every, help="what predicts"
    )
    parser.add_argument("--words", type=int, help="only the first so many")
    parser.add_argument("--lines", type=Path, default=LINES, help="file of runs")
    parser.add_argument("--page", type=Path, default=PAGE, help="page of the tables")
    options = parser.parse_args(arguments)
    folder = Path(os.environ.get("FUZZYPAIRS_DATA", "")) / "graded"
    try:
        words = read_words(folder)[: options.words]
        if options.action == "run":
            n_run = run_all(words, options.features, options.lines)
            print(f"{n_run} trials run; in {options.lines}")
        else:
            put_results(options.page, results(read_lines(options.lines), words))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
