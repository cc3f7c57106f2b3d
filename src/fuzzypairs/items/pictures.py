"""Pictures: opened with care, made small, and described by gradients and colours."""

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Floats

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["ENDINGS", "SHOWN", "gradients", "grey", "inside", "open_picture",
           "picture_file", "pixels", "thumbnail"]  # fmt: skip

# A file of a picture, or its pixels: uint8, of shape (height, width) or
# (height, width, 3).
Picture = str | Path | NDArray[np.uint8]

# Other formats are not tried, whatever the name says: EPS would start Ghostscript.
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
# What browsers show, with its type.
SHOWN = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
    "BMP": "image/bmp",
}
# A decoded picture takes four bytes a pixel, in each thread.
MOST_PIXELS, MOST_BYTES = 64_000_000, 100 * 2**20
# The longest side of a picture that is made for a browser.
LARGEST_SHOWN = 1600
# Gradients are counted in cells of a picture of so many pixels a side.
SIDE, CELL, DIRECTIONS = 64, 8, 8
# Gradients of noise: a cell with less than this, of squares, counts less than others.
FAINT = 0.1
# Mean colours of 4 x 4 fields count so much beside gradients: hues are then found by a
# linear classifier (.88 of six, .37 at half the weight), and shapes as well as without.
FIELDS, COLOUR = 4, 4.0
# Pixels a side where they are features themselves.
FEW = 16


def inside(root: Path, name: str) -> Path:
    """Return the file of a name in a folder, links followed, if it is in the folder.

    Examples
    --------
    >>> inside(Path("."), "../secret.png")
    Traceback (most recent call last):
        ...
    ValueError: it is outside of the folder
    """
    if not name or "\0" in name:
        raise ValueError("there is no name of a file")
    try:
        path = (root / name).resolve(strict=True)
        if not path.is_relative_to(root.resolve(strict=True)):
            raise ValueError("it is outside of the folder")
    except FileNotFoundError:
        if not (root / name).resolve().is_relative_to(root.resolve()):
            raise ValueError("it is outside of the folder") from None
        raise ValueError("there is no such file") from None
    except (OSError, RuntimeError) as error:  # a name too long; links in a circle
        raise ValueError(f"it cannot be opened: {error}") from None
    if not path.is_file():  # a folder, or a pipe, which would never end
        raise ValueError("it is no file")
    return path


def open_picture(picture: Picture, side: int | None = None) -> "Image.Image":
    """Return a picture as people see it: RGB, upright, its first frame.

    Parameters
    ----------
    picture : str, Path or ndarray of shape (height, width) or (height, width, 3)
        A file, or pixels as uint8.
    side : int, default=None
        Pictures may be decoded smaller, but no side below this: that is faster.

    Returns
    -------
    picture : PIL.Image.Image
        Transparent parts are white; 16 bits for each colour become 8.

    Raises
    ------
    ValueError
        If the file is no picture that can be read, with the reason.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.items.pictures import open_picture
    >>> open_picture(np.zeros((4, 6), dtype=np.uint8)).size
    (6, 4)
    """
    from PIL import Image, ImageOps

    if isinstance(picture, np.ndarray):
        return Image.fromarray(np.ascontiguousarray(picture)).convert("RGB")
    try:
        with _opened(picture) as image:
            if side is not None:
                image.draft("RGB", (side, side))
            found: Image.Image = _as_rgb(ImageOps.exif_transpose(image))
            return found
    except ValueError:
        raise
    except Exception as error:  # decoders raise errors of many kinds
        raise ValueError(f"it is no picture that can be read ({error})") from error


def _opened(picture: str | Path) -> Any:
    """Return a picture whose head was read, and says that it is not too large."""
    from PIL import Image, UnidentifiedImageError

    try:
        if (size := os.stat(picture).st_size) > MOST_BYTES:
            raise ValueError(
                f"it has {size / 2**20:.0f} MB, more than {MOST_BYTES / 2**20:.0f}"
            )
        image = Image.open(picture, formats=FORMATS)
    except UnidentifiedImageError:
        raise ValueError(f"it is none of {', '.join(FORMATS)}") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ValueError(f"it has more than {MOST_PIXELS:,} pixels") from None
    except OSError as error:
        raise ValueError(f"it cannot be opened: {error.strerror or error}") from None
    if image.width * image.height > MOST_PIXELS:
        image.close()
        raise ValueError(
            f"it has {image.width} x {image.height} pixels, more than {MOST_PIXELS:,}"
        )
    return image


def _as_rgb(image: Any) -> Any:
    from PIL import Image

    if image.mode[0] in "IF":  # 16 or 32 bits for each pixel
        values = np.asarray(image, dtype=np.float64)
        low, high = (0.0, 65535.0) if image.mode[:2] == "I;" else _range(values)
        image = Image.fromarray(
            ((values - low) * (255 / max(high - low, 1e-12))).clip(0, 255).astype("u1")
        )
    if image.has_transparency_data:
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image)
    return image.convert("RGB")


