"""The built wheel alone, without dev dependencies, is the program."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from reverie.privacy.redactor import Redactor

ROOT = Path(__file__).parent.parent
# What is found by the words around it: lists of such words are no secrets.
SHOWN = ("reverie/sample/", "reverie/privacy/", "reverie/data/secrets.toml")
MARK = re.compile(r"\[redacted:([a-z0-9-]+):")
WORDS = re.compile(r"password|assignment|seed-phrase|said")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = directory.glob("*.whl")
    return built


@pytest.mark.hostile("DO5")
def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"reverie"}
    assert not [name for name in names if "test" in name.split("/")[-1]]


@pytest.mark.hostile("DO5")
def test_no_file_of_the_wheel_holds_a_secret(wheel: Path) -> None:
    """Besides the made-up ones of the sample, and what describes or shows them by example."""
    redact = Redactor(b"a key of thirty-two bytes at least").redact
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.startswith(SHOWN):
                for line in archive.read(name).decode("utf-8", "replace").splitlines():
                    # Code and vocabulary speak of passwords; keys and tokens have a form.
                    kinds = set(MARK.findall(redact(line))) - set(MARK.findall(line))
                    assert not {one for one in kinds if not WORDS.search(one)}, (name, line)


@pytest.mark.hostile("DO5")
def test_the_wheel_has_the_same_bytes_when_it_is_built_again(wheel: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_wheel_alone_runs_help_and_the_demo(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Its dependencies come over a network, which may fail for a while.
    tries = (subprocess.run([*install, str(wheel)], cwd=tmp_path).returncode for _ in range(3))
    assert 0 in tries
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    shown = subprocess.run(
        [str(environment / "bin" / "reverie"), "--help"], env=env, check=True, capture_output=True
    )
    assert b"every day" in shown.stdout
    demo = subprocess.run(
        [str(python), "-m", "reverie.sample.demo"], env=env, cwd=tmp_path, capture_output=True
    )
    assert demo.returncode == 0, demo.stderr.decode()
    assert b"reverie learn --dry-run" in demo.stdout + demo.stderr
