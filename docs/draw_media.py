"""Draw the picture of the README, and those of docs/media.md.

Run as ``python docs/draw_media.py``, where Chromium is installed. The picture of the
README is that of ``fuzzypairs demo``; the others show reports of pictures and of
messages that simulated people have judged.
"""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from draw_metrics import PICTURES
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_digits
from typer.testing import CliRunner

from fuzzypairs import PairSet, analyse
from fuzzypairs.cli import app
from fuzzypairs.cli.demo import read_messages

N_CARDS = 2


def main() -> None:
    """Run the demo and two fits, and take pictures of their results."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = CliRunner().invoke(
            app, ["demo", "--draws", "1", "--out", str(folder / "demo")]
        )
        if result.exit_code:
            raise SystemExit(result.output)
        keep(folder / "demo" / "digits.png", PICTURES.parent / "demo.png")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            take(browser, fit_pictures(folder), "report-pictures.png", 760)
            take(browser, fit_messages(folder), "report-texts.png", 1060)
            browser.close()


def fit_pictures(folder: Path) -> Path:
    """Return the report of a folder of digits."""
    digits = load_digits()
    chosen = np.flatnonzero(digits.target < 6)[:400]
    (folder / "photos").mkdir()
    for row in chosen:
        grey = (255 - 15 * digits.images[row]).astype(np.uint8)
        big = Image.fromarray(grey).resize((64, 64), Image.Resampling.BICUBIC)
        big.save(folder / "photos" / f"{row:04}.png")
    pairs = PairSet.from_labels(digits.target[chosen], n_pairs=100, random_state=0)
    analyse(folder / "photos", pairs, n_clusters=6).save(folder / "pictures")
    return folder / "pictures" / "report.html"


def fit_messages(folder: Path) -> Path:
    """Return the report of the messages of the demo, judged by subject."""
    messages = read_messages()
    pairs = PairSet.from_labels(messages["subject"], n_pairs=100, random_state=0)
    table = pd.DataFrame({"message": messages["message"]})
    analyse(table, pairs, text="message", n_clusters=6).save(folder / "texts")
    return folder / "texts" / "report.html"


def take(browser: Browser, report: Path, name: str, width: int) -> None:
    """Take a picture of the first clusters of a report."""
    page = browser.new_page(viewport={"width": width, "height": 2400})
    page.goto(report.as_uri())
    boxes = [card.bounding_box() for card in page.locator(".card").all()[:N_CARDS]]
    low = max(box["y"] + box["height"] for box in boxes if box)
    clip = {"x": 0, "y": boxes[0]["y"] - 12, "width": width, "height": 0}  # type: ignore[index]
    clip["height"] = low - clip["y"] + 8
    page.screenshot(path=report.with_suffix(".png"), clip=clip)  # type: ignore[arg-type]
    keep(report.with_suffix(".png"), PICTURES / name)


def keep(path: Path, place: Path) -> None:
    """Write a picture with few colours, which takes a third of the bytes."""
    with Image.open(path) as image:
        image.convert("RGB").quantize(128).save(place, optimize=True)


if __name__ == "__main__":
    main()
