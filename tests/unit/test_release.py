"""What pip-audit says is not taken for more than it is."""

import pytest

import release

PLAIN = {"name": "numpy", "version": "2.0", "vulns": []}
VULNERABLE = {"name": "pillow", "version": "1.0", "vulns": [{"id": "CVE-1"}]}
UNKNOWN = {"name": "scipy", "skip_reason": "not found on PyPI: scipy (1.13)"}
OWN = {"name": "fuzzypairs", "skip_reason": "not found on PyPI: fuzzypairs"}


@pytest.mark.parametrize(
    ("packages", "code", "pieces"),
    [
        ([PLAIN, OWN], 0, ["passed", "1 of 1"]),
        ([PLAIN, UNKNOWN], 0, ["PARTLY CHECKED", "1 of 2", "scipy (1.13)"]),
        ([UNKNOWN], 0, ["NOT CHECKED", "0 of 1", "scipy (1.13)"]),
        ([PLAIN, VULNERABLE, UNKNOWN], 1, ["FAILED", "2 of 3", "pillow 1.0 (CVE-1)"]),
    ],
)
def test_packages_that_were_not_looked_up_are_named(packages, code, pieces):
    found, text = release.read_audit(packages)

    assert found == code
    assert all(piece in text for piece in pieces)


def test_an_audit_that_fails_is_no_pass(monkeypatch):
    monkeypatch.setattr(release, "call", lambda *command: None)
    failing = "import sys; sys.exit('no network')"
    run = release.subprocess.run
    monkeypatch.setattr(
        release.subprocess,
        "run",
        lambda command, **options: run([command[0], "-c", failing], **options),
    )

    assert release.audit(release.sys.executable) == (
        0,
        "NOT CHECKED, pip-audit failed: no network",
    )
