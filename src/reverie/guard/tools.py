"""Programs that take a verb, and programs of which only a few whole lines are known to read.

A program here may ask the service that the user has set up for it (a cluster, a forge, an index,
a daemon), but neither the line nor the folder may choose which: options and operands that name a
host, a file of settings or an address are left out. So is whatever opens a browser, writes a file
or loads a description from the folder. `OBEYED` holds the files of a folder that a program goes by;
where one lies on the way up, the program is refused.
"""

from dataclasses import replace

from reverie.guard.flags import Flags, names

# --- docker and podman: the daemon is the user's, the folder at hand plays no part but to compose.
_DOCKER = Flags(
    short="aqlsftv",
    valued="n",
    long=names(
        "all quiet latest size no-trunc format filter last digests type tail since until timestamps"
        " details follow no-stream human verbose tree help"
    ),
)
_DOCKER_VERBS = dict.fromkeys(
    [
        *("ps", "images", "logs", "inspect", "version", "info", "port", "top", "diff", "history"),
        *("stats", "container ls", "container list", "container ps", "container inspect"),
        *("container logs", "container port", "container top", "container diff"),
        *("container stats", "image ls", "image list", "image inspect", "image history"),
        *("network ls", "network list", "network inspect", "volume ls", "volume list"),
        *("volume inspect", "context ls", "context list", "context inspect", "context show"),
        *("system df", "system info", "buildx ls"),
    ],
    _DOCKER,
)
_COMPOSE = dict.fromkeys(
    ["ps", "logs", "config", "images", "top", "port", "ls", "version"],
    replace(
        _DOCKER, long=_DOCKER.long | names("services volumes images quiet no-color no-log-prefix")
    ),
)

# --- kubectl: `-f` and `-k` load a file, an address or a description that is built with git, and
# --kubeconfig a file that names programs. `get --raw` reaches what stands behind the cluster.
_KUBECTL = Flags(
    short="Aw",
    valued="nolL",
    long=names(
        "all-namespaces show-labels no-headers watch ignore-not-found show-kind show-managed-fields"
        " show-events client short minify flatten recursive namespaced containers list help"
    ),
    long_valued=names(
        "namespace context cluster user request-timeout output selector field-selector sort-by"
        " template label-columns chunk-size api-version api-group verbs revision timeout for types"
    ),
)
_KUBECTL_LOGS = Flags(
    short="fp",
    valued="ncl",
    long=names("follow previous all-containers all-pods prefix timestamps ignore-errors help"),
    long_valued=names(
        "namespace context cluster user container selector tail since since-time limit-bytes"
        " max-log-requests pod-running-timeout request-timeout"
    ),
)
_KUBECTL_VERBS = {
    **dict.fromkeys(
        [
            *("get", "describe", "explain", "api-resources", "api-versions", "version", "top pod"),
            *("top pods", "top po", "top node", "top nodes", "top no", "events", "rollout status"),
            *("rollout history", "auth can-i", "auth whoami", "config view"),
            *("config current-context", "config get-contexts", "config get-clusters"),
            "config get-users",
        ],
        _KUBECTL,
    ),
    "cluster-info": Flags(valued="n", long_valued=names("context namespace"), most=0),
    "logs": _KUBECTL_LOGS,
}
_HELM = Flags(
    short="Aaqr",
    valued="nofm",
    long=names(
        "all all-namespaces deployed failed pending superseded uninstalled short reverse date"
        " show-desc show-resources help"
    ),
    long_valued=names("namespace kube-context output filter max offset revision selector"),
)

