"""Profile: in which section of the user's profile a fact about them belongs."""

from reverie.language.words import pattern

# The first that fits decides; what a person is comes before what they like.
_SECTIONS: tuple[tuple[str, str], ...] = (
    ("current-projects",
     r"\b(?:(?:i'?m|i am|we'?re|we are) (?:currently |now |still )?(?:working on|building|"
     r"migrating|rewriting|porting|preparing|developing|maintaining)|my (?:current|main|side) "
     r"project|this (?:month|quarter|sprint|year) (?:i|we))\b"),
    ("technical-environment",
     r"\b(?:(?:i|we) (?:now |mostly |only )?(?:use|run|develop on|work on|code on|code in)\b|my "
     r"(?:laptop|machine|computer|editor|ide|shell|terminal|os|setup|keyboard|monitor|gpu|phone|"
     r"browser)|i'?m on (?:a |an )?(?:mac|macos|linux|windows|ubuntu|fedora|arch|debian|nixos|"
     r"wsl|m[1-4])|installed on my)\b"),
    ("preferences",
     r"\b(?:i (?:really |strongly |generally |always |usually )?(?:prefer|like|love|hate|"
     r"dislike|want|never|expect)|i'?d rather|my preference|please always|i don'?t (?:like|"
     r"want))\b"),
    ("about-me",
     r"\b(?:i am|i'?m|my (?:name|role|job|team|timezone|time zone|background|company|pronouns|"
     r"title)|call me|i (?:work|live|lead|manage|study|teach|have been|know))\b"),
)  # fmt: skip


def profile_section(lesson: str) -> str:
    """`about-me`, `current-projects`, `technical-environment` or `preferences`."""
    return next((name for name, shape in _SECTIONS if pattern(shape).search(lesson)), "about-me")


# Of these a person has one at a time: a later word on it replaces the earlier one.
_SINGLE: tuple[tuple[str, str], ...] = (
    ("name", r"^(?:my name is|call me|i'?m called)\b"),
    ("work", r"^i (?:now )?work (?:at|for)\b"),
    ("home", r"^(?:i (?:now )?live in|i'?m based in|i am based in)\b"),
    (
        "system",
        r"^(?:i'?m|i am) (?:now )?on (?:an? )?(?:mac|macos|linux|windows|ubuntu|fedora|wsl)\b",
    ),
    ("role", r"^(?:my (?:role|job|title) is|i (?:now )?work as)\b"),
)


def profile_slot(lesson: str) -> str:
    """What a fact about the user is about, where only one can hold; else empty."""
    return next((name for name, shape in _SINGLE if pattern(shape).search(lesson.strip())), "")
