"""Draw the pictures of docs/plots.md from the code blocks of the page.

Run as ``python docs/draw_plots.py``. The picture of the report is a screenshot of the
page in a browser, 1000 pixels wide.
"""

import os
import tempfile
from pathlib import Path

from draw_metrics import BLOCK, PICTURES
from PIL import Image

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
        for path in sorted(Path(folder).glob("*.png")):
            with Image.open(path) as picture:
                few = picture.convert("RGB").quantize(160, dither=Image.Dither.NONE)
                few.save(PICTURES / path.name, optimize=True)


if __name__ == "__main__":
    main()
