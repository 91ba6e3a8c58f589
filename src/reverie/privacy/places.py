"""Where a value stands: what is before and behind it, and what kind of text that makes.

`password = window` is a setting in one file and a line of code in another. The signs are few: how
the name and the value are joined, what follows the value on its line, what the lines around are.
"""

import re
from dataclasses import dataclass

from reverie.privacy.grammar import in_bytes
from reverie.privacy.literals import (
    is_call,
    is_common,
    is_path,
    is_symbols,
    is_words,
    names_a_secret,
)

_QUOTES = frozenset({b'"', b"'", b"`"})
# `Login(user=bob, password=…, active=true)`: an object that was printed, not a call.
_DUMPED = re.compile(r"(?:^|[\s:=])[A-Z]\w*\((?:\w+=[^\"'(),=]*, ?)*$")
_PLAIN_REST = re.compile(r"(?:, ?\w+=(?:true|false|null|\d+|[^\"'(),=]*))*\)?\s*$")
_CLOSING = ('"', "'", "`")
_REACH = 400  # bytes that are looked at before and behind
_SIGN = re.compile(
    r"(?P<before>\s*)(?P<sign>=>|:=|\?=|<-|:-|===?|!==?|\?\?=?|\|\|=?|=|:|->|<<<|\||,|>|\(|\{|\x82|%3D|\b(?i:to|be|or|is))"
    r"(?P<behind>\s*)(?:N(?=')|<<|\[\[|q[qQw]?[({|/!]|string\(\d+\)\s)?[\\\"'`@*\s]*$"
)
_NEXT_FIELD = re.compile(r"(?:;([\w .-]{2,40})|[&,]([a-z][a-z0-9_.-]{2,40}))[=:]")
_FLAG = re.compile(r"(?:^|[\s\"'\[(,])--?[A-Za-z][\w.-]*[\"'`\\]{0,3}(?:=|\s+|,\s*)[\"'`\\]*$")
_LINE_END = re.compile(
    r"[ \t\r]*(?:$|\"?\x1f|#|//|--\s|-->|\*/|[%?#]\}|[%?]>"
    r"|\\[nr]|\\?[\"'`]\s*[,)\]}]*\s*(?:$|\\n)|<br|</)"
)
_NEXT_NAME_BEHIND = re.compile(r"[ \t]*[,;&]?[ \t]*[\w.-]{2,40}[=:]")
_SETTER = re.compile(
    r"(?i)(?:env|flag\.|pref|define|get|set|put|add|fetch|default|orelse|property|item|append|header|fill|type|enter|"
    r"store|write|save|config|option|param|secret|field|value|const|literal)\w*['\"]?\s?\(\s{0,3}"
    r"(?:[\"'`:]?[\w.]{1,40}[\"'`]?,\s?)?[\"'`:]?$"
)
_OPENED_COUPLE = re.compile(r"[\[(,{]\s{0,3}[(\[]\s{0,3}[\"'`\\]{1,3}$|\{\s{0,3}:?$")
_OBJECT = re.compile(
    r"(?i)(?:process|os|env|self|this|import|std|config|cfg|conf|settings|var|local|data|module|"
    r"secrets?|vault|req|request|res|response|ctx|context|args|argv|opts|options|params|props|state|"
    r"user|form|body|input|app|event|item|row|creds?|credentials|auth|account|random_password|"
    r"each|values|inputs|steps|github|matrix|outputs|kwargs|session|client|db|store|it)\??[.:\[]|(?-i:[a-z]\.[a-z_]+)$"
)
_CODE = re.compile(
    r"(?m)^\s*(?:def|return|import|from|const|let|var|function|func|fn|class|if|for|while|try|with|"
    r"public|private|package|use|async|await|export|elif|else)\b|;\s*$|\)\s*\{?\s*$|\(\)|=>|\bself\."
)
_SECTION = re.compile(r"(?m)^[>+\-\s\d|:→]*\[[\w .:\"/-]+\]\s*$")
_SETTING = re.compile(r"(?m)^[^\n\w]*[\w.-]+\s*=\s*[^\s\"'(){}\[\];][^\n\"'(){};]*$")
_LINE_PREFIX = re.compile(r"[\w./-]+:\d+[:-]|\s*\d+(?:\xe2\x86\x92|[\t:|])")
_USER_LINE = re.compile(
    r"(?im)^[^\n\w]{0,8}(?:user(?:name)?|login|account|machine|host|from|binddn)\b"
)
_DECLARES = re.compile(
    r"(?i:env|arg|setx?|setenv)\s|[A-Z][A-Z0-9_]{5,}\}?(?:[ \t]{2,}|\t|[ \t]+[\"'])$"
)
# `aws configure set auth_token …`: the name of a setting, of two words at least, and its value.
_COMMAND = re.compile(
    r"(?:ENV|ARG|setx?|setenv|put|config|write\s\S+)\s+(?:-\S+\s+){0,3}[\w./:]*"
    r"[A-Za-z0-9](?:[_.:/-]|(?<=[a-z])(?=[A-Z]))[A-Za-z0-9][\w.-]*[\"']?\s{1,3}[\"']?$"
)
_ARGUMENT_ENDS = re.compile(r"[\"']?(?:\s+(?:-|&|\||;|>)|;)")
_CALL = re.compile(r"\w+[.\w]*[(\[{]|[\[({]\w*[\])}]?$")
_BRACKETS = re.compile(r"(?:^|\s)\($")  # of a sentence, not of a call
_CALLED = 5  # characters, at most, of a bracket and the quote behind it
_ASKS = re.compile(
    r"(?i)(?:\b|_|(?<=[a-z])(?-i:(?=[A-Z])))(?:get|read|load|find|fetch|prompt|ask|lookup|list|delete|remove|has|"
    r"show|reset|forgot|request|clear|revoke)_?[a-z]*(?:_[a-z]+){0,3}\(\s*[\"'`]$"
)
_OWN_NAME = re.compile(r"(?i)(?:value|default|string|password|secret|token|key)\w*[\"']?\s*[:=>]")
_WORDS_BEHIND = re.compile(r"[ \t]+[\w(\[]")
_FIXED_PART = 4
_CLAUSE_ENDS = (
    r"(?i)[*_`\"'\x80-\xff]{0,6}\s*(?:[.,;!?()\]}]|$|-|</|\\n|{saidafter}"
    r"|(?:{goeson})\b"
    r"|[\xe2-\xec])"
)
_REPLACES = re.compile(r"(?i)\b(?:from\s\S+\sto|not\s\S+\sbut)\s*$")
# `b"…"`, `N'…'`, `Some("…")`: what kind of value it is says nothing about it.
_LITERAL_KIND = re.compile(
    r"(?<=[\s=(,:\[{])[NbBruULf@$]{1,2}(?=[\"'`]+$)|(?:!{1,2}\w{1,12}|&\w{1,30}) (?=[\"'`]*$)"
    r"|string\(\d{1,5}\)\s(?=[\"'])|\b(?:Optional|Some|Just|Ok|Right)\s?[\[(](?=[\"']?$)"
    r"|\{[\w:<>*& ]{1,40}\}\s(?=[\"'`]$)|(?<=[:=]\s)[\[(](?=[\"']$)"
)
_KEPT = "\0"
_SIGIL = re.compile(r"[$%@&*!]{1,2}(?=\w)|[%!]$")
_FORMAT = re.compile(r"%[sdvqr](?!\w)|\$?\{[\w.$!:]*\}|^\$\w+$")
_FILLED_IN = re.compile(r"[\w.-]+[=:]\$\{[\w.]+")  # `id=${user.id}`
_REFERENCE = re.compile(r"--?[a-z][a-z-]*$|#[0-9a-fA-F]{3,8}$|%[sdvq]$|:[a-z_]+$")
_TYPE = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Z]?\w*(?:Key|Token|Secret|Password|Str|String|Type|Field|Schema|Input|Text|Hash)"
    r"(?:\[\]|\?|<.*)?|[A-Z]\w*<.*|(?:string|str|bytes|number|any|text|varchar|char)\W.*"
)
_REFERRING = (
    "${", "$(", "$_", "{{", "[", "env:", "op://", "vault:", "secret://", "arn:", "http://", "https://",
    "file:", "ref+", "ssm:", "awssm:", "sops:", "%(", "{%", "<%", "#{",
    "!vault", "!Ref", "!Sub", "!secret", "ENC[",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """What stands around a value."""

    key: str  # the match before the value: name and separator
    quoted: bool
    after: str  # the character after the value, "" at the end
    text: bytes = b""
    span: tuple[int, int, int] = (0, 0, 0)  # where the name begins, the value begins, and ends

    @classmethod
    def of(cls, text: bytes, begin: int, start: int, stop: int) -> "Place":
        """The place of the value between `start` and `stop`, whose name begins at `begin`."""
        return cls(
            key=_LITERAL_KIND.sub("", text[begin:start].decode("latin-1")),
            quoted=text[start - 1 : start] in _QUOTES,
            after=text[stop : stop + 1].decode("latin-1"),
            text=text,
            span=(begin, start, stop),
        )

    @property
    def line(self) -> str:
        """What stands before the name on its line."""
        begin = self.span[0]
        before = self.text[max(0, begin - _REACH) : begin]
        return before[before.rfind(b"\n") + 1 :].decode("latin-1")

    @property
    def rest(self) -> str:
        """What follows the value on its line."""
        stop = self.span[2]
        return self.text[stop : stop + _REACH].split(b"\n", 1)[0].decode("latin-1")

    @property
    def around(self) -> str:
        """The lines around, without the value."""
        _, start, stop = self.span
        before, behind = self.text[max(0, start - _REACH) : start], self.text[stop : stop + _REACH]
        return (before + b"\0" + behind).decode("latin-1")

    @property
    def closed(self) -> bool:
        """In quotes on both sides."""
        return self.quoted and self.after in {'"', "'", "`", "\\"}

    @property
    def sign(self) -> str:
        """What joins name and value; nothing if only space does."""
        match = _SIGN.search(self.key)
        return match["sign"].lower() if match else ""

    @property
    def tight(self) -> bool:
        """`name=value`, without any space."""
        match = _SIGN.search(self.key)
        if match is None or match["sign"] not in {"=", "%3D"}:
            return False
        return not match["before"] + match["behind"]

    @property
    def ends_line(self) -> bool:
        """Nothing but a comment or the next field follows."""
        return _LINE_END.match(self.rest) is not None

    @property
    def is_astray(self) -> bool:
        """On a line below its name that has words, or a name, of its own."""
        above, _, before = self.key.rpartition("\n")
        if not above.strip():
            return False
        own_name = _OWN_NAME.search(before)
        return not self.closed and not own_name and _WORDS_BEHIND.match(self.rest) is not None

    @property
    def is_asked(self) -> bool:
        """What a call is given to say which one it is asked for: `get_password("billing")`."""
        return "(" in self.key[-_CALLED:] and _ASKS.search(self.key) is not None

    @property
    def in_call(self) -> bool:
        """Between the brackets of a call, as far as its line shows."""
        before = self.line + self.key
        return before.count("(") > before.count(")")


def alone(value: str, place_key: str) -> str:
    """An unquoted value without the next field and the punctuation behind it.

    On a line of an environment there is no next field: all of it is the value.
    """
    for next_field in () if names_environment(place_key) else _NEXT_FIELD.finditer(value):
        if is_words(next_field.group(1) or next_field.group(2)):
            value = value[: next_field.start()]
            break
    while value[-1:] in tuple(",;)}]>.|") and not _closes(value):
        value = value[:-1]
    return value


def _closes(value: str) -> bool:
    """Whether the bracket at the end was opened inside."""
    opened = {")": "(", "]": "[", "}": "{"}.get(value[-1], "")
    return bool(opened) and value.count(opened) >= value.count(value[-1])


def is_setting(value: str, place: Place) -> bool:
    """An unquoted value that its syntax makes a literal: configuration, options, tables."""
    identifier = re.fullmatch(r"[A-Za-z_$][\w$]*(?:\.\w+)*", value) is not None
    sign = place.sign
    in_brackets = names_environment(place.key) and _BRACKETS.search(place.line) is not None
    if identifier and place.in_call and not in_brackets and place.rest[:1] in {",", ")", ""}:
        return _DUMPED.search(place.line) is not None and _PLAIN_REST.match(place.rest) is not None
    if identifier and re.match(r"\s*[,;]\s*$", place.rest) and "=" not in place.line:
        return False
    if is_declared(place):
        return True
    if place.rest.startswith("}") and "${" in place.line:
        return True
    if sign == ":" and place.after in _CLOSING and place.line.endswith(place.after):
        return True
    if is_flag(place) or place.tight or sign in {":-", ":=", "?=", "<<<"}:
        return True
    if sign == "|" or sign == "\x82":
        return (
            re.match(r"[\"'`]?\s*(?:\||\x82|\xe2|│|$)", place.rest) is not None
            and "|" not in place.line.lstrip()[1:]
        )
    if sign == ">":
        return place.rest.startswith(("</", "<br"))
    if not place.ends_line and not (sign == ":" and _NEXT_NAME_BEHIND.match(place.rest)):
        return False
    if sign == "=":
        return not identifier or is_config(place.around)
    if sign in {":", "->", "=>"}:
        return sign != ":" or place.key.rstrip("\"'`*")[-1:] != ":" or len(value) >= 8
    return _stands_in_column(place)


def is_declared(place: Place) -> bool:
    """The value of a variable of the environment."""
    if names_environment(place.key) and (place.sign or _DECLARES.match(place.key)):
        return True
    ends = place.ends_line or _ARGUMENT_ENDS.match(place.rest) is not None
    return ends and _COMMAND.match(place.key) is not None


def _stands_in_column(place: Place) -> bool:
    """Name and value with nothing but space between them, on a line of their own."""
    if re.search(r"\n[ \t>|+]*[\"'`]?$", place.key):
        return True
    if re.search(r"\w", _LINE_PREFIX.sub("", place.line)):
        return False
    return re.search(r"[ \t]{2,}$|\t$", place.key) is not None or bool(
        _USER_LINE.search(place.around)
    )


def is_config(around: str) -> bool:
    """Lines of settings rather than of code."""
    if _CODE.search(around):
        return False
    return _SECTION.search(around) is not None or len(_SETTING.findall(around)) >= 1


def is_flag(place: Place) -> bool:
    """`--password` and the like, before its value."""
    return _FLAG.search(place.line[-1:] + place.key) is not None


def is_setter(place: Place) -> bool:
    """A name and its value as the two arguments of a call: `setenv("NAME", "value")`."""
    name = place.key.split(",")[0].strip("\"'`\\ ")
    before = (place.line + place.key)[: (place.line + place.key).rfind(name)]
    return (
        _SETTER.search(before) is not None and re.match(r"[\"'`\\]*\s*[,)]", place.rest) is not None
    )


def is_couple_of_names(place: Place) -> bool:
    """A name and its value alone between brackets, in a list of such: `[("a","x"),("b","y")]`."""
    name = place.key.split(",")[0].strip("\"'`\\ ")
    before = (place.line + place.key)[: (place.line + place.key).rfind(name)]
    return (
        _OPENED_COUPLE.search(before) is not None
        and re.match(r"[\"'`\\]{1,3}(?:>>)?\s*[)\]}]", place.rest) is not None
    )


def names_environment(key: str) -> bool:
    """`DB_PASSWORD=`: the value of such a line is the secret, whatever it looks like."""
    name = re.search(
        r"([A-Z][A-Z0-9_]*)[\"'\\]{0,8}[\s,\"'\\]*(?:value)?[\s\"'\\]*[=:\s]\s{0,2}[\"'\\]*$", key
    )
    return name is not None and len(name.group(1)) >= 3


def ends_clause(place: Place) -> bool:
    """Whether nothing follows that the value would be a part of."""
    ends = in_bytes(_CLAUSE_ENDS).match(place.rest) is not None
    return ends or _REPLACES.search(place.key) is not None


def is_reference(value: str, place: Place) -> bool:
    """A type, variable, call, path or file name rather than a literal."""
    if refers(value) or (not place.quoted and _REFERENCE.match(value)):
        return True
    if value[0] in "?+" and "${" in place.line and place.key.endswith(":"):
        return True
    return not place.quoted and _is_code(value, place)


def refers(value: str) -> bool:
    """The way to a value, wherever it stands: a variable, a path, parts to be filled in."""
    if is_symbols(value):
        return False
    if value.startswith(_REFERRING) or is_path(value):
        return True
    if _SIGIL.match(value) and is_words(_SIGIL.sub("", value)):
        return True
    if _FILLED_IN.match(value):
        return True
    return ("%" in value or "{" in value or "$" in value) and _is_format(value)


def _is_format(value: str) -> bool:
    """Parts that are filled in later, with no more than words between them."""
    left, count = _FORMAT.subn(_filled, value)
    count -= left.count(_KEPT)
    return count > 0 and (sum(map(str.isalnum, left)) < _FIXED_PART or is_words(left))


def _filled(part: re.Match[str]) -> str:
    """Nothing, for a part that has a name; what only stands in braces is kept."""
    name = part[0].strip("${}%")
    named = name.islower() or name.isupper() or is_common(name)
    return "" if not name or (named and is_words(name)) else _KEPT + part[0]


def _is_code(value: str, place: Place) -> bool:
    if "<" in value and _is_all_of_line(value, place):
        return False
    if _OBJECT.match(value) or (place.after and place.after in "(["):
        return True
    if ("<" in value and not _is_all_of_line(value, place)) or (
        _TYPE.fullmatch(value) and ("." in value or is_words(value.rstrip("?[]")))
    ):
        return True
    bracketed = any(c in value for c in "()[]{}|") and not is_symbols(value)
    if bracketed and not _mixed_symbols(value) and ("|" in value or is_call(value)):
        return not names_environment(place.key) or _CALL.match(value) is not None
    return (
        "." in value and is_words(value) and (names_a_secret(value) or not is_setting(value, place))
    )


def _is_all_of_line(value: str, place: Place) -> bool:
    """`NAME=a<b7` of an environment, where nothing is code; not what stands for a value."""
    literal = place.tight and names_environment(place.key) and place.ends_line
    return literal and value[0] != "<" and any(map(str.isdigit, value))


def _mixed_symbols(value: str) -> bool:
    """Brackets inside what is otherwise no call or index: `a(b9!x` rather than `f(x)`."""
    return any(c.isdigit() for c in value) and any(c in "!#^&*%~" for c in value)
