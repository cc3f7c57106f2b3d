"""Fuzzy clustering guided by graded judgements of pairs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Names are imported when they are first asked for: a script that fits one method does
# not wait for the libraries of all others.
if TYPE_CHECKING:
    from fuzzypairs.analysis.analyse import analyse
    from fuzzypairs.baselines.dsc import DSC
    from fuzzypairs.baselines.fhss import FHSS
    from fuzzypairs.baselines.pcca import PCCA
    from fuzzypairs.baselines.ssdc import SSDC
    from fuzzypairs.cluster.fdc import FDC
    from fuzzypairs.cluster.fuzzy_c_means import FuzzyCMeans
    from fuzzypairs.cluster.guided import GuidedFDC
    from fuzzypairs.labelling.notebook import Grader
    from fuzzypairs.pairs import PairSet
    from fuzzypairs.selection.search import PairSearchCV
    from fuzzypairs.tables.model_files import load, save
    from fuzzypairs.tables.versions import show_versions

__version__ = "0.1.0"

__all__ = [
    "DSC",
    "FDC",
    "FHSS",
    "PCCA",
    "SSDC",
    "FuzzyCMeans",
    "Grader",
    "GuidedFDC",
    "PairSearchCV",
    "PairSet",
    "__version__",
    "analyse",
    "load",
    "save",
    "show_versions",
]

PLACES = {
    "DSC": "baselines.dsc",
    "FDC": "cluster.fdc",
    "Grader": "labelling.notebook",
    "GuidedFDC": "cluster.guided",
    "FHSS": "baselines.fhss",
    "FuzzyCMeans": "cluster.fuzzy_c_means",
    "PCCA": "baselines.pcca",
    "PairSearchCV": "selection.search",
    "PairSet": "pairs.pairset",
    "SSDC": "baselines.ssdc",
    "analyse": "analysis.analyse",
    "load": "tables.model_files",
    "save": "tables.model_files",
    "show_versions": "tables.versions",
}


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    globals()[name] = value  # asked for once
    return value


def __dir__() -> list[str]:
    return __all__
