"""Draw the pictures of docs/plots.md from the code blocks of the page.

Run as ``python docs/draw_plots.py``, where Chromium is installed: the picture of the
report is a screenshot of its top.
"""

import os
import shutil
import tempfile
from pathlib import Path

from draw_metrics import BLOCK, PICTURES
from PIL import Image
from playwright.sync_api import sync_playwright

PAGE = Path(__file__).with_name("plots.md")


def main() -> None:
    """Run the page, and keep what it draws with few colours."""
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec("\n".join(BLOCK.findall(PAGE.read_text(encoding="utf-8"))), {})
        finally:
            os.chdir(home)
        take_report(Path(folder))
        for path in sorted(Path(folder).glob("*.png")):
            with Image.open(path) as picture:
                few = picture.convert("RGB").quantize(160, dither=Image.Dither.NONE)
                few.save(PICTURES / path.name, optimize=True)


def take_report(folder: Path) -> None:
    """Take a picture of the report in a folder."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1000, "height": 1330})
        page.goto((folder / "report.html").as_uri())
        page.screenshot(path=folder / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
