import numpy as np
import pytest

from fuzzypairs.exceptions import PairsError
from fuzzypairs.plots import plot_judgements, shared_membership

U = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75]])
PAIRS = [(0, 1, 0.9), (0, 2, -0.4), (1, 2, 0.5), (0, 3, 0.0)]


def test_judgements_are_placed_by_grade_and_shared_membership():
    ax = plot_judgements(PAIRS, U)

    # Rows 0 and 1 share half, and have cluster 0 in common; 1 and 2 do not.
    np.testing.assert_allclose(shared_membership(PAIRS, U), [0.5, 0, 0.25, 0.5])
    held, broken = (item.get_offsets() for item in ax.collections)
    np.testing.assert_allclose(held, [[0.9, 0.5], [-0.4, 0.0]])
    np.testing.assert_allclose(broken, [[0.5, 0.5]])


@pytest.mark.parametrize("function", [plot_judgements, shared_membership])
def test_errors_about_judgements_are_not_blamed_on_memberships(function):
    with pytest.raises(PairsError, match=r"^pairs\[0\] joins samples 0 and 1"):
        function([(0, 1, 3.0)], U)
