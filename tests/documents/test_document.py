"""Documents: four forms in, the same bytes out, closed vocabularies."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.documents import bodies, frontmatter
from reverie.documents import document as documents
from reverie.documents.document import Document
from reverie.errors import InvalidDocument

NESTED = """\
---
name: no-generated-edits
description: "Generated files are rebuilt by make gen; never edit them by hand"
metadata:
  node_type: memory
  type: feedback
  originSessionId: 00000000-0000-4000-8000-000000000000
  modified: 2026-09-01T10:05:00.000Z
---
Do not edit generated files.

**Why:** they are overwritten. **How to apply:** change the template, run it. See [[make-gen]].
"""
FLAT = """\
---
name: Reviewer preferences
description: Short pull requests
type: user
originSessionId: abc
---
Body.
"""
OURS = """\
---
name: run-lint-before-commit
description: Run npm run lint before every commit; unlinted code kept CI red for a day
metadata:
  type: feedback            # user | feedback | project | reference
  kind: best-practice
  scope: global
  created: 2026-11-15
  pinned: false
  trust: user
  support: 4                # distinct sessions
  evidence: [claude-code:1f2e#42, codex:9a#7]
---
**Rule:** lint first.   **Why:** CI.   **How to apply:** before `git commit`.
"""
BARE = "# Notes on the staging box\n\nIt has 2 cores.\n"


@pytest.mark.proves("D1", "D2")
def test_our_own_form_is_read_whole():
    document = documents.parse(OURS)
    assert document == Document(
        name="run-lint-before-commit",
        description="Run npm run lint before every commit; unlinted code kept CI red for a day",
        type="feedback",
        kind="best-practice",
        scope="global",
        created="2026-11-15",
        trust="user",
        support=4,
        evidence=("claude-code:1f2e#42", "codex:9a#7"),
        body="**Rule:** lint first.   **Why:** CI.   **How to apply:** before `git commit`.\n",
    )


@pytest.mark.proves("D2")
def test_the_nested_form_of_claude_code_gives_type_origin_and_date():
    document = documents.parse(NESTED)
    assert (document.type, document.dated) == ("feedback", "2026-09-01")
    assert document.origin == "00000000-0000-4000-8000-000000000000"
    assert document.extra == {"node_type": "memory", "originSessionId": document.origin}
    parts = bodies.parts(document.body)
    assert parts.rule == "Do not edit generated files."
    assert parts.why == "they are overwritten."
    assert parts.how.startswith("change the template")
    assert bodies.links(document.body) == ("make-gen",)


def test_the_flat_form_is_read_and_stays_flat_when_it_changes():
    document = documents.parse(FLAT)
    assert (document.name, document.type, document.origin) == (
        "Reviewer preferences",
        "user",
        "abc",
    )
    changed = replace(document, pinned=True, description="Short pull requests: at most 300 lines")
    assert changed.text() == FLAT.replace(
        "description: Short pull requests\n",
        'description: "Short pull requests: at most 300 lines"\n',
    ).replace("originSessionId: abc\n", "originSessionId: abc\npinned: true\n")


@pytest.mark.proves("D1")
def test_a_bare_file_loads_without_a_type():
    document = documents.parse(BARE, path="/staging-box.md")
    assert (document.name, document.description, document.type) == (
        "staging-box",
        "Notes on the staging box",
        "",
    )
    assert document.body == document.text() == BARE


def test_a_bare_file_gets_frontmatter_only_when_a_field_is_set():
    document = documents.parse(BARE, path="/staging-box.md")
    assert replace(document, body="other").text() == "other"
    typed = replace(document, type="project").text()
    assert typed.endswith("---\n" + BARE)
    assert documents.parse(typed).type == "project"


@pytest.mark.parametrize("text", [NESTED, FLAT, OURS, BARE])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("final", [True, False])
def test_an_unchanged_document_writes_back_the_same_bytes(text, newline, mark, final):
    given_text = mark + text.replace("\n", newline)
    if not final:
        given_text = given_text.removesuffix(newline)
    document = documents.parse(given_text, path="/x.md")
    assert document.text() == given_text
    assert replace(document, source=document.source).text() == given_text


def test_a_changed_field_changes_its_own_lines_only():
    odd = OURS.replace(
        "metadata:\n", "tags:\n  - a\n  - b\n# a comment\nmetadata:\n  future: {x: 1}\n"
    )
    document = replace(documents.parse(odd), support=5, kind="error", evidence=("codex:9a#7",))
    assert document.text() == (
        odd.replace("  support: 4                # distinct sessions\n", "  support: 5\n")
        .replace("kind: best-practice", "kind: error")
        .replace("[claude-code:1f2e#42, codex:9a#7]", "[codex:9a#7]")
    )


def test_carriage_returns_survive_a_change():
    text = NESTED.replace("\n", "\r\n")
    changed = replace(documents.parse(text), pinned=True, pin_reason="hard won").text()
    assert changed == text.replace(
        "10:05:00.000Z\r\n", "10:05:00.000Z\r\n  pinned: true\r\n  pin_reason: hard won\r\n"
    )


def test_a_flow_style_table_is_opened_before_a_key_of_it_changes():
    text = "---\nname: a\nmetadata: {type: user, colour: blue}\n---\nbody"
    changed = replace(documents.parse(text), type="project").text()
    assert changed == "---\nname: a\nmetadata:\n  type: project\n  colour: blue\n---\nbody"


def test_a_cleared_field_loses_its_line():
    document = documents.parse(OURS)
    assert "evidence" not in replace(document, evidence=()).text()
    assert documents.parse(replace(document, evidence=()).text()).evidence == ()


@pytest.mark.proves("D1")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("type: feedbak", "type must be one of user, feedback, project, reference"),
        ("type: Feedback", "type must be one of"),
        ("kind: gotcha", "kind must be one of error, best-practice"),
        ("section: hobbies", "section must be one of about-me"),
        ("trust: root", "trust must be one of user, agent, tool, web"),
        ("created: yesterday", "created must be an ISO date"),
        ("created: 2026-02-30", "created must be an ISO date"),
        ("pinned: maybe", "pinned must be true or false"),
        ("support: many", "support must be a whole number"),
        ("support: -1", "support must be a whole number"),
        ("evidence: [somewhere]", "is not of the form agent:session#line"),
        ("scope: two words", "scope must be global or a project's slug"),
        ("type: [user]", "type must be text"),
    ],
)
def test_a_field_out_of_its_vocabulary_is_refused_with_what_is_allowed(line, message):
    with pytest.raises(InvalidDocument, match=message):
        documents.parse(f"---\nname: a\nmetadata:\n  {line}\n---\n")


def test_a_near_miss_is_named():
    with pytest.raises(InvalidDocument) as caught:
        documents.parse("---\nname: a\ntype: referense\n---\n", path="/a.md")
    assert caught.value.hint == "did you mean reference?"
    assert caught.value.message.startswith("/a.md: type must be")


def test_section_is_for_the_profile_only():
    with pytest.raises(InvalidDocument, match="type user only"):
        Document(name="a", type="project", section="about-me").validate()


@pytest.mark.proves("D1")
def test_a_broken_file_still_loads_bare_and_says_why():
    text = "---\nname: a\nmetadata:\n  type: secret\n---\nbody\n"
    document = documents.load(text, path="/a.md")
    assert document.type == ""
    assert "type must be one of" in document.problem
    assert document.text() == text


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("a: &x [1]\nb: *x\n", "anchors or aliases"),
        ("a: !!python/object/apply:os.system [ls]\n", "YAML tag"),
        ("a: 1\na: 2\n", "key a twice"),
        ("metadata:\n  type: user\n  type: user\n", "key type twice"),
        ("a: " + "[" * 40 + "]" * 40 + "\n", "nested deeper"),
        ("a: " + "x" * 70_000 + "\n", "larger than 64 KiB"),
        ("a: 'open\n", "is not YAML"),
        ("x: 1\n? [a]\n: b\n", "list or table as a key"),
        ("metadata: 3\n", "metadata must be a table"),
    ],
)
def test_dangerous_or_broken_yaml_is_refused(block, message):
    with pytest.raises(InvalidDocument, match=message):
        documents.parse(f"---\n{block}---\n")


def test_a_ruled_line_at_the_top_is_not_frontmatter():
    for text in (
        "---\njust a ruled line\n",
        "---\nWords between\n---\nrules\n",
        "----\na: b\n---\n",
    ):
        assert frontmatter.split(text) is None


def test_values_stay_the_text_they_were_written_as():
    front = frontmatter.split("---\na: 2026-01-02\nb: no\nc: 007\nd: 1e3\ne: |\n  x: y\n---\n")
    assert front is not None
    assert front.values == {"a": "2026-01-02", "b": "no", "c": "007", "d": "1e3", "e": "x: y\n"}


def test_an_unquoted_colon_is_understood_as_models_mean_it():
    document = documents.parse("---\nname: a\ndescription: Use uv: not pip\n---\n")
    assert document.description == "Use uv: not pip"


words = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=60
).filter(lambda text: text.strip() == text and text not in ("~", "null", "Null", "NULL"))


@given(
    name=words.filter(lambda t: "\n" not in t),
    description=words,
    type_=st.sampled_from(("", *documents.TYPES)),
    kind=st.sampled_from(("", *documents.KINDS)),
    reason=words,
    support=st.integers(0, 999),
    body=st.text(st.characters(exclude_categories=("Cs",))),
)
def test_what_is_written_is_read_back(name, description, type_, kind, reason, support, body):
    document = Document(
        name=name,
        description=description,
        type=type_,
        kind=kind,
        pinned=True,
        pin_reason=reason,
        support=support,
        evidence=("codex:a#1",),
        body=body,
    )
    assert documents.parse(document.text()) == document


@given(text=st.text(st.characters(exclude_categories=("Cs",)), max_size=300), fence=st.booleans())
def test_any_text_loads_and_writes_back_unchanged(text, fence):
    whole = f"---\n{text}\n---\nbody" if fence else text
    assert documents.load(whole, path="/x.md").text() == whole


@given(
    st.dictionaries(
        st.sampled_from(["name", "description", "future", "metadata"]),
        st.sampled_from(
            ["plain words", "'it''s'", '"a \\"b\\""', "[a, b-c, x:1#2]", "2026-01-01", "", "a # c"]
        ),
    )
)
def test_the_short_way_and_yaml_agree(table):
    block = "".join(f"{key}: {value}\n" for key, value in table.items())
    simple = frontmatter._read_simply(block)
    assert simple is not None
    assert simple == frontmatter._read_yaml(block)


@pytest.mark.parametrize(
    ("name", "description", "title"),
    [
        (
            "money-whole-pennies",
            "Money is whole pennies here, never a float.",
            "Money is whole pennies here, never a float",
        ),
        ("retry-once-http-py", "Call retry_once of http.py.", "Call retry_once of http.py"),
        (
            "sails-are-dried",
            "Before winter comes, the sails are dried in the loft,"
            " and the spars are oiled down below in the hold.",
            "Before winter comes, the sails are dried in the loft",
        ),
        (
            "read-tide-tables",
            "Read the tide tables of the harbour office because those of the almanac are wrong.",
            "Read the tide tables of the harbour office",
        ),
        (
            "every-buoy-has-date",
            f"Every buoy{' and another' * 9} has a date.",
            "Every buoy and another and another and another and another and another and…",
        ),
        ("quote-paths", "Paths with spaces broke the build.", "Quote paths"),
        ("tabs-not-spaces", "Indent with tabs.", "Tabs not spaces"),
        ("no-ssn-in-log", "Never write an SSN into the log.", "No SSN in log"),
        ("old-hulls-keep-logs", "For old hulls we keep logs.", "For old hulls we keep logs"),
        ("My Notes", "Anything.", "My Notes"),
        ("run-it", "", "Run it"),
    ],
)
def test_a_title_is_what_the_description_says_as_far_as_it_stands_alone(
    name: str, description: str, title: str
) -> None:
    assert Document(name=name, description=description).title == title
