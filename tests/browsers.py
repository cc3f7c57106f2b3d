"""A browser and axe-core, where they are installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def find_axe():
    """The source of axe-core: $AXE_CORE, or where npm keeps global packages."""
    places = [Path(os.environ["AXE_CORE"])] if "AXE_CORE" in os.environ else []
    if shutil.which("npm"):
        root = subprocess.run(
            ["npm", "root", "--global"], capture_output=True, text=True, check=False
        ).stdout.strip()
        places.append(Path(root) / "axe-core" / "axe.min.js")
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    return pytest.skip("axe-core is not installed: npm install --global axe-core")


def find_chromium():
    """The path of Chromium, and Playwright to drive it."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    return (api, path) if path else pytest.skip("Chromium is not installed")
