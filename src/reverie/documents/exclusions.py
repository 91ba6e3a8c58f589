"""What is not worth remembering: what the code or git already say, and details of one task.

Each rule is a shape of sentence with what would make the same shape worth keeping after all: a
reason, a preference, a standing rule, or something about the environment, a tool or the data that
no checkout can show. In doubt a memory is kept; a person can always archive it.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a text is refused, and one sentence on what would be worth saving instead."""

    rule: str
    reason: str
    instead: str


class _Rule(NamedTuple):
    name: str
    shape: "re.Pattern[str]"
    unless: "re.Pattern[str]"
    reason: str
    instead: str


_READ = 2_000  # characters; what a memory is about stands at its start


def why_not(text: str, *, instructions: str = "") -> Exclusion | None:
    """The reason not to keep `text`, or `None` when it is worth keeping.

    `instructions` is what CLAUDE.md or AGENTS.md say: their own words are in every session
    already.
    """
    if instructions and _is_repeated(text, instructions):
        return Exclusion(
            "instructions",
            "CLAUDE.md already says this, so every session starts with it",
            "Save what CLAUDE.md leaves out: why the rule exists, or a case in which it fails.",
        )
    text = text[:_READ]
    for rule in _RULES:
        if rule.shape.search(text) and not rule.unless.search(text):
            return Exclusion(rule.name, rule.reason, rule.instead)
    return None


def _is_repeated(text: str, instructions: str) -> bool:
    wanted = _words(text)
    if len(wanted) < 4:
        return False
    return any(
        len(wanted & said) >= 0.85 * len(wanted)
        for line in instructions.splitlines()
        if (said := _words(line))
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"[\w./-]{2,}", text.lower()))


def _any(*parts: str) -> "re.Pattern[str]":
    return re.compile("|".join(parts), re.I | re.M)


_FILE = (
    r"[\w./@-]{0,80}[\w@-]\.(?:py|tsx?|jsx?|go|rs|java|rb|php|cs?|cpp|h|vue|css|html|sql|ya?ml|toml"
    r"|json|md|sh)\b"
)
_FOLDER = r"(?:[\w@.-]{1,40}/){1,8}[\w@.-]{0,40}"
_PLACE = rf"`?(?:{_FILE}|{_FOLDER})`?"
_VERB = r"(?:GET|POST|PUT|PATCH|DELETE|HEAD)"

# A reason, a wish, a standing rule, a surprise: no checkout shows these.
_REASON = (
    r"\bbecause\b|\bso that\b|\botherwise\b|\bthe reason\b|\bafter (?:the|an|a|we|two|three)\b.*"
    r"\b(?:outage|incident|audit|complain|broke|lost|fail)|\bin case\b|\bdue to\b|\bsince (?:the"
    r"|it|we|they)\b"
)
_WISH = (
    r"\b(?:always|never|prefers?|from now on|instead of|rather than|avoid|do not|don'?t"
    r"|must(?: not)?"
    r"|should(?: not|n'?t)?|no longer|not allowed|policy|convention|we (?:chose|decided|agreed"
    r"|rejected)"
    r"|decided|agreed|wants?|likes?|hates?|ask (?:me|first|before)|only (?:after|when|if|with|from"
    r"|on|by))\b"
    r"|^(?:use|keep|run|write|put|leave|stay|treat|check|ask|answer|pin|set)\b"
)
_SURPRISE = (
    r"\b(?:has|have) no\b|\bdespite\b|\balthough\b|\beven though\b|\bmisleading\b|\bactually\b"
    r"|\bnot (?:the|what|by|in|a)\b"
    r"|\bsilently\b|\blegacy\b|\bundocumented\b|\bby hand\b|\bmanually\b|\bgenerated\b|\bflaky\b"
    r"|\bhangs?\b"
    r"|\btwice\b|\bquirk\b|\bexcept\b|\bonly\b|\bunless\b|\bstale\b|\bwrong\b|\bbut\b"
)
_ENVIRONMENT = (
    r"\b(?:vpn|secrets?|vault|bucket|proxy|firewall|docker|podman|wsl|sandbox|container|kubernetes"
    r"|laptop|macos|windows"
    r"|linux"
    r"|apple silicon|arm64|env(?:ironment)? var\w*|path\b.*\bshell|locale|timezone"
    r"|clock|dns|certificates?|ca bundle|credentials?|token|quota|rate.?limit|out of memory|oom"
    r"|ram|swap"
    r"|disk|permission|sudo|eacces|enospc|emfile|port \d+|registry|mirror|staging|production"
    r"|cluster"
    r"|runner|\bci\b|github actions|jenkins|ssh|keychain|node_modules|lockfile|ulimit|kernel|gpu"
    r"|cuda)\b|(?-i:\b[A-Z]{2,}_[A-Z_]{2,}\b)"
)
_DATA = (
    r"\bnulls?\b(?! (?:pointer|reference|check|deref))|\b(?:empty string|utf-?8|utf-?16|latin-?1"
    r"|bom|encod\w+|utc|cents|milliseconds?|epoch|duplicates?"
    r"|missing rows|soft.?deleted|negative|rounding|off by one|truncated|case.?(?:in)?sensitive"
    r"|csv)\b|\b(?:the|csv|\w+ce|data) export\b"
)
_NEVER = r"(?!)"

