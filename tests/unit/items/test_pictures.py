import io

import numpy as np
import pytest
from PIL import Image

from fuzzypairs.items.pictures import (
    MOST_PIXELS,
    gradients,
    inside,
    open_picture,
    picture_file,
    pixels,
    thumbnail,
)

RED, WHITE = (255, 0, 0), (255, 255, 255)


def save(path, image, **options):
    image.save(path, **options)
    return path


def plain(mode="RGB", size=(40, 20), color=None):
    return Image.new(mode, size, color)


@pytest.mark.parametrize("ending", ["png", "jpg", "gif", "webp", "bmp", "tif"])
def test_every_format_is_read(tmp_path, ending):
    path = save(tmp_path / f"a.{ending}", plain(color=RED))

    found = open_picture(path)

    assert found.mode == "RGB"
    assert found.size == (40, 20)
    assert np.abs(np.asarray(found)[10, 20].astype(int) - RED).max() < 5


def test_a_name_says_nothing_of_the_format(tmp_path):
    path = save(tmp_path / "a.jpg", plain(color=RED), format="PNG")

    assert open_picture(str(path)).getpixel((0, 0)) == RED
    assert picture_file(path)[1] == "image/png"


def test_a_picture_is_turned_as_its_camera_says(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn to the right
    path = save(tmp_path / "a.jpg", plain(), exif=exif)

    assert open_picture(path).size == (20, 40)
    assert open_picture(path, 8).size[0] < open_picture(path, 8).size[1]


def test_cmyk_is_shown_in_the_same_colour(tmp_path):
    path = save(tmp_path / "a.jpg", plain(color=RED).convert("CMYK"))

    red, green, blue = open_picture(path).getpixel((5, 5))
    assert red > 240
    assert max(green, blue) < 15


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_16_bits_become_8(tmp_path, ending):
    values = np.linspace(0, 65535, 256).astype(np.uint16).reshape(16, 16)
    path = save(tmp_path / f"a.{ending}", Image.fromarray(values))

    found = np.asarray(open_picture(path))[..., 0].ravel()

    np.testing.assert_allclose(found, np.arange(256), atol=1)


def test_floats_are_shown_from_the_darkest_to_the_lightest(tmp_path):
    values = np.linspace(-1, 3, 64, dtype=np.float32).reshape(8, 8)
    found = np.asarray(open_picture(save(tmp_path / "a.tif", Image.fromarray(values))))

    assert (found.min(), found.max()) == (0, 255)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_parts_are_white(tmp_path, mode):
    path = tmp_path / "a.png"
    if mode == "P":
        plain("P").save(path, transparency=0)
    else:
        plain(mode).save(path)

    assert open_picture(path).getpixel((3, 3)) == WHITE


def test_the_first_frame_of_an_animation_is_taken(tmp_path):
    frames = [plain(color=RED), plain(color=(0, 0, 255))]
    path = save(tmp_path / "a.gif", frames[0], save_all=True, append_images=frames[1:])

    assert open_picture(path).getpixel((0, 0)) == RED


@pytest.mark.parametrize("picture", [np.zeros((5, 7), "u1"), np.zeros((5, 7, 3), "u1")])
def test_pixels_are_pictures_too(picture):
    assert open_picture(picture).size == (7, 5)


def write(path, data):
    path.write_bytes(data)
    return path


def test_what_is_no_picture_is_refused(tmp_path):
    with pytest.raises(ValueError, match="it is none of PNG, JPEG"):
        open_picture(write(tmp_path / "a.png", b"hello"))
    with pytest.raises(ValueError, match="it is none of PNG, JPEG"):
        open_picture(write(tmp_path / "empty.png", b""))
    with pytest.raises(ValueError, match="it cannot be opened: No such file"):
        open_picture(tmp_path / "none.png")


def test_postscript_is_never_started(tmp_path):
    path = save(tmp_path / "a.png", plain(), format="EPS")

    with pytest.raises(ValueError, match="it is none of"):
        open_picture(path)


def test_a_truncated_picture_is_refused(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    for ending in ("png", "jpg"):
        file = io.BytesIO()
        Image.fromarray(noise).save(file, {"png": "PNG", "jpg": "JPEG"}[ending])
        data = file.getvalue()
        with pytest.raises(ValueError, match="it is no picture that can be read"):
            open_picture(write(tmp_path / f"a.{ending}", data[: len(data) // 2]))


def test_a_huge_picture_is_refused_before_its_pixels_are_read(tmp_path):
    path = save(tmp_path / "a.png", plain("1", (MOST_PIXELS // 8000 + 1, 8000)))
    with pytest.raises(ValueError, match=r"it has 8001 x 8000 pixels, more than 64,"):
        open_picture(path)
    # So large that Pillow itself warns, or refuses it.
    for side in (10_000, 20_000):
        data = bytearray(path.read_bytes())
        data[16:24] = side.to_bytes(4, "big") * 2
        import zlib

        data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
        with pytest.raises(ValueError, match="more than 64,000,000"):
            open_picture(write(tmp_path / "b.png", bytes(data)))


def test_a_thumbnail_is_small(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (300, 600, 3), dtype=np.uint8)
    data, kind = thumbnail(save(tmp_path / "a.png", Image.fromarray(noise)))

    assert kind == "image/jpeg"
    assert Image.open(io.BytesIO(data)).size == (96, 48)
    assert len(data) < 10_000
    data, kind = thumbnail(noise[:8, :8])
    assert kind == "image/png"
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(data))), noise[:8, :8])


def test_what_browsers_do_not_show_is_written_anew(tmp_path):
    path = save(tmp_path / "a.tif", plain(color=RED))

    assert picture_file(path)[1] == "image/png"
    assert picture_file(np.zeros((4, 4), "u1"))[1] == "image/png"
    own = save(tmp_path / "a.gif", plain())
    assert picture_file(own) == (own.read_bytes(), "image/gif")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "no name"),
        ("a\0b", "no name"),
        ("../out.png", "outside"),
        ("../none.png", "outside"),
        ("none.png", "no such file"),
        ("link.png", "outside"),
        ("below", "no file"),
        ("x" * 5000, "cannot be opened"),
    ],
)
def test_files_outside_of_the_folder_are_not_read(tmp_path, name, reason):
    root = tmp_path / "root"
    (root / "below").mkdir(parents=True)
    (tmp_path / "out.png").write_bytes(b"")
    (root / "link.png").symlink_to(tmp_path / "out.png")

    with pytest.raises(ValueError, match=reason):
        inside(root, name)


def test_gradients_of_an_edge():
    """Dark left, light right: one direction in the two columns of cells beside it."""
    picture = np.zeros((64, 64, 3), dtype=np.uint8)
    picture[:, 32:] = 255
    found = gradients(picture[None])[0]

    cells = found[:512].reshape(8, 8, 8)
    assert found.shape == (560,)
    np.testing.assert_allclose(cells[:, 3:5, 0], 0.996, atol=0.01)
    assert not cells[:, [0, 1, 2, 5, 6, 7]].any()
    assert not cells[..., 1:].any()
    colours = found[512:].reshape(4, 4, 3)
    np.testing.assert_allclose(colours[:, 2:, 0], 4.0, rtol=1e-5)
    np.testing.assert_allclose(colours[..., 1:], 0.0, atol=1e-5)


def test_directions_do_not_depend_on_which_side_is_dark():
    rng = np.random.default_rng(0)
    picture = np.repeat(rng.integers(0, 256, (1, 64, 64, 1), dtype=np.uint8), 3, -1)

    np.testing.assert_allclose(
        gradients(picture)[:, :512], gradients(255 - picture)[:, :512], atol=2e-3
    )


def test_colours_are_told_apart():
    pictures = np.zeros((2, 64, 64, 3), dtype=np.uint8)
    pictures[0, ..., 0] = pictures[1, ..., 2] = 128

    red, blue = gradients(pictures)
    assert np.linalg.norm(red - blue) > 2


def test_pixels_are_of_the_size_asked_for():
    picture = np.full((10, 300), 7, dtype=np.uint8)

    found = pixels(picture, 16, 32)
    assert found.shape == (16, 32, 3)
    assert (found == 7).all()
