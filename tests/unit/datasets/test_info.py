"""What is known of a dataset before it is loaded."""

import dataclasses

import pytest

from fuzzypairs.datasets import describe
from fuzzypairs.datasets.registry import REGISTRY

BUNDLED = ["wine", "iris", "breast_cancer", "digits"]


@pytest.mark.parametrize("name", REGISTRY)
def test_facts_agree_with_each_other(name):
    info = describe(name)

    assert info.name == name
    assert (info.file is None) == (info.sha256 is None) == (name in BUNDLED)
    if info.kind == "classes":
        assert sum(info.class_sizes) == info.n_samples
        assert len(info.class_sizes) == info.n_classes
    assert set(info.orders) <= set(info.nominal)
    assert info.source
    assert info.licence
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.name = "other"