_RULES: tuple[_Rule, ...] = (
    _Rule(
        "git-history",
        _any(
            r"\bcommit (?:[0-9a-f]{6,40}\b|added|changed|removed|fixed|introduced)",
            r"\b(?:pr|pull request|merge request|mr|issue) ?#?\d+\b[^.]{0,60}\b(?:merged|adds?"
            r"|added|changes|changed|fix\w*|removes?|removed|closed|introduced|opened|open"
            r"|updates?)\b",
            r"\b(?:merged|opened|closed|reviewed|pushed)\b[^.]{0,40}\b(?:pr|pull request|branch"
            r"|#\d+|to main|into main)\b",
            r"\b(?:last|latest|recent|previous) commits?\b|\b(?:commit|git) (?:history"
            r"|log) shows\b",
            r"\b\w+ (?:wrote|authored|added|changed|committed|last touched|refactored) (?:this|the"
            r"|that) (?:file|code|module|function|line|test|class)\b",
            r"\bbranch\b[^.]{0,40}\b(?:was created|was merged|has \d+ commits|is ahead|is behind"
            r"|contains)\b",
        ),
        _any(_REASON, _WISH, _SURPRISE, _ENVIRONMENT),
        "git keeps its own history",
        "Save the decision behind the change, or who to ask about it.",
    ),
    _Rule(
        "structure",
        _any(
            r"^\s*(?:[├└│]|\|--|\+--)",
            rf"\b(?:files?|folders?|directories|modules|components|tests?|functions|handlers"
            rf"|controllers|models|routes"
            rf"|helpers|styles|migrations|configuration|config|constants|types"
            rf"|entry point)\b[^.]{{0,60}}"
            rf"\b(?:is|are|lives?|located|defined|stored|found|kept|in|under|at|include|contains?"
            rf"|:)\b[^.]{{0,40}}{_PLACE}",
            rf"{_PLACE}\s+(?:contains?|holds?|has|defines?|exports?|implements?|imports?|handles?"
            rf"|includes?|is (?:the|where|a))\b",
            rf"\b(?:is|are) (?:defined|implemented|declared|located|exported|found) (?:in|at"
            rf"|under) {_PLACE}",
            rf"(?:{_PLACE}(?:,|\s+and|\s*\n)\s*){{2,}}{_PLACE}",
            r"\b(?:class|component|struct|interface|module|service|function|method|hook|enum"
            r"|repository)\b[^.]{0,50}"
            r"\b(?:extends|inherits|implements|calls|takes|accepts|returns|imports|wraps"
            r"|delegates to|has (?:\w+ )?"
            r"(?:methods|fields|parameters|arguments|props|columns))\b",
            r"\b\w+(?:Service|Controller|Repository|Manager|Factory|Provider|Handler|Component"
            r"|Model|View)\b"
            r"[^.]{0,30}\b(?:extends|calls|uses|depends on|inherits|wraps|imports|returns"
            r"|implements)\b",
            r"\b(?:table|schema|model|entity)s?\b[^.]{0,40}\b(?:has|have|contains?"
            r"|with)\b[^.]{0,20}\b(?:columns?|fields?|tables?)\b",
            r"\bthe (?:app|project|code ?base|repo(?:sitory)?|frontend|backend|code)\b[^.]{0,30}"
            r"\b(?:is (?:organi[sz]ed|structured|divided|split)|consists of"
            r"|follows (?:an? )?(?:mvc|layered|hexagonal|clean))",
            r"\bmonorepo (?:with|has|contains)\b",
            rf"\b(?:lives?|sits?|resides?|configured|set up|handled|registered|is|are)\b"
            rf"[^.]{{0,20}}"
            rf"\b(?:in|under|at|inside)\s+{_PLACE}",
            r"\b(?:repo(?:sitory)?|project|app|code ?base|schema|workspace|system)\b[^.]{0,20}"
            r"\b(?:has|contains|includes)\b[^.]{0,20}"
            r"\b(?:packages|modules|services|tables|folders|workspaces|layers)\b",
            r"\b(?:model|entity|table|class)\b[^.]{0,20}\b(?:belongs to|has many|has one"
            r"|references)\b",
            r"\b(?:function|method|class|component"
            r"|hook)\s+`?(?-i:[a-z_]*[A-Z_]\w*)`?(?:\(\))?\s+[a-z]+s\b",
            r"\bthere (?:is|are) (?:a |an |\d+ |two |three |four |five "
            r"|several )?(?:\w+ )?(?:files?|classes|functions|components|modules|tests|packages)\b",
        ),
        _any(_REASON, _WISH, _SURPRISE, _ENVIRONMENT, _DATA),
        "the code shows its own structure, and shows it up to date",
        "Save why it is built this way, or what surprised you about it: that is in no file.",
    ),
    _Rule(
        "routes",
        _any(
            rf"\b{_VERB}\s+`?/[\w/:{{}}.-]*",
            r"\b(?:routes?|endpoints?|urls?)\b[^.]{0,60}(?:\s|`)/[\w:{}-]+",
            r"(?:^|\s)`?/api/[\w/:{}-]+`?\s+(?:returns?|is|handles?|accepts?|calls?|maps?)\b",
        ),
        _any(
            _REASON, _WISH, _SURPRISE, _ENVIRONMENT, _DATA, r"\bdashboard\b|\bgrafana\b|https?://"
        ),
        "routes are listed in the code",
        "Save what a caller cannot see there: who depends on a route, or what must never change.",
    ),
    _Rule(
        "versions",
        _any(
            r"\b(?:uses?|using|runs?|requires?|depends on|built (?:with|on)|is on|targets?"
            r"|version(?: is)?|upgraded to|pinned (?:to|at)|dependenc\w+|packages?|we have)\b"
            r"[^.]{0,40}?(?:\bv?\d+(?:\.\d+)+\b|\b(?:react|vue|angular|node|python|django|rails"
            r"|java|go|rust|typescript|next|laravel|spring|php|ruby|postgres\w*|vite|webpack"
            r"|eslint|jest)(?:\.js)? v?\d+\b)",
            r"\b(?:package\.json|pyproject\.toml|requirements\.txt|cargo\.toml|go\.mod|gemfile"
            r"|pom\.xml|lockfile)\b[^.]{0,40}\b(?:lists?|has|contains|includes|pins|declares"
            r"|specifies)\b",
            r"\b(?:dependencies|dev dependencies|libraries|stack"
            r"|tech stack)\b(?: of the \w+)?\s*(?:are|is|include|includes|:)",
            r"\b(?:latest|current) version\b[^.]{0,30}\bis\b",
            r"\b(?:is|are|we'?re) (?:running|on|using)\b[^.]{0,20}\bv?\d+\.\d+",
            r"\b(?:uses|based on|from)\s+`?[\w./-]+:\d[\w.-]*`?[^.]{0,20}\bimage\b",
            r"^(?:the )?(?:project|app|frontend|backend|repo\w*|service|api) (?:uses|is built with"
            r"|is written in) [\w .,+#-]+$",
        ),
        _any(
            _REASON,
            _WISH,
            _SURPRISE,
            _ENVIRONMENT,
            _DATA,
            r"\b(?:breaks?|crash\w*|fails?|incompatible|bug|leaks?)\b",
        ),
        "the manifest and the lock file say which versions are used",
        "Save why a version is held back, or what breaks with another one.",
    ),
    _Rule(
        "bug-fix",
        _any(
            r"\b(?:fixed|resolved|solved|patched|corrected|repaired)\b[^.]{0,90}\b(?:by|with|in"
            r"|adding|changing|via|through|using)\b",
            r"\b(?:bug|crash|issue|error|regression|exception|race condition|memory leak|typo"
            r"|problem|failure)\b[^.]{0,80}\b(?:was|were|is now|got|has been)\b[^.]{0,40}"
            r"\b(?:fixed|caused|resolved|solved|due|missing|removed|corrected)\b",
            r"\bwas caused by an? (?:undefined|missing|wrong|typo|null|stale)\b",
            r"\b(?:the fix|root cause|solution)\b[^.]{0,20}\b(?:was|is|:)",
            r"^(?:fixed|resolved|solved|patched)\b",
            r"\b(?:was|were) the (?:reason|cause)\b[^.]{0,40}\b(?:crash|bug|failure|error|issue"
            r"|problem)\b",
        ),
        _any(
            _ENVIRONMENT,
            _DATA,
            r"\b(?:always|never|from now on|every time|again|recurs?|whenever|prefers?|restart\w*"
            r"|reinstall\w*"
            r"|clear(?:ing)? the cache|flaky|upstream|vendor|third.party|must|do not|don'?t)\b",
        ),
        "the fix is in the code and the story in git",
        "Save what would help with the next one: the symptom in tools, data or environment and "
        "what cured it.",
    ),
    _Rule(
        "instructions",
        _any(
            r"\b(?:claude|agents|contributing|readme)\.md (?:says?|states?|tells?|requires?"
            r"|mentions?|lists?|already)\b"
        ),
        _any(r"\b(?:wrong|outdated|misleading|but|ignore|stale)\b"),
        "that file is read at the start of every session",
        "Save what the file leaves out: why the rule exists, or where it does not hold.",
    ),
    _Rule(
        "one-off",
        _any(
            r"^(?:please )?(?:rename|move|delete|remove|add|create|implement|refactor|update"
            r"|change|make|fix|bump|extract|replace|convert|generate|wire|hook)"
            r" (?:the|this|that|an?|my|our)\b(?!.*\b(?:every|all new|each|any time|whenever"
            r"|when you)\b)",
            r"\b(?:currently|now|today|right now|still)\b[^.]{0,20}\b(?:working on|debugging"
            r"|implementing|fixing|refactoring|investigating|writing|blocked on|in the middle)\b",
            r"\b(?:i'?m|we'?re|i am|we are|was|were|user is|user was) (?:\w+ )?(?:working on"
            r"|debugging|implementing|fixing|refactoring|investigating|adding|trying to)\b",
            r"^(?:debugging|investigating|implemented|moved|renamed|added|removed|refactored"
            r"|updated|created|wired|extracted"
            r"|replaced|converted|cleaned up|deleted)\b",
            r"^(?:rename|refactor|convert|extract|move|split)\s+`?(?-i:[A-Za-z]+[A-Z]\w*)",
            r"^(?:todo|done|next steps?|remaining|in progress|done so far|status)\b\s*[:-]",
            r"\b(?:in|during) this (?:session|conversation|chat|task)\b",
            r"\b(?:we|i|user) (?:just |have |has )?(?:asked|refactored|renamed|moved|finished"
            r"|completed|implemented|added|updated|removed|cleaned up)\b[^.]{0,80}",
            r"\b(?:all )?\d+ (?:of \d+ )?tests? (?:pass|passed|fail|failed|are green)\b",
            r"\btests? (?:are|is) (?:now )?(?:passing|green|failing)\b",
        ),
        _any(
            _REASON,
            r"\b(?:always|never|from now on|prefers?|every time|each time|whenever|must|policy"
            r"|convention|wants?|likes?|do not|don'?t|rule|instead of|only)\b",
            _ENVIRONMENT,
            r"\buntil\b.*\d{4}-\d\d-\d\d|\bdeadline\b|\bfreeze\b|;|, so\b|\bso \w+ (?:can|do|does"
            r"|survive|stay|keep)",
        ),
        "it is about one task and will not come up again",
        "Save the rule behind it, if there is one: what should hold the next time as well.",
    ),
)
