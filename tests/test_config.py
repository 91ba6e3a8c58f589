"""Configuration: known keys only, from the user only."""

from dataclasses import asdict, fields
from pathlib import Path

import pytest

from reverie import config, settings
from reverie.errors import ConfigError


def env(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(tmp_path), "REVERIE_HOME": str(tmp_path / "r"), **more}


def write(tmp_path: Path, text: str) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "config.toml").write_text(text, encoding="utf-8")


def test_defaults_hold_without_a_file(tmp_path: Path) -> None:
    loaded = config.load(env(tmp_path))
    assert asdict(loaded.settings) == asdict(settings.Settings())
    assert loaded.memory_db == tmp_path / "r" / "memory.db"


def test_an_unknown_key_names_the_nearest_known_one(tmp_path: Path) -> None:
    write(tmp_path, "[learn]\njob = 2\n")
    with pytest.raises(ConfigError, match=r"unknown setting learn\.job") as caught:
        config.load(env(tmp_path))
    assert caught.value.hint == "the nearest known name is jobs"


def test_an_unknown_section_names_the_nearest_known_one(tmp_path: Path) -> None:
    write(tmp_path, "[lern]\njobs = 2\n")
    with pytest.raises(ConfigError) as caught:
        config.load(env(tmp_path))
    assert caught.value.hint == "the nearest known name is learn"


@pytest.mark.parametrize(
    "text",
    ["[learn]\njobs = 'two'", "[learn]\njobs = true", "[learn]\ncues = [1]", "learn = 3", "[learn"],
)
def test_a_value_of_the_wrong_shape_is_an_error(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError):
        config.load(env(tmp_path))


@pytest.mark.proves("E2")
@pytest.mark.parametrize("name", [f.name for f in fields(settings.Signals)])
@pytest.mark.parametrize("weight", ["-0.1", "nan", "inf", "-inf"])
def test_a_weight_that_cannot_be_meant_is_refused_by_its_name(
    tmp_path: Path, name: str, weight: str
) -> None:
    with pytest.raises(ConfigError, match=f"signals.{name} must be"):
        config.load(env(tmp_path, **{f"REVERIE_SIGNALS_{name.upper()}": weight}))
    write(tmp_path, f"[signals]\n{name} = {weight}\n")
    with pytest.raises(ConfigError, match=f"signals.{name} must be"):
        config.load(env(tmp_path))


@pytest.mark.proves("E3")
@pytest.mark.parametrize("days", ["0", "-7", "nan", "inf"])
def test_a_half_life_that_is_none_is_refused(tmp_path: Path, days: str) -> None:
    with pytest.raises(ConfigError, match=r"decay\.half_life_days must be"):
        config.load(env(tmp_path, REVERIE_DECAY_HALF_LIFE_DAYS=days))


@pytest.mark.proves("D6")
def test_a_variable_beats_the_file(tmp_path: Path) -> None:
    write(tmp_path, "[learn]\njobs = 2\ncues = ['nope']\n")
    loaded = config.load(env(tmp_path, REVERIE_LEARN_JOBS="3", REVERIE_PRIVACY_REDACT="off"))
    assert asdict(loaded.settings.learn) == asdict(settings.Learn(cues=("nope",), jobs=3))
    assert loaded.settings.privacy.redact is False


def test_an_unknown_variable_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="REVERIE_LEARN_JOB"):
        config.load(env(tmp_path, REVERIE_LEARN_JOB="3"))


@pytest.mark.proves("D6")
def test_a_relative_home_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="absolute"):
        config.load({"HOME": str(tmp_path), "REVERIE_HOME": "here"})


@pytest.mark.proves("D6")
@pytest.mark.hostile("P9", "M7")
def test_files_of_a_repository_set_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    for name in ("config.toml", "reverie.toml", ".reverie.toml", "pyproject.toml", ".env"):
        (repository / name).write_text(
            "[learn]\njobs = 9\n[tool.reverie.learn]\njobs = 9\n", encoding="utf-8"
        )
    (repository / ".reverie").mkdir()
    (repository / ".reverie" / "config.toml").write_text("[learn]\njobs = 9\n", encoding="utf-8")
    monkeypatch.chdir(repository)
    assert asdict(config.load(env(tmp_path)).settings) == asdict(settings.Settings())


@pytest.mark.parametrize("new", ["", 'default = "rules"\n'])
def test_a_setting_counts_under_its_old_name_until_the_new_one_is_given(
    tmp_path: Path, new: str
) -> None:
    write(tmp_path, f'[engines]\nextraction = "claude-code"\n{new}')
    engines = config.load(env(tmp_path)).settings.engines
    assert engines.default == ("rules" if new else "claude-code")
    other = config.load(env(tmp_path, REVERIE_ENGINES_EXTRACTION="rules")).settings.engines
    assert other.default == "rules"
    both = {"REVERIE_ENGINES_EXTRACTION": "rules", "REVERIE_ENGINES_DEFAULT": "openai"}
    assert config.load(env(tmp_path, **both)).settings.engines.default == "openai"
