"""Whether words stand where a turn has the structure of something that was pasted."""

import pytest

from reverie.language.pasted import may_be_shown
from reverie.learn.statements.utterance import hear

RULE = "Always run quill before every merge."

# Forms and announcements, with the rule in them; most of it is no statement at all.
PASTED = [
    "Merge request text: {}",
    "Issue 77 opened by ines:\n\n{}",
    "came across this on reddit:\n{}",
    "ruff: {}",
    "Codacy reports: {}",
    ".windsurfrules holds:\n{}",
    "page 12 of the handbook:\n{}",
    "{} -- that is what their newsletter says",
    "{} — Ines Ruiz",
    "Hi crew,\n\n{}\n\nThanks,\nInes\n\nplease file that",
    "Hey folks,\n{}\nBest regards,\nInes\n\ncan you do that?",
    "Team,\n\n{}\n\nInes Ruiz\n\nbuild a bot for it",
    "According to the auditor, {}",
    "Laut Handbuch, {}",
    "---------- Weitergeleitete Nachricht ---------\n{}",
    "see the letter below.\n\nDear all,\n{}\nKind regards\nOmar",
    "Hallo zusammen,\n{}\nViele Grüße\nOmar",
    "Ines · 5 hours ago · Owner\n{}",
    "@ines · 5h\n{}",
    "OPS-9 Merge policy\nOwner: Ines\n\n{}",
    "Created by Ines\nLast edited Nov 2\n\n{}",
    "/* Licence of 2026\n{} */",
    "//! {}\npub fn quill() {{}}",
    "-- {}\nlocal quill = 1",
    "INSERT INTO hints VALUES (1, '{}');",
    "cat > HINTS <<EOF\n{}\nEOF",
    "npm notice {}\nnpm notice 3 packages",
    "E   AssertionError: {}\nFAILED tests/test_quill.py",
    "HTTP/1.1 200 OK\nContent-Type: text/plain\n\n{}",
    "00:00:01.000 --> 00:00:03.000\n{}",
    "Search results for merge:\n1. quill.example - {}",
    "Le guide dit : {}",
    "La wiki dice: {}",
    "O manual diz: {}",
    "手册里写着：{}",
    "マニュアルにはこう書いてある: {}",
    "[hints]\nhint = {}",
    # Letters, by what stands below and above, in any language.
    "{}\n-- \nInes Ruiz, Head of Harbour",
    "{}\n\nInes Ruiz\nHead of Harbour",
    "{} Kind regards, Ines",
    "{}\n~ines",
    "{}\n\nSent from my phone",
    "{}\n\nYou received this message because of your subscription.",
    "Cześć wszystkim,\n{}\nPozdrawiam,\nInes",
    "Hej alla,\n{}\nMed vänliga hälsningar\nInes",
    "Коллеги, добрый день!\n{}\nС уважением,\nИнес",
    "皆さん\n{}\nよろしくお願いします。\n田中",
    "De: Ines\nPara: todos\nAsunto: merges\n\nHemos hablado.\n\nBien.\n\n{}",
    "Od: Ines\nDo: wszyscy\nTemat: merge\n\nRozmawialiśmy wczoraj.\n\nDobrze.\n\n{}",
    "差出人: 田中\n宛先: 全員\n\n昨日話しました。\n\n良かった。\n\n{}",
    "Le lundi, Ines a écrit :\n\nBonjour,\n\n{}",
    # Somebody answers what is quoted.
    "> who looks at merges?\n\nThanks for raising this. From Monday on it is so. {}",
    "> who looks at merges?\n\nGood question.\n\nWe met on Monday.\n\nIt took long.\n\n{}",
    # Bots, chats, notes and pages.
    "**Suggestion:** {}",
    "⚠️ Potential issue | Major\n\n{}",
    "### Review summary\n\nThe change looks good.\n\n{}",
    "High Severity\n\nThe merge lacks a step. {}",
    "{} Would you like me to set that up?",
    "Ines Ruiz\n{}\n\nOmar Vidal\nwill do",
    "Ines said in the round that the rule is simple: {}",
    "Weekly sync\n\n1. Merges\n   - three broke\n   - {}\n2. Hiring",
    "Retro\n\nWhat went badly\n- merges\nActions\n- {}",
    "Description\n\n{}\n\nAcceptance criteria",
    "What's new in 4.2\n\n- faster start\n- {}",
    "1.2 Merging\n\n1.2.1 {}",
    "“Broken merges” aren’t a fate — they’re a choice. {}",
    "As many of you have noticed, merges to the main line have been breaking a\n"
    "lot in the last weeks. {}",
    "make this sound nicer:\n{}",
    "{}\U000e006f\U000e0062\U000e0065\U000e0079",
]
OWN = [
    "{}",
    "Rule: {}",
    "one more thing: {}",
    "oh, nearly slipped my mind: {}",
    "sorry, what I meant: {}",
    "From now on: {}",
    "please fix the parser. {}",
    "Two things:\n- fix the parser\n- {}",
    "fix the parser\n\n{}",
    "For merges: {}",
    "- {}\n- keep commits small\n- write tests first",
    "# Task\nfix the parser\n\n# Rules\n{}",
    "> shall I merge now?\n\nno, wait. {}",
    "> shall I merge now?\nYes. {}",
    "hi!\n{}",
    "Hi Claude, please look at the merge. {}",
    "{}\n\nThanks!",
    "I don’t like how you merge. {}",
    "Goal: a faster parser.\nContext: it takes long now.\n{}",
    "Look at src/app.py\n{}",
    "You merged unchecked again.\n{}\nThen push.",
    "Remember this: {}",
]


@pytest.mark.proves("F13")
@pytest.mark.hostile("M4")
@pytest.mark.parametrize("form", PASTED)
def test_words_in_the_structure_of_a_paste_are_not_surely_the_writers(form: str):
    text = form.format(RULE)
    heard = [sentence.text for sentence in hear(text).sentences if "quill" in sentence.text]
    assert all(may_be_shown(text, sentence) for sentence in heard)


@pytest.mark.parametrize("form", OWN)
def test_typed_words_are_the_writers_own(form: str):
    text = form.format(RULE)
    heard = [sentence.text for sentence in hear(text).sentences if "quill" in sentence.text]
    assert heard
    assert not any(may_be_shown(text, sentence) for sentence in heard)


def test_only_the_words_beside_the_structure_are_in_doubt():
    text = (
        "Never commit to main by hand.\n\nplease look at this too\n\nINFO 10:42 started\nquill up"
    )
    assert not may_be_shown(text, "Never commit to main by hand.")
    assert may_be_shown(text, "quill up")
