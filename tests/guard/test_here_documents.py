"""Where a here-document ends is where bash ends it."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.errors import Refused
from reverie.guard.guard import Allow, can_use_tool
from reverie.guard.here_documents import PLACE, without_here_documents

ROWS = st.lists(
    st.sampled_from(
        [
            *(
                "cat <<'EOF'",
                'cat <<"EOF"',
                "cat <<EOF",
                "cat << 'EOF'",
                "cat <<-EOF",
                "(cat <<'EOF')",
            ),
            *("cat <<'EOF' | wc -l", "cat <<'EOF' && ls", "cat <<'A' <<'EOF'", "echo $(cat <<EOF)"),
            *(
                "echo \"<<'EOF'\"",
                "echo '<<EOF'",
                "# <<'EOF'",
                "echo 'a",
                "'",
                'echo "a',
                '"',
                "ls \\",
            ),
            *(
                "EOF",
                " EOF",
                "EOF ",
                "A",
                "touch proof",
                "$(touch proof)",
                "`touch proof`",
                "ls",
                "",
            ),
            *("{ cat <<'EOF'", "}", "if true; then", "fi", "echo $((1<<EOF))", "cat <<<EOF", ")"),
        ]
    ),
    min_size=1,
    max_size=7,
).map("\n".join)


@pytest.mark.proves("D9")
@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(line=ROWS)
def test_no_row_of_an_allowed_line_runs_unseen(line: str, tmp_path: Path) -> None:
    if can_use_tool("Bash", {"command": line}, tmp_path / "memory", tmp_path) == Allow():
        run(line, tmp_path)
    assert not (tmp_path / "proof").exists()


def run(line: str, folder: Path) -> None:
    subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "line",
    [
        "echo \"<<'EOF'\"\ntouch proof\nEOF",
        "cat <<'EOF'\nEOF\ntouch proof\nEOF",
        "# <<'EOF'\ntouch proof\nEOF",
    ],
)
def test_rows_that_only_look_like_a_document_are_commands(line: str, tmp_path: Path) -> None:
    run(line, tmp_path)
    assert (tmp_path / "proof").exists()
    assert can_use_tool("Bash", {"command": line}, tmp_path / "memory", tmp_path) != Allow()


def test_a_line_is_cut_into_what_the_shell_reads_in_turn() -> None:
    line = "ls\ncat <<'EOF' | wc -l\n$(a) `b`\nEOF\npwd"
    assert without_here_documents(line) == [("ls", 0), (f"cat < {PLACE} | wc -l", 1), ("pwd", 0)]
    assert without_here_documents("cat <<< x") == [("cat <<< x", 0)]


def test_a_text_the_shell_would_expand_is_refused() -> None:
    for text in ("$x", "`x`", "a\\"):
        with pytest.raises(Refused):
            without_here_documents(f"cat <<EOF\n{text}\nEOF")