# --- gh: an operand or -R can be an address or HOST/OWNER/REPO, and -w opens a browser.
_REPOSITORY = r"[\w.-]+/[\w.-]+"
_GH_VALUES = (("R", _REPOSITORY), ("repo", _REPOSITORY))
_GH_OPERAND = r"#?[\w.-]+(?:/[\w.-]+)?|https://github\.com/[\w./#-]+"
_GH_BOOLEAN = names(
    "comments name-only patch log log-failed verbose required draft exit-status yaml all archived"
    " exclude-drafts exclude-pre-releases fail-fast conflict-status no-archived fork source help"
)
_GH_VALUED = names(
    "repo state limit label author assignee search json jq template base head milestone branch"
    " workflow user event status commit job attempt color sort order created app mention owner"
    " language visibility topic ref stars updated merged closed key match extension filename"
)
_GH = Flags(
    short="cdvy",
    valued="aABHlLSsqtmRbeju",
    attached=False,
    long=_GH_BOOLEAN,
    long_valued=_GH_VALUED,
    values=_GH_VALUES,
    operand=_GH_OPERAND,
)
_GH_VERBS = {
    **dict.fromkeys(
        [
            *("pr view", "pr list", "pr ls", "pr status", "pr diff", "pr checks", "issue view"),
            *("issue list", "issue ls", "issue status", "run view", "repo view", "repo list"),
            *("release list", "release view", "workflow list", "workflow view", "label list"),
            *("gist list", "cache list", "variable list", "secret list", "ruleset list"),
            *("status", "version"),
        ],
        _GH,
    ),
    "auth status": Flags(short="a", long=names("active help"), most=0),
    "run list": Flags(
        valued="abceLsuwqtR",
        attached=False,
        long=names("all help"),
        long_valued=_GH_VALUED,
        values=_GH_VALUES,
        most=0,
    ),
    **dict.fromkeys(
        ["search issues", "search prs", "search repos", "search code", "search commits"],
        Flags(valued="LRqt", long=_GH_BOOLEAN, long_valued=_GH_VALUED),
    ),
    # A path of the service; an address would go elsewhere. With a field it becomes a POST.
    "api": Flags(
        short="i",
        valued="qtX",
        long=names("paginate slurp include silent verbose help"),
        long_valued=names("jq template method"),
        values=(("X", "GET"), ("method", "GET")),
        operand=r"/?(?!graphql)\w[\w./{}@-]*(?:\?[\w.:/%@+=&,-]*)?",
    ),
}

# --- package managers
_NPM = Flags(
    short="galp",
    long=names("global all long parseable json prod production dev link workspaces help"),
    long_valued=names("depth omit include workspace"),
)
# `npm view OWNER/REPO` clones one, and a path or an address is loaded too. Without any it takes the
# name in package.json for one.
_NPM_PACKAGE = r"(?:@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*(?:@[\w.^~*-]+)?"
_NPM_VIEW = Flags(
    long=names("json long"), least=1, operand=rf"{_NPM_PACKAGE}|[\w-]+(?:[.][\w-]+|\[[\w-]*\])*"
)
_NPM_VERBS = {
    **dict.fromkeys(["ls", "list", "ll", "la", "outdated", "why", "explain", "query"], _NPM),
    **dict.fromkeys(["view", "info", "show", "v"], _NPM_VIEW),
    **dict.fromkeys(["root", "prefix", "config list", "config ls"], _NPM),
    **dict.fromkeys(["run", "run-script", "version", "whoami"], Flags(long=names("json"), most=0)),
    **dict.fromkeys(["config get", "get", "pkg get"], Flags(long=names("json"))),
}
# -f is --find-links to all but show.
_PIP = Flags(
    short="oqluev",
    long=names(
        "quiet verbose outdated uptodate local user editable not-required all pre"
        " exclude-editable include-editable disable-pip-version-check help"
    ),
    long_valued=names("format exclude"),
)
_PIP_VERBS = dict.fromkeys(
    ["list", "freeze", "check", "config list", "cache list", "cache dir", "help"], _PIP
) | {
    "show": Flags(short="fqv", long=names("files quiet verbose help")),
    "index versions": Flags(long=names("pre"), operand=r"[A-Za-z0-9][\w.-]*"),
}
_PACKAGE_NAMES = r"[A-Za-z0-9][A-Za-z0-9+._:@*-]*"
_APT = Flags(
    short="a",
    long=names("installed upgradable all-versions manual-installed names-only installed recurse"),
    operand=_PACKAGE_NAMES,
)

