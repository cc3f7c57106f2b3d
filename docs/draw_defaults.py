"""Draw the picture of docs/defaults.md from the code blocks of the page.

Run as ``python docs/draw_defaults.py``. The blocks up to the picture are executed as
the page has them, and it is drawn from the names they leave behind.
"""

from pathlib import Path
from typing import Any

from draw_metrics import BLOCK, GREY, PICTURES, save

from fuzzypairs.plots import COLORS, MARKERS, new_figure

PAGE = Path(__file__).with_name("defaults.md")
PICTURE = PICTURES / "collapse.png"


def main() -> None:
    """Run the page up to its picture."""
    names: dict[str, Any] = {}
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(f"({PICTURES.name}/")
    for block in BLOCK.findall(before):
        exec(block, names)
    save(draw_collapse(names), PICTURE)


def draw_collapse(names: dict[str, Any]) -> Any:
    """Gains against alpha, and how far apart the prototypes of fits end."""
    figure = new_figure((7.2, 5.2))
    above, below = figure.subplots(2, 1, sharex=True)
    alphas = names["alphas"]
    for number, (name, (gains, apart)) in enumerate(names["course"].items()):
        style = {"color": COLORS[number], "label": name}
        above.plot(alphas, gains, **style)
        below.plot(
            alphas, apart, marker=MARKERS[number], markersize=5, linewidth=0.8, **style
        )
        if gains[0] < 1.0:
            critical = 0.25 * (1.0 - gains[0])  # (1 - 4 lam1) / k^2 for k = 2
            for ax in (above, below):
                ax.axvline(critical, color=COLORS[number], linestyle=":", linewidth=1)
    above.axhline(1.0, color=GREY, linewidth=0.8)
    above.set(ylabel="gain of a step", ylim=(0, 4))
    below.set(
        xlabel="alpha, for two clusters",
        ylabel="distance of prototypes\nover the spread of X",
        ylim=(-0.05, None),
    )
    for ax in (above, below):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.15)
    handles, labels = above.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


if __name__ == "__main__":
    main()
