"""What people call clusters: names from a file, and names of rows in them."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from fuzzypairs._typing import Ints
from fuzzypairs.tables.dialects import decode

__all__ = ["cluster_names", "read_names"]

LONGEST = 60
NUMBERED = re.compile(r"(?i)(?:cluster\s*)?(\d+)\s*[:,;=\t]\s*(.*)")


def read_names(path: str | os.PathLike[str], n_clusters: int) -> list[str]:
    r"""Read names of clusters: lines such as ``0: shoes``, or a name a line.

    Parameters
    ----------
    path : str or path-like
        A text file; with a comma or a tab for the colon it may be a table, whose first
        line may be ``cluster,name``. Empty lines are skipped.
    n_clusters : int

    Returns
    -------
    names : list of str
        Of all clusters; "cluster 3" where there is none.

    Examples
    --------
    >>> import tempfile
    >>> from fuzzypairs.tables.cluster_names import read_names
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "names.txt")
    ...     _ = path.write_text("0: shoes\n2: coats\n")
    ...     read_names(path, 3)
    ['shoes', 'cluster 1', 'coats']
    """
    try:
        text = decode(Path(path).read_bytes())[0]
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} does not exist: check the name") from None
    lines = [line.strip(" ") for line in text.splitlines() if line.strip()]
    if lines and re.fullmatch(r"(?i)cluster\s*[,;\t]\s*name", lines[0]):
        lines = lines[1:]
    numbered = [NUMBERED.fullmatch(line) for line in lines]
    names = {}
    for n, (line, found) in enumerate(zip(lines, numbered, strict=True)):
        is_numbered = found is not None and all(numbered)
        cluster = int(found[1]) if found is not None and is_numbered else n
        name = found[2] if found is not None and is_numbered else line
        name = " ".join(name.strip(" \"'").split())
        if not 0 <= cluster < n_clusters:
            raise ValueError(
                f"{path} names cluster {cluster}, but there are {n_clusters}, numbered "
                "from 0"
            )
        if cluster in names:
            raise ValueError(f"{path} names cluster {cluster} twice")
        if len(name) > LONGEST:
            raise ValueError(
                f"{path} calls cluster {cluster} {name[:20]!r}... in {len(name)} "
                f"characters: expected {LONGEST} or fewer"
            )
        if name:
            names[cluster] = name
    if not names:
        raise ValueError(f"{path} holds no name: expected lines such as 0: shoes")
    found_names = [names.get(k, f"cluster {k}") for k in range(n_clusters)]
    if twice := [name for name in names.values() if found_names.count(name) > 1]:
        raise ValueError(
            f"{path} calls two clusters {twice[0]!r}: give each its own name"
        )
    return found_names


def cluster_names(labels: Ints, named: Mapping[int, str], n_clusters: int) -> list[str]:
    """Return the names of clusters by those of rows; empty where there is none.

    A cluster with several named rows has all of their names.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
    named : mapping of int to str
    n_clusters : int

    Examples
    --------
    >>> import numpy as np
    >>> cluster_names(np.array([1, 1, 0]), {0: "red", 1: "pink"}, 3)
    ['', 'pink / red', '']
    """
    found: list[set[str]] = [set() for _ in range(n_clusters)]
    for row, name in named.items():
        found[int(labels[row])].add(name)
    return [" / ".join(sorted(names)) for names in found]