_SYSTEMCTL = Flags(
    short="alq",
    valued="ntpo",
    long=names(
        "all full no-pager user system failed value no-legend plain reverse quiet recursive help"
    ),
    long_valued=names("type state lines property output"),
)

VERBS: dict[str, dict[str, Flags]] = {
    "docker": _DOCKER_VERBS | {f"compose {verb}": flags for verb, flags in _COMPOSE.items()},
    "docker-compose": _COMPOSE,
    "podman": _DOCKER_VERBS,
    "kubectl": _KUBECTL_VERBS,
    "helm": dict.fromkeys(
        [
            *("list", "ls", "status", "history", "version", "get values", "get manifest"),
            *("get notes", "get hooks", "get all", "get metadata"),
        ],
        _HELM,
    ),
    "gh": _GH_VERBS,
    "npm": _NPM_VERBS,
    "pip": _PIP_VERBS,
    "pip3": _PIP_VERBS,
    "apt": dict.fromkeys(["list", "show", "policy", "search", "depends", "rdepends"], _APT),
    "apt-cache": dict.fromkeys(
        ["policy", "show", "search", "depends", "rdepends", "madison", "showpkg"], _APT
    ),
    "systemctl": dict.fromkeys(
        [
            *("status", "show", "cat", "is-active", "is-enabled", "is-failed", "list-units"),
            *("list-unit-files", "list-timers", "list-sockets", "list-dependencies", "list-jobs"),
        ],
        _SYSTEMCTL,
    )
    | {"": Flags(most=0)},
    # Any other form of these resolves: it writes Cargo.lock, and fetches what Cargo.toml names.
    "cargo": {
        "metadata": Flags(
            short="q",
            long=names("no-deps offline locked frozen quiet"),
            long_valued=names("format-version"),
            most=0,
            needs="--no-deps",
        ),
        "tree": Flags(
            short="d",
            valued="ipe",
            long=names("frozen duplicates no-dedupe all-features no-default-features workspace"),
            long_valued=names("invert package edges depth prefix features target format"),
            most=0,
            needs="--frozen",
        ),
    },
    "rustup": {
        "show": Flags(operand="active-toolchain|home"),
        "toolchain list": Flags(short="v", most=0),
        "target list": Flags(long=names("installed"), most=0),
        "component list": Flags(long=names("installed"), most=0),
    },
    "go": {"version": Flags(short="m"), "env": Flags(short="json", operand="[A-Z0-9_]+")},
    "conda": {
        "list": Flags(valued="n", long=names("json"), operand=r"\w[\w-]*"),
        "env list": Flags(long=names("json"), most=0),
        "info": Flags(short="e", long=names("envs json"), most=0),
    },
    "gem": {"list": Flags(long=names("local"), operand=r"\w[\w-]*"), "env": Flags(most=0)},
    # A word with a slash or a dot is a formula of the folder, which is a program.
    "brew": dict.fromkeys(
        ["list", "ls", "info", "leaves", "deps", "--prefix", "--cellar"],
        Flags(
            long=names("versions formula cask installed tree json full-name"),
            operand=r"[A-Za-z0-9][A-Za-z0-9+@-]*",
        ),
    )
    | {"config": Flags(most=0), "services list": Flags(most=0)},
}

# What may stand between the program and its verb.
BEFORE_VERB: dict[str, Flags] = {
    "kubectl": Flags(valued="n", long_valued=names("namespace context cluster")),
    "helm": Flags(valued="n", long_valued=names("namespace kube-context")),
    "systemctl": Flags(short="al", long=names("user system no-pager all full failed")),
}

