"""Files shared by the tests of commands."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from fuzzypairs.datasets import simulate_pairs


@pytest.fixture(scope="session")
def wine(tmp_path_factory):
    """The wine data as a user has them: names, classes, words, and gaps."""
    folder = tmp_path_factory.mktemp("wine")
    bunch = load_wine(as_frame=True)
    frame = bunch.data.assign(cultivar=bunch.target_names[bunch.target])
    frame.insert(0, "bottle", [f"W{row:03}" for row in range(len(frame))])
    frame["soil"] = np.array(["clay", "sand", None])[np.arange(len(frame)) % 3]
    frame.loc[5, "ash"] = np.nan
    frame.to_csv(folder / "wine.csv", index=False)
    pairs = simulate_pairs(scale(bunch.data), bunch.target, "iv", random_state=0)
    named = [(f"W{i:03}", f"W{j:03}", round(s, 3), "Ann") for i, j, s in pairs]
    columns = ["a", "b", "grade", "annotator"]
    pd.DataFrame(named, columns=columns).to_csv(folder / "pairs.csv", index=False)
    return folder