def _range(values: Floats) -> tuple[float, float]:
    """Return what is black and what is white in pixels of 32 bits."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    # A PNG of 16 bits is opened as 32 bits by some versions of Pillow.
    return (0.0, 65535.0) if low >= 0 and 255 < high <= 65535 else (low, high)


def thumbnail(picture: Picture, side: int = 96) -> tuple[bytes, str]:
    """Return a small picture as a file: PNG if it is small already, else JPEG.

    Parameters
    ----------
    picture : str, Path or ndarray of shape (height, width) or (height, width, 3)
    side : int, default=96
        The longest side in pixels.

    Returns
    -------
    data : bytes
    kind : {"image/png", "image/jpeg"}

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.items.pictures import thumbnail
    >>> thumbnail(np.zeros((8, 8), dtype=np.uint8))[1]
    'image/png'
    """
    image = open_picture(picture, side)
    is_small = max(image.size) <= min(side, 64)
    image.thumbnail((side, side), reducing_gap=2.0)
    file = io.BytesIO()
    if is_small:
        image.save(file, "PNG", optimize=True)
        return file.getvalue(), "image/png"
    image.save(file, "JPEG", quality=75, optimize=True)
    return file.getvalue(), "image/jpeg"


def picture_file(picture: Picture) -> tuple[bytes, str]:
    """Return a file that browsers show, and its type: the picture's own if it is one.

    Raises
    ------
    ValueError
        If it is no picture that can be read.
    """
    if isinstance(picture, np.ndarray):
        return thumbnail(picture, LARGEST_SHOWN)
    try:
        with _opened(picture) as image:
            kind = SHOWN.get(image.format)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"it is no picture that can be read ({error})") from error
    return (
        (Path(picture).read_bytes(), kind)
        if kind
        else thumbnail(picture, LARGEST_SHOWN)
    )


def pixels(picture: Picture, height: int, width: int) -> NDArray[np.uint8]:
    """Return the pixels of a picture at a size, uint8, (height, width, 3)."""
    from PIL import Image

    image = open_picture(picture, max(height, width)).resize(
        (width, height), Image.Resampling.BILINEAR, reducing_gap=2.0
    )
    return np.asarray(image)


def gradients(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return histograms of the directions of gradients, and colours, of pictures.

    Parameters
    ----------
    pictures : ndarray of shape (n_pictures, 64, 64, 3), uint8

    Returns
    -------
    features : ndarray of shape (n_pictures, 560)
        8 directions in each of 8 x 8 cells, scaled to length 1 but for faint ones
        (histograms of oriented gradients, Dalal and Triggs 2005); then brightness and
        two differences of colours, means of 4 x 4 fields.
    """
    n, height, width, _ = pictures.shape
    red, green, blue = np.moveaxis(pictures.astype(np.float32) / 255, -1, 0)
    bright = 0.299 * red + 0.587 * green + 0.114 * blue
    down, right = np.zeros_like(bright), np.zeros_like(bright)
    down[:, 1:-1] = (bright[:, 2:] - bright[:, :-2]) / 2
    right[:, :, 1:-1] = (bright[:, :, 2:] - bright[:, :, :-2]) / 2
    angle = np.arctan2(down, right) % np.pi  # light to dark is as dark to light
    # Level and upright edges are in the middle of their range of angles.
    direction = (angle * (DIRECTIONS / np.pi) + 0.5).astype(np.intp) % DIRECTIONS
    rows, columns = height // CELL, width // CELL
    cell = np.add.outer(np.arange(height) // CELL * columns, np.arange(width) // CELL)
    place = cell + rows * columns * np.arange(n)[:, None, None]
    counts = np.bincount(
        (place * DIRECTIONS + direction).ravel(),
        np.hypot(down, right).ravel(),
        n * rows * columns * DIRECTIONS,
    ).reshape(n, -1, DIRECTIONS)
    counts = counts / np.sqrt((counts**2).sum(axis=-1, keepdims=True) + FAINT)
    colours = np.stack([bright, 0.564 * (blue - bright), 0.713 * (red - bright)], -1)
    shape = (n, FIELDS, height // FIELDS, FIELDS, width // FIELDS, 3)
    means = COLOUR * colours.reshape(shape).mean(axis=(2, 4))
    return np.hstack([counts.reshape(n, -1), means.reshape(n, -1)]).astype(np.float32)


def grey(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the brightness of all pixels, (n_pictures, n_pixels), from 0 to 1."""
    values = pictures @ (np.array([0.299, 0.587, 0.114]) / 255)
    return values.reshape(len(pictures), -1).astype(np.float32)
