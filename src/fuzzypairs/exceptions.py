"""Errors and warnings by name."""

__all__ = [
    "ClustersVanishedWarning",
    "FewPairsWarning",
    "FuzzyPairsWarning",
    "ModelFileError",
    "PairsError",
    "PrototypesCoincideWarning",
    "VersionMismatchWarning",
]


class PairsError(ValueError):
    """Judgements that cannot be used; the message names the offending one."""


class ModelFileError(ValueError):
    """A file that is damaged, foreign or holds what must not be loaded."""


class FuzzyPairsWarning(UserWarning):
    """The base of every warning that this package gives itself."""


class ClustersVanishedWarning(FuzzyPairsWarning):
    """Fewer clusters survived than `n_clusters` allowed."""


class FewPairsWarning(FuzzyPairsWarning):
    """Too few judgements to hold some out, so a search went by something else."""


class PrototypesCoincideWarning(FuzzyPairsWarning):
    """Two prototypes ended at one place, so their clusters are one."""


class VersionMismatchWarning(FuzzyPairsWarning):
    """A model file was written by another version."""
