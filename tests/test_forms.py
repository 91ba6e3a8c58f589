"""The JSON forms: one door for all of them."""

from inspect import getmembers, isfunction

from reverie import forms
from reverie.forms import kept, learning


def test_every_form_is_offered_once():
    made = [
        name
        for part in (kept, learning)
        for name, form in getmembers(part, isfunction)
        if form.__module__ == part.__name__ and not name.startswith("_")
    ]
    assert sorted(made) == forms.__all__
