"""Features of pictures and texts, where a table has nothing else to cluster by."""

import warnings

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from fuzzypairs._typing import Floats
from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.labelling.catalogue import Catalogue, open_picture
from fuzzypairs.tables.columns import listed

__all__ = ["media_features"]

# Pictures are compared at so many pixels a side; both kinds by so many directions.
SIDE, DIRECTIONS = 16, 20


def media_features(catalogue: Catalogue) -> pd.DataFrame:
    """Return features of the pictures, or of the texts, of a table.

    Pictures are compared by their grey values at 16 x 16 pixels, texts by their words
    (tf-idf); both by their main directions. Features of a trained network do better
    for photographs: give them as columns of the table.

    Parameters
    ----------
    catalogue : Catalogue

    Returns
    -------
    features : DataFrame of shape (n_rows, n_directions)
    """
    if catalogue.image is not None:
        return _named("picture", _of_pictures(catalogue))
    assert catalogue.text is not None
    texts = catalogue.shown[catalogue.text].fillna("").astype(str)
    words = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    n_directions = min(DIRECTIONS, words.shape[1] - 1)
    if n_directions < 1:
        return _named("text", words.toarray())
    return _named(
        "text", TruncatedSVD(n_directions, random_state=0).fit_transform(words)
    )


def _of_pictures(catalogue: Catalogue) -> Floats:
    rows = np.zeros((len(catalogue), SIDE * SIDE))
    n_found, damaged = 0, []
    for row, name in enumerate(catalogue.shown[catalogue.image]):
        found = catalogue.picture(row)
        if found is None:
            if not pd.isna(name):
                damaged.append(f"{name} (no such file, or of another format)")
            continue
        try:
            with open_picture(found[0]) as picture:
                small = picture.convert("L").resize((SIDE, SIDE))
        # Decoders raise errors of many kinds.
        except Exception as error:
            damaged.append(f"{name} ({error})")
            continue
        rows[row] = np.asarray(small, dtype=np.float64).ravel() / 255
        n_found += 1
    if damaged:
        warnings.warn(
            f"{len(damaged)} pictures cannot be read and count as black: "
            f"{listed(damaged)}",
            ReadingWarning,
            stacklevel=2,
        )
    if not n_found:
        raise ValueError(
            f"no picture of column {catalogue.image!r} was found in {catalogue.root}: "
            "check the names, or give --images"
        )
    n_directions = min(DIRECTIONS, len(rows), rows.shape[1])
    found_rows: Floats = PCA(n_directions, random_state=0).fit_transform(rows)
    return found_rows


def _named(kind: str, values: Floats) -> pd.DataFrame:
    return pd.DataFrame(
        values, columns=[f"{kind} {n + 1}" for n in range(values.shape[1])]
    )
