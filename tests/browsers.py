"""A browser and axe-core, where they are installed."""

import shutil
from pathlib import Path

import pytest


def find_axe():
    """The source of axe-core."""
    package = pytest.importorskip("axe_playwright_python", reason="browser: no axe")
    return Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


def find_chromium():
    """The path of Chromium, and Playwright to drive it."""
    api = pytest.importorskip("playwright.sync_api", reason="browser: no playwright")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    return (api, path) if path else pytest.skip("browser: no Chromium")