# The words, joined by blanks, must be one of these: all of them plain, and none but the last with a
# blank in it.
_NO_DASH = r"(?: (?!-)[\w./:+@*~-]+)"
LINES: dict[str, str] = {
    "arch": "",
    "rustc": "--version --verbose|-V -v|-Vv",
    "mount": "(?:-l)?",
    "swapon": "--show|-s",
    "crontab": "-l",
    "ssh-add": "-[lL]",
    "ulimit": "(?:-[HSacdflmnpstuv]+ ?)*",
    "tput": "cols|lines|colors",
    "lsb_release": "-[asdrci]+",
    "nvidia-smi": "(?:-L|-q)?",
    "vm_stat": "",
    "stty": "-a|size",
    "w": "(?:-[hsfu]+)?",
    "last": "(?:-n ?[0-9]+|-[0-9]+)?(?: ?reboot)?",
    "timedatectl": "(?:status|show)?",
    "hostnamectl": "(?:status)?",
    "sysctl": r"-a|(?:-n )?[\w.]+(?: [\w.]+)*",
    "getent": r"(?:passwd|group|services|protocols|shells)(?: \w[\w-]*)*",
    "ifconfig": r"(?:-a|\w[\w.]*)?",
    "ip": r"(?:-(?:4|6|s|d|o|j|p|c|br|brief|color|json|stats) )*"
    r"(?:a|addr|address|l|link|r|route|n|neigh|rule|maddr)"
    r"(?: (?:show|list|ls)(?: dev)?(?: \w[\w.-]*)?)?|(?:r|route) get [\w.:]+",
    "dpkg": rf"(?:-[lLsS]|--list|--listfiles|--status|--search){_NO_DASH}*"
    "|--get-selections|--print-architecture|--print-foreign-architectures",
    "dpkg-query": rf"(?:-[lLsSW]|--show|--list)(?: -f ?\S[^ ]*| --showformat=\S+)?{_NO_DASH}*",
    "rpm": rf"-q[ailcdR]*{_NO_DASH}*|-qf{_NO_DASH}",
    "openssl": r"version(?: -a)?|x509(?: -(?:in [\w./-]+|noout|text|subject|issuer|dates"
    r"|startdate|enddate|serial|fingerprint|sha256|pubkey))+",
    # A view of the database may start a program; only the safe mode keeps it from that. One with a
    # write-ahead log gets files beside it when it is read, unless it is said to be immutable.
    "sqlite3": r"(?:-safe -readonly|-readonly -safe)(?: -(?:header|column|json|csv|box))*"
    r" file:[\w./][\w./-]*\?immutable=1 (?i:(?:select|with|explain)\b[^;]*;?|pragma \w+\(\w+\);?"
    r"|\.(?:tables|schema|indexes)(?: \w+)?)",
}

# Programs that run code of the folder they are called in, or much else: only their version and
# their help may be asked, each in its own spelling, for `python3 -v` is an interpreter that tells
# what it imports. poetry, gradle, bazel and jest are left out: a file of the folder chooses what
# even that runs.
VERSIONS: dict[str, frozenset[str]] = {
    **dict.fromkeys(["python", "python3", "pip", "pip3", "uv"], names("--version -V --help -h")),
    **dict.fromkeys(["node", "npm", "docker", "npx"], names("--version -v --help")),
    **dict.fromkeys(["ruby", "php", "perl"], names("--version -v --help")),
    **dict.fromkeys(
        [
            *("make", "cmake", "ninja", "gcc", "g++", "cc", "c++", "clang", "clang++", "bash"),
            *("zsh", "sqlite3", "psql", "black", "mypy", "tsc", "gh", "podman", "aws"),
            *("wget", "tar", "brew", "systemctl", "gpg"),
        ],
        names("--version --help"),
    ),
    **dict.fromkeys(
        ["curl", "ruff", "cargo", "rustup", "less", "jq", "bat", "batcat"],
        names("--version -V --help"),
    ),
    **dict.fromkeys(["yarn", "pnpm", "mvn"], names("--version -v")),
    "rustc": names("--version -V -vV --help"),
    "kubectl": names("--help"),
    "helm": names("--help"),
    "java": names("-version --version --help"),
    "javac": names("-version --version --help"),
    "dotnet": names("--version --info --list-sdks --list-runtimes --help"),
    "ssh": names("-V"),
    "ffmpeg": names("-version"),
    "lua": names("-v"),
    "go": names("--help"),
    "terraform": names("version -version --version"),
}

