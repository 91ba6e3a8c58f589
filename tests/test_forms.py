"""The JSON forms: a value as it is, or some of its fields."""

from reverie import forms
from reverie.sessions.labels import Label
from reverie.settings import Due


def test_a_dataclass_and_a_named_tuple_are_shown_field_for_field():
    assert forms.plain(Due()) == {"sessions": 10, "hours": 24.0}
    label = Label("abc#1", "abc", "explicit", "project", "2026-11-02")
    assert list(forms.plain(label)) == list(Label._fields)


def test_some_fields_keep_the_order_they_are_named_in():
    assert list(forms.some(Due(), "hours sessions")) == ["hours", "sessions"]
