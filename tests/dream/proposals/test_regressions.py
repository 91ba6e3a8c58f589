"""Regressions: a test is real, or it is not offered."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.dream.nights import night
from tests.dream.proposals.test_rules import pattern
from tests.dream.weeks import weeks

from reverie.dream.model import Artefact, Reach
from reverie.dream.proposals.regressions import frameworks, regression_form

MESSAGE = "ValueError: day is out of range"
FAILED: dict[str, Any] = {
    "source": "fix",
    "failed": "python3 scripts/report.py 2026-02-30",
    "message": MESSAGE,
}


def test_for(framework: str, **fields: Any) -> Artefact | None:
    return regression_form(pattern("it fails", **(FAILED | fields)), [framework])


test_for.__test__ = False  # type: ignore[attr-defined]


def project(folder: Path, artefact: Artefact, *, mended: bool) -> Path:
    script = folder / "scripts" / "report.py"
    script.parent.mkdir(parents=True)
    says = "print('none')" if mended else f"raise {MESSAGE.replace(': ', '(')[:-1]}e')"
    script.write_text(says.replace("(day", "('day") + "\n", encoding="utf-8")
    place = folder / artefact.path
    place.parent.mkdir(parents=True)
    place.write_text(artefact.content, encoding="utf-8")
    return place


@pytest.mark.proves("A3")
@pytest.mark.parametrize("mended", [False, True])
def test_a_test_fails_while_the_call_fails_and_passes_when_it_is_mended(
    tmp_path: Path, mended: bool
) -> None:
    artefact = test_for("pytest")
    assert artefact is not None
    place = project(tmp_path, artefact, mended=mended)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(place)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) is mended, done.stdout
    assert ("1 passed" in done.stdout) is mended
    assert "skip" not in artefact.content


@pytest.mark.proves("A3")
@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
@pytest.mark.parametrize("mended", [False, True])
def test_a_test_for_a_runner_of_scripts_is_a_program_too(tmp_path: Path, mended: bool) -> None:
    artefact = test_for("jest")
    assert artefact is not None
    place = project(tmp_path, artefact, mended=mended)
    # What a runner provides, in few words.
    runner = tmp_path / "run.js"
    runner.write_text(
        "const assert = require('node:assert');\n"
        "globalThis.expect = (v) => ({ toBe: (w) => assert.equal(v, w),"
        " not: { toContain: (w) => assert(!v.includes(w)) } });\n"
        "globalThis.test = (name, run) => run();\n"
        f"require({json.dumps(str(place))});\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        ["node", str(runner)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) is mended, done.stderr


@pytest.mark.proves("A3")
@pytest.mark.parametrize(
    ("framework", "path", "line"),
    [
        ("go", "tests/regressions/report_valueerror_day_out_range_test.go", "package regressions"),
        ("cargo", "tests/report_valueerror_day_out_range.rs", "#[test]"),
        ("vitest", "tests/report-valueerror-day-out-range.test.mjs", 'from "vitest"'),
        ("bun", "tests/report-valueerror-day-out-range.test.ts", 'from "bun:test"'),
    ],
)
def test_a_test_is_in_the_framework_of_the_project(framework: str, path: str, line: str) -> None:
    artefact = test_for(framework)
    assert artefact is not None
    assert artefact.path == path
    assert line in artefact.content
    assert json.dumps(MESSAGE) in artefact.content


@pytest.mark.proves("A3")
def test_a_call_that_was_mended_is_pinned_as_it_works() -> None:
    artefact = test_for("pytest", fix="python3 scripts/report.py 2026-02-28")
    assert artefact is not None
    assert '"2026-02-28"' in artefact.content
    assert "02-30" not in artefact.content


@pytest.mark.proves("A3")
@pytest.mark.parametrize(
    "fields",
    [
        {"failed": "pytest -q"},
        {"failed": "python3 scripts/report.py …"},
        {"failed": "python3 scripts/deploy.py"},
        {"failed": "python3 /opt/x.py"},
        {"failed": "python3 scripts/report.py | head"},
        {"failed": "npm test"},
        {"message": "python3: can't open file: No such file or directory"},
        {"message": ""},
        {"failed": ""},
    ],
)
def test_where_nothing_can_be_run_for_certain_no_test_is_offered(fields: dict[str, Any]) -> None:
    assert test_for("pytest", **fields) is None


def test_without_a_known_framework_no_test_is_offered() -> None:
    assert regression_form(pattern("it fails", **FAILED), []) is None


@pytest.mark.usefixtures("scratch_on_both")
def test_the_framework_is_the_one_that_sessions_used_most() -> None:
    script = "human: go\nrun: uv run pytest -q\nok: 1 passed\n"
    database = weeks(script, script, script.replace("uv run pytest -q", "go test ./..."))
    from dataclasses import replace

    keys = tuple(f"claude-code:s{number:04d}" for number in range(3))
    slept = replace(night(), reach=Reach(database, (), ()), sessions=keys)
    assert frameworks(slept) == {"app": ["pytest", "go"]}