# --- files that a program goes by. Each of their lines must look like this, else, and with None
# always, the program is refused below the folder that holds one. A version that begins with `path:`
# is a folder to asdf, old pyenvs follow `..`, and a path is an interpreter to uv.
_VERSION = r"(?!\s*/)(?:(?!\.\.)(?!\./)[\w.*/+#\s-])*"
_NPMRC = (
    r"[#;].*|(?:(?:save-exact|save-prefix|engine-strict|legacy-peer-deps|fund|audit|package-lock"
    r"|progress|strict-peer-dependencies|auto-install-peers|shamefully-hoist|prefer-offline"
    r"|loglevel)\s*=\s*[\w^~-]*)?"
)
# volta and corepack load what these ask for; an escape could hide their names.
_WITHOUT = r"(?!.*(?:%s|\\u)).*"
_ANY: dict[str, str | None] = {".tool-versions": _VERSION}
_PYTHON = _ANY | {".python-version": _VERSION}
_NODE = _ANY | {
    ".nvmrc": _VERSION,
    ".node-version": _VERSION,
    "package.json": _WITHOUT % '"volta"',
}
_PACKAGE_MANAGER = _NODE | {
    ".npmrc": _NPMRC,
    "package.json": _WITHOUT % '"(?:volta|packageManager|devEngines)"',
}
_RUST = _ANY | {"rust-toolchain": None, "rust-toolchain.toml": None}
# Compose loads what is included from anywhere; an escape or a tag could hide the word. What stands
# in .env becomes its environment.
_COMPOSE_FILES = (
    _ANY
    | {".env": None}
    | dict.fromkeys(
        [
            *("compose.yml", "compose.yaml", "compose.override.yml", "compose.override.yaml"),
            *("docker-compose.yml", "docker-compose.yaml"),
            *("docker-compose.override.yml", "docker-compose.override.yaml"),
        ],
        r"(?!.*(?:include|extends|provider|[\\!])).*",
    )
)

OBEYED: dict[str, dict[str, str | None]] = {
    **dict.fromkeys([*VERBS, *VERSIONS, "rg", "fd", "jq", "yq", "cloc", "tokei", "scc"], _ANY),
    **dict.fromkeys(["python", "python3", "black", "mypy", "uv", "ruff", "aws"], _PYTHON),
    # pip starts rustc to say who it is, and freeze asks hg about what is installed from a folder.
    **dict.fromkeys(["pip", "pip3"], _PYTHON | _RUST | {".hg": None}),
    **dict.fromkeys(["npm", "npx"], _PACKAGE_MANAGER),
    **dict.fromkeys(
        ["yarn", "pnpm"],
        _PACKAGE_MANAGER
        | dict.fromkeys([".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml"], None)
        | dict.fromkeys([".pnpmfile.cjs", ".pnpmfile.mjs"], None),
    ),
    "mvn": _ANY | {".mvn": None, ".java-version": _VERSION},
    **dict.fromkeys(["node", "tsc"], _NODE),
    **dict.fromkeys(["ruby", "gem"], _ANY | {".ruby-version": _VERSION}),
    **dict.fromkeys(["java", "javac"], _ANY | {".java-version": _VERSION}),
    **dict.fromkeys(["cargo", "rustc", "rustup"], _RUST | {".cargo": None}),
    # go loads the toolchain that is asked for here.
    "go": _ANY | {".go-version": _VERSION, "go.mod": None, "go.work": None},
    "docker compose": _COMPOSE_FILES,
    "docker-compose": _COMPOSE_FILES,
    "terraform": _ANY | {".terraform-version": None, ".opentofu-version": None},
    # From .NET 10 on it can name the folder that the SDK is started from.
    "dotnet": _ANY | {"global.json": None},
}
