"""Draw the pictures of docs/labelling.md: the page in a browser, at work.

Run as ``python docs/draw_labelling.py``, where Chromium is installed. A simulated
grader who knows the cultivars of the wines presses the keys.
"""

import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from draw_metrics import PICTURES
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_wine

N_ANSWERS = 60
KEYS = {True: "789", False: "123"}


def main() -> None:
    """Grade wines as two people, and take pictures on the way."""
    wine = load_wine(as_frame=True)
    classes = wine.target.to_numpy()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = wine.data.iloc[:, :10].copy()
        frame.insert(0, "bottle", [f"W{row:03}" for row in range(len(frame))])
        frame.to_csv(folder / "wine.csv", index=False)
        command = [sys.executable, "-m", "fuzzypairs", "label", "wine.csv", "--id"]
        command += ["bottle", "--clusters", "3", "--no-browser", "--annotator", "Ann"]
        program = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        address = program.stdout.readline().strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            size: Any = {"width": 1180, "height": 800}
            ann = browser.new_page(viewport=size)
            open_page(ann, address)
            grade(ann, classes, N_ANSWERS, seed=0)
            ann.wait_for_timeout(15_000)  # for the last fit
            take(ann, folder / "page-grade.png")
            view(ann, "clusters")
            take(ann, folder / "page-clusters.png")
            view(ann, "grade")
            ann.keyboard.press("p")
            ann.wait_for_selector("#unsorted .item")
            ann.wait_for_timeout(200)
            sort(ann, classes, 5)
            take(ann, folder / "page-piles.png")
            bob = browser.new_page(viewport=size)
            bob.add_init_script("localStorage.annotator = 'Bob'")
            open_page(bob, address)
            grade(bob, classes, N_ANSWERS, seed=1)
            view(bob, "graders")
            take(bob, folder / "page-graders.png")
            phone = browser.new_context(
                viewport={"width": 390, "height": 760}, color_scheme="dark"
            ).new_page()
            open_page(phone, address)
            take(phone, folder / "page-phone.png")
            browser.close()
        program.send_signal(signal.SIGINT)
        program.wait()
        for path in sorted(folder.glob("page-*.png")):
            with Image.open(path) as picture:
                few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
                few.save(PICTURES / path.name, optimize=True)


def open_page(page: Page, address: str) -> None:
    """Open the page, and wait for the first pair."""
    page.goto(address)
    page.wait_for_selector("#page[data-ready]")


def grade(page: Page, classes: Any, n: int, seed: int) -> None:
    """Press keys by the true classes, with random strength and some mistakes."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        names = page.locator("#pair thead th").all_inner_texts()
        one, other = (classes[int(name[1:])] for name in names)
        is_right = rng.random() > 0.05
        page.wait_for_timeout(160)  # sooner, a key is ignored
        page.keyboard.press(rng.choice(list(KEYS[bool((one == other) == is_right)])))
        page.wait_for_function(
            """before => {
                const names = document.querySelector("#pair thead")?.innerText;
                return names && names.trim().split(/\\s+/).join() !== before;
            }""",
            arg=",".join(names),
        )


def sort(page: Page, classes: Any, n: int) -> None:
    """Put some of the items that are shown into the piles of their classes."""
    names = page.locator("#unsorted .item .item-name").all_inner_texts()
    kinds = [int(classes[int(name[1:])]) for name in names[:n]]
    seen = list(dict.fromkeys(kinds))
    for kind in kinds:
        page.keyboard.press(str(seen.index(kind) + 1))


def view(page: Page, name: str) -> None:
    """Go to a view of the page."""
    page.click(f"#views [data-view={name}]")
    page.wait_for_timeout(1000)


def take(page: Page, path: Path) -> None:
    """Take a picture of what is on screen."""
    page.wait_for_timeout(500)
    page.screenshot(path=path)


if __name__ == "__main__":
    main()
