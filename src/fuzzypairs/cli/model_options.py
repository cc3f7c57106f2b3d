"""Options of the model of `fuzzypairs fit`, and the model that they make."""

from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from fuzzypairs.cli.options import (
    Alpha,
    Beta,
    Jobs,
    Seed,
    counts,
    number_or_auto,
    number_or_word,
    of_model,
)

__all__ = ["ModelOptions", "build_model"]


def _read_counts(text: str) -> list[int]:
    try:
        return counts(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@dataclass(frozen=True)
class ModelOptions:
    """The model of a fit: fields that are called like its parameters set them."""

    n_clusters: Annotated[
        Any,
        of_model(
            "--clusters",
            parser=_read_counts,
            metavar="K|K-K|K,K",
            help="The largest number of clusters, or several numbers to choose from "
            "by held-out judgements: 2-8 if left out.",
        ),
    ] = None
    alpha: Alpha = "auto"
    beta: Beta = "auto"
    metric: Annotated[
        str | None,
        of_model(
            help="The model of the paper with distances that are euclidean, cosine, "
            "rbf or others; auto: GuidedFDC, which learns from the judgements."
        ),
    ] = None
    metric_params: Annotated[
        list[str] | None,
        of_model(
            "--metric-param",
            help="A parameter of the metric, such as gamma=0.5; may be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None
    fuzzifier: Annotated[
        Any,
        of_model(
            help="How soft memberships are: auto or a number above 1.",
            parser=number_or_auto,
            metavar="NUMBER|auto",
        ),
    ] = None
    init: Annotated[
        str | None,
        of_model(help="Where a fit begins: k-means++, random or pair-graph."),
    ] = None
    n_init: Annotated[
        int | None, of_model(help="How many starts; the best is kept.")
    ] = None
    max_iter: Annotated[
        int | None,
        of_model(help="The largest number of passes over the data in a start."),
    ] = None
    propagate: Annotated[
        Any,
        of_model(
            parser=number_or_auto,
            metavar="NUMBER|auto",
            help="Apply judgements to neighbouring rows: a strength up to 1.",
        ),
    ] = None
    robust: Annotated[
        bool,
        of_model(
            "--robust", help="Give less weight to judgements that the data contradict."
        ),
    ] = False
    random_state: Seed = 0
    n_jobs: Jobs = -1

    def build(self) -> Any:
        """Return an unfitted model, without the number of clusters."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return build_model(given | {"n_clusters": None})


def build_model(given: dict[str, Any]) -> Any:
    """Return an unfitted model with the options that are named like its parameters.

    It is GuidedFDC, and with a metric or another option of the paper's model FDC.
    """
    from fuzzypairs import FDC, GuidedFDC

    metric = str(given.get("metric") or "auto")
    if metric.startswith("precomputed"):
        raise ValueError(
            f"--metric {metric} is for matrices in Python: a file has features; take "
            "euclidean, cosine, rbf or another"
        )
    params = dict(map(_parameter, given.get("metric_params") or ()))
    if metric == "auto" and params:
        raise ValueError(
            f"--metric-param has {next(iter(params))!r}, but --metric auto takes no "
            "parameters: name a metric"
        )
    plain = FDC().get_params()
    del plain["metric"], plain["metric_params"]
    chosen = {
        name: value
        for name, value in given.items()
        if name in plain and value is not None and value is not False
    }
    for name in ("alpha", "beta"):
        if chosen.get(name) == "auto":
            del chosen[name]
    if metric == "auto" and chosen.keys() <= GuidedFDC().get_params().keys():
        return GuidedFDC(**chosen)
    metric = "euclidean" if metric == "auto" else metric
    return FDC(**chosen, metric=metric, metric_params=params or None)


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ValueError(f"--metric-param is {text!r}: expected such as gamma=0.5")
    return name, number_or_word(value)
