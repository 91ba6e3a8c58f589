"""Bodies: a description of them, and words replaced in all but what they quote."""

from reverie.documents.bodies import describe, replaced


def test_a_description_is_the_first_sentence_on_one_line_and_short():
    assert describe("The till\ncounts in cents. Always.") == "The till counts in cents"
    long = describe("word " * 60)
    assert (len(long) <= 150, long[-1]) == (True, "…")


def test_words_are_replaced_everywhere_but_in_quotations():
    body = "**Rule:** Use tabs\n\n> Use tabs\n> always\n\nSaid as: Use tabs, not two (Use).\n"
    changed = body.replace("Rule:** Use tabs", "Rule:** Two (2)").replace(
        "as: Use tabs", "as: Two (2)"
    )
    assert replaced(body, {"Use tabs": "Two (2)", "": "x"}) == changed
    assert replaced(body, {"": "x"}) == body
