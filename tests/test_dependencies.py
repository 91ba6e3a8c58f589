"""Reverie with the oldest packages it says it works with, and with the newest there are."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXTRAS = ("server", "postgres", "sync", "anthropic")
_BOUND = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)$")

pytestmark = pytest.mark.skipif(
    os.environ.get("REVERIE_TEST_ALL") != "1",
    reason="installs packages from PyPI, which REVERIE_TEST_ALL=1 asks for",
)


def lowest() -> list[str]:
    """Every direct dependency at the lower bound that `pyproject.toml` gives it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name in EXTRAS for one in extras[name])]
    bounds = [_BOUND.match(one) for one in wanted]
    assert all(bounds), "a dependency without a lower bound"
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound]


@pytest.mark.hostile("DO6")
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the oldest have no wheels for others")
def test_the_oldest_packages_that_are_allowed_do(tmp_path: Path) -> None:
    constraints = tmp_path / "lowest.txt"
    constraints.write_text("\n".join(lowest()), encoding="utf-8")
    installed = worked(tmp_path, "--constraint", str(constraints))
    assert set(lowest_as_installed(installed)) == set(lowest())


@pytest.mark.hostile("DO6")
def test_the_newest_packages_do(tmp_path: Path) -> None:
    worked(tmp_path, "--upgrade")


def worked(folder: Path, *options: str) -> dict[str, str]:
    """Run the main jobs with Reverie in an environment of its own; the packages that has."""
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    target = f"{ROOT}[{','.join(EXTRAS)}]"
    tries = (
        subprocess.run([*pip, "install", "--quiet", *options, target], cwd=folder).returncode
        for _ in range(3)  # a network may fail for a while
    )
    assert 0 in tries
    person = folder / "person"
    person.mkdir()
    ran = subprocess.run(
        [python, "-P", str(ROOT / "tests" / "installed.py"), str(person)],
        cwd=folder,
        text=True,
        capture_output=True,
    )
    assert ran.returncode == 0, ran.stderr
    listed = subprocess.run([*pip, "freeze"], check=True, text=True, capture_output=True).stdout
    pairs = (line.partition("==") for line in listed.splitlines() if "==" in line)
    return {name.lower(): version for name, _, version in pairs}


def lowest_as_installed(installed: dict[str, str]) -> list[str]:
    """The bounds that an environment really has, as `lowest` writes them."""
    found: list[str] = []
    for bound in lowest():
        name, _, version = bound.partition("==")
        there = installed[name.lower()]
        found += [bound] if re.fullmatch(rf"{re.escape(version)}(\.0)*", there) else []
    return found
