"""The commands that only read, with the options of each that are known to be harmless.

`HARMLESS` commands have no option that writes, runs or loads anything in GNU, BSD or busybox form,
so any words may follow, also ones that come out of an expansion. All other tables list what may be
given; what they do not list is refused. Left out on purpose: what writes (`sort -o`, `git log
--output`, `less -o`), what starts a program (`rg --pre`, `git grep -O`, `--ext-diff`, `--textconv`,
signature checks), what chooses where settings come from (`git -c`), and what reaches the network.
"""

from reverie.guard.flags import Flags, names

HARMLESS = names(
    "echo cat ls head tail wc cut tr nl tac rev fold expand unexpand paste comm join column"
    " basename dirname realpath readlink stat du df seq expr id whoami groups uname nproc"
    " pr numfmt factor tsort pstree pidof vmstat iostat lsmod users logname hostid getfacl"
    " lsattr namei findmnt b3sum eza exa lsd vdir dir"
    " printenv pwd true false od hexdump md5sum sha1sum sha224sum sha256sum sha384sum sha512sum"
    " b2sum cksum sum shasum md5 cmp ps free uptime which whereis type fmt sleep lsblk"
    " lscpu getconf sw_vers tty cal :"
)

_GREP = Flags(
    short="abcEFGHhIiLlnoPqRrsTUvwxyZz",
    valued="ABCfmd",
    pattern="e",
    long=names(
        "after-context before-context context basic-regexp binary-files byte-offset color colour"
        " count dereference-recursive devices directories exclude exclude-dir extended-regexp"
        " files-with-matches files-without-match fixed-strings ignore-case include invert-match"
        " initial-tab line-buffered line-number line-regexp max-count no-filename no-ignore-case"
        " no-messages null null-data only-matching perl-regexp quiet recursive regexp silent text"
        " with-filename word-regexp version help file"
    ),
    number=True,
)

# The names of files go through a shell script, which has been fooled by a line break in one.
_ZGREP = Flags(short="abcEFGHhiLlnoPqsvwx", valued="ABCme", number=True, operand=r"[^\n]*")
# Binutils read more options from what is named `@FILE`, and one of them loads a plugin.
_NOT_AT = r"[^@].*"

_PAGER = Flags(short="RFXSNrEeiInmMKQsGgwJ", long=names("quit-if-one-screen"), most=0)

# `bat cache` writes, but not without an option.
_BAT = Flags(
    short="pnAPu",
    valued="lrHm",
    long=names(
        "plain number show-all style color theme decorations wrap line-range language tabs"
        " highlight-line file-name terminal-width list-languages list-themes no-paging"
        " force-colorization unbuffered"
    ),
    # Else it starts a pager away from a terminal too.
    long_valued=names("paging"),
    values=(("paging", "never|auto"),),
)
_FD = Flags(
    short="HIusigFapL01q",
    valued="dteEScjo",
    long=names(
        "hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case"
        " glob regex fixed-strings absolute-path follow full-path print0 max-depth min-depth"
        " exact-depth type extension exclude size changed-within changed-before color max-results"
        " strip-cwd-prefix version and prune quiet threads owner newer older base-directory"
        " search-path one-file-system no-follow relative-path"
    ),
)

CHECKED: dict[str, Flags] = {
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Flags(
        short="cFhHiIlLnNopPqsSuUvwxV0.",
        valued="ABCfgjmMrtTdE",
        pattern="e",
        long=names(
            "after-context before-context context count count-matches case-sensitive color colors"
            " column crlf debug encoding files files-with-matches files-without-match fixed-strings"
            " follow glob iglob heading hidden ignore-case invert-match json line-number"
            " line-regexp max-columns max-count max-depth max-filesize multiline multiline-dotall"
            " no-filename no-heading no-ignore no-ignore-vcs no-line-number no-messages null"
            " null-data one-file-system only-matching path-separator passthru pcre2 pretty quiet"
            " regexp replace smart-case sort sortr stats text threads trim type type-list type-not"
            " unrestricted version vimgrep with-filename word-regexp no-config no-pre file type-add"
            " no-ignore-parent no-ignore-global no-ignore-dot binary max-columns-preview engine"
            " include-zero sort-files no-require-git context-separator field-match-separator"
            " line-buffered block-buffered ignore-file no-column byte-offset no-unicode"
            " no-follow no-hidden auto-hybrid-regex no-stats type-clear"
        ),
    ),
    "jq": Flags(
        short="nrRcsSeaCMjVh",
        long=names(
            "raw-output compact-output slurp null-input exit-status sort-keys arg argjson slurpfile"
            " rawfile tab indent color-output monochrome-output raw-input join-output args jsonargs"
            " ascii-output stream seq version help stream-errors"
        ),
        dashes=False,
    ),
    # Of two programs of this name neither has an option here that writes; -i and -s do.
    "yq": Flags(
        short="rPMCNejcny",
        valued="opI",
        long=names(
            "output-format input-format prettyPrint unwrapScalar no-colors colors indent no-doc"
            " exit-status null-input raw-output compact-output yaml-output version"
        ),
        dashes=False,
    ),
    "fd": _FD,
    "fdfind": _FD,
    # tree takes values from the following words only, so its valued letters may be clustered.
    "tree": Flags(
        short="adfilpshugDFJXnCrtvqNSQLIPcU0123456789",
        long=names("noreport dirsfirst gitignore prune filelimit du si charset matchdirs sort"),
        dashes=False,
    ),
    "sort": Flags(
        short="bdfghiMnRrsuVzcCm",
        valued="kt",
        long=names(
            "reverse numeric-sort unique key field-separator human-numeric-sort version-sort"
            " ignore-case general-numeric-sort stable zero-terminated check month-sort"
            " ignore-leading-blanks dictionary-order sort debug"
        ),
    ),
    "uniq": Flags(
        short="cduiDz",
        valued="fsw",
        long=names("count repeated unique ignore-case all-repeated zero-terminated"),
        most=1,
    ),
    "diff": Flags(
        short="urqNabwBiytcsEZdTp",
        valued="UCWxI",
        long=names(
            "brief unified recursive color side-by-side ignore-all-space ignore-space-change"
            " ignore-blank-lines ignore-case text new-file report-identical-files context"
            " suppress-common-lines strip-trailing-cr minimal width no-dereference exclude label"
        ),
    ),
    "file": Flags(short="bihLkN", long=names("brief mime mime-type mime-encoding dereference")),
    "base64": Flags(short="dD", valued="w", long=names("decode wrap ignore-garbage"), most=1),
    **dict.fromkeys(["zcat", "gzcat"], Flags(short="f")),
    **dict.fromkeys(["bzcat", "xzcat", "zstdcat", "lz4cat"], Flags()),
    **dict.fromkeys(["zgrep", "zegrep", "zfgrep", "xzgrep", "bzgrep"], _ZGREP),
    **dict.fromkeys(["bat", "batcat"], _BAT),
    "nm": Flags(short="aADgnPprSuvC", long=names("demangle dynamic defined-only"), operand=_NOT_AT),
    "objdump": Flags(
        short="aCdDfhprRsStTwxz",
        valued="jM",
        long=names(
            "disassemble demangle headers syms private-headers section all-headers"
            " no-show-raw-insn dynamic-syms full-contents"
        ),
        operand=_NOT_AT,
    ),
    "readelf": Flags(
        short="adehlnrsSuVWtgI",
        valued="px",
        long=names("all headers wide dynamic symbols notes sections segments file-header"),
        operand=_NOT_AT,
    ),
    "size": Flags(short="ABdtx", operand=_NOT_AT),
    "strings": Flags(
        short="afow", valued="nte", long=names("all bytes radix"), number=True, operand=_NOT_AT
    ),
    # An archive would be unpacked, and a file of languages is a program's settings.
    "cloc": Flags(
        long=names(
            "by-file by-file-by-lang quiet md csv json yaml hide-rate exclude-dir include-lang"
            " exclude-lang include-ext exclude-ext skip-uniqueness"
        ),
        operand=r"\.{1,2}/?|(?:\./)?[\w-]+(?:/[\w-]+)*/?",
    ),
    "tokei": Flags(
        short="fCV",
        valued="oest",
        long=names("files hidden no-ignore compact languages output exclude sort type types"),
    ),
    "scc": Flags(
        short="wv",
        valued="fisx",
        attached=False,
        long=names("by-file no-cocomo no-complexity no-duplicates wide format sort include-ext")
        | names("exclude-dir exclude-ext"),
    ),
    "zipinfo": Flags(short="12hlmstvz"),
    "shuf": Flags(short="erz", valued="ni", long=names("echo repeat head-count input-range")),
    "iconv": Flags(short="cls", valued="ft", long=names("from-code to-code list")),
    "lspci": Flags(short="vknmtD", most=0),
    "lsusb": Flags(short="vt", most=0),
    "shellcheck": Flags(
        short="ax",
        valued="CefiosSPW",
        long=names("severity format shell exclude include color external-sources norc"),
    ),
    "top": Flags(short="bcHiS1", valued="nopuwdel", most=0),
    "dmesg": Flags(
        short="Tkuxt", valued="lf", long=names("level facility ctime kernel decode nopager"), most=0
    ),
    "journalctl": Flags(
        short="efxrqkam",
        valued="unpobtSUgF",
        long=names(
            "no-pager reverse follow dmesg utc no-hostname system user list-boots disk-usage"
            " catalog pager-end quiet no-full all boot lines"
        ),
        long_valued=names("unit user-unit priority output since until grep identifier field"),
        number=True,
    ),
    # Away from a terminal a pager copies its input. A file of its own would go through LESSOPEN.
    "less": _PAGER,
    "more": _PAGER,
    "pgrep": Flags(
        short="flaixvnoc",
        valued="duPUtgs",
        long=names("full list-name list-full exact count newest oldest"),
    ),
    # A host behind `@` would be looked up, and its name can carry what was read.
    "lsof": Flags(
        short="PnltUab", valued="ipcuds", values=(("i", r"[46]?(?:TCP|UDP|tcp|udp)?(?::[\w,-]+)?"),)
    ),
    "ss": Flags(short="tulnpaexmoisH46", most=0),
    "netstat": Flags(short="tulnpaeris46", most=0),
    "hostname": Flags(short="fiIsdA", long=names("fqdn long short domain ip-address"), most=0),
    "locale": Flags(short="a", long=names("all-locales"), most=1),
    "who": Flags(short="abHqu", most=0),
    "date": Flags(
        short="uRI",
        valued="d",
        long=names("utc universal iso-8601 rfc-3339 rfc-email"),
        long_valued=names("date"),
        most=1,
    ),
}

# A second file would be written.
JSON_TOOL = Flags(
    long=names("sort-keys no-ensure-ascii json-lines compact tab no-indent"),
    long_valued=names("indent"),
    most=1,
)

FIND_TESTS = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype"
    " -maxdepth -mindepth -depth -mtime -mmin -ctime -cmin -atime -amin -newer -size -empty -perm"
    " -user -group -uid -gid -nouser -nogroup -links -inum -samefile -readable -writable"
    " -executable -prune -print -print0 -printf -ls -quit -not -and -a -or -o -true -false -L -H -P"
    " -xdev -mount -follow -daystart -noleaf -lname -ilname -newermt -newerct -newerat -used"
    " -O1 -O2 -O3"
)

# --- git
_DIFF_NAMES = names(
    "stat numstat shortstat dirstat summary compact-summary name-only name-status patch no-patch"
    " raw patch-with-stat unified color no-color color-words word-diff word-diff-regex minimal"
    " patience histogram diff-algorithm ignore-all-space ignore-space-change ignore-space-at-eol"
    " ignore-blank-lines ignore-cr-at-eol find-renames find-copies no-renames diff-filter cached"
    " staged merge-base check full-index binary abbrev no-abbrev relative no-relative text"
    " exit-code quiet no-ext-diff no-textconv function-context inter-hunk-context pickaxe-regex"
    " pickaxe-all no-prefix ignore-submodules cc combined-all-paths no-index no-commit-id"
    " color-moved no-color-moved ignore-matching-lines line-prefix src-prefix dst-prefix"
    " find-object diff-merges no-diff-merges break-rewrites irreversible-delete indent-heuristic"
)
_LOG_NAMES = _DIFF_NAMES | names(
    "oneline graph no-graph decorate no-decorate decorate-refs all branches tags remotes author"
    " committer grep since until after before since-as-filter format pretty date max-count skip"
    " follow first-parent merges no-merges min-parents max-parents reverse topo-order date-order"
    " author-date-order abbrev-commit no-abbrev-commit left-right cherry-pick cherry-mark cherry"
    " left-only right-only not ancestry-path simplify-by-decoration full-history simplify-merges"
    " invert-grep all-match regexp-ignore-case extended-regexp fixed-strings perl-regexp"
    " basic-regexp walk-reflogs notes no-notes source boundary count parents children"
    " relative-date no-walk log-size use-mailmap no-mailmap encoding expand-tabs clear-decorations"
    " glob exclude reflog show-pulls remove-empty root"
)
# What a format or a sort key asks for must be seen: some of it starts a program.
_SEEN = names("format pretty group sort")
GIT_DIFF = Flags(short="psuzwbaRWtrcm", valued="SGULlMC", long=_DIFF_NAMES, number=True)
GIT_LOG = Flags(
    short="psuzwbaRWtrcmiEFPgq", valued="SGULlMCn", long=_LOG_NAMES, seen=_SEEN, number=True
)
_LIST_NAMES = names(
    "list contains no-contains merged no-merged points-at sort format column no-column color"
    " no-color ignore-case omit-empty"
)
# With one of these a name is a pattern to list; without, it is a branch or tag to make.
GIT_LISTING = names("--list --contains --no-contains --merged --no-merged --points-at")
GIT_CONFIG_MODES = names("--get --get-all --get-regexp --get-urlmatch --list -l get list")
GIT_CONFIG_SCOPES = names(
    "--global --system --local --worktree --show-origin --show-scope --null -z --name-only"
    " --includes --no-includes --bool --int --path"
)

# These look into a submodule on their own, and there its settings count. What is named is the
# first word that keeps them out; grep goes in only where the user's settings say so.
GIT_INTO_SUBMODULES: dict[str, frozenset[str]] = {
    "status": names("--ignore-submodules=all"),
    "diff": names("--ignore-submodules=all --no-index"),
    "diff-index": names("--ignore-submodules=all"),
    "diff-files": names("--ignore-submodules=all"),
    "grep": names("--no-recurse-submodules --no-index"),
}

GIT: dict[str, Flags] = {
    "log": GIT_LOG,
    "show": GIT_LOG,
    "whatchanged": GIT_LOG,
    "rev-list": GIT_LOG,
    "diff": GIT_DIFF,
    "diff-tree": GIT_LOG,
    "diff-index": GIT_DIFF,
    "diff-files": GIT_DIFF,
    "shortlog": Flags(
        short="snec",
        long=_LOG_NAMES | names("summary numbered email group"),
        seen=_SEEN,
        number=True,
    ),
    "status": Flags(
        short="sbvz",
        valued="u",
        long=names(
            "short branch porcelain long verbose untracked-files ignored show-stash ahead-behind"
            " no-ahead-behind column no-column no-renames find-renames ignore-submodules null"
        ),
    ),
    "blame": Flags(
        short="lswetfnpcbMC",
        valued="L",
        long=names(
            "porcelain line-porcelain date root show-name show-number show-email since reverse"
            " first-parent minimal abbrev incremental ignore-rev show-stats"
        ),
    ),
    "grep": Flags(
        short="inlLcwvhHEGFPoqaIrWpz",
        valued="ABCm",
        pattern="e",
        long=names(
            "ignore-case line-number files-with-matches files-without-match name-only count"
            " word-regexp cached untracked no-index show-function function-context heading break"
            " column and or not all-match max-depth color no-color extended-regexp basic-regexp"
            " fixed-strings perl-regexp max-count context after-context before-context"
            " only-matching recursive no-recursive exclude-standard threads text quiet invert-match"
            " full-name null no-recurse-submodules"
        ),
        number=True,
    ),
    "ls-files": Flags(
        short="cdmosuiktvfz",
        valued="x",
        long=names(
            "cached deleted modified others ignored stage unmerged killed exclude-standard exclude"
            " full-name error-unmatch directory no-empty-directory eol abbrev deduplicate"
        ),
    ),
    "ls-tree": Flags(
        short="rdtlz",
        long=names("name-only name-status full-name full-tree long abbrev format object-only"),
    ),
    "cat-file": Flags(short="ptse", long=names("batch batch-check batch-all-objects buffer")),
    "rev-parse": Flags(
        short="q",
        long=names(
            "abbrev-ref short verify show-toplevel git-dir git-common-dir is-inside-work-tree"
            " is-inside-git-dir is-bare-repository is-shallow-repository show-prefix show-cdup"
            " absolute-git-dir symbolic-full-name symbolic all branches tags remotes git-path"
            " quiet since until after before path-format show-object-format"
        ),
    ),
    "describe": Flags(
        long=names(
            "tags always all dirty long abbrev match exclude exact-match contains first-parent"
            " candidates"
        )
    ),
    "merge-base": Flags(short="a", long=names("all is-ancestor fork-point octopus independent")),
    "name-rev": Flags(long=names("tags refs name-only always all")),
    "show-ref": Flags(
        short="dsq", long=names("heads branches tags head hash verify quiet dereference abbrev")
    ),
    "for-each-ref": Flags(long=_LIST_NAMES | names("count exclude"), seen=_SEEN),
    "count-objects": Flags(short="vH", long=names("verbose human-readable")),
    "check-ignore": Flags(short="vnqz", long=names("verbose non-matching quiet no-index")),
    "check-attr": Flags(short="az", long=names("all cached")),
    "symbolic-ref": Flags(short="q", long=names("short quiet"), most=1),
    "cherry": Flags(short="v", long=names("abbrev")),
    "version": Flags(long=names("build-options"), most=0),
    "range-diff": Flags(
        short="sp", long=_DIFF_NAMES | names("creation-factor no-dual-color left-only right-only")
    ),
    "show-branch": Flags(
        short="ar", long=names("all remotes current topo-order date-order list sha1-name no-name")
    ),
    "check-mailmap": Flags(),
    "fsck": Flags(
        long=names(
            "full strict unreachable dangling no-dangling connectivity-only no-progress no-reflogs"
            " root tags verbose"
        )
    ),
    "var": Flags(operand="GIT_[A-Z_]+"),
    "help": Flags(short="ag", long=names("all guides"), operand="[a-z][a-z-]*"),
}
GIT_BRANCH = Flags(
    short="arv",
    long=_LIST_NAMES | names("all remotes verbose show-current abbrev no-abbrev"),
    seen=_SEEN,
)
GIT_TAG = Flags(short="ln0123456789", long=_LIST_NAMES, seen=_SEEN)
GIT_CONFIG = Flags(
    short="lz",
    long=names(
        "get get-all get-regexp get-urlmatch list global system local worktree show-origin"
        " show-scope null name-only includes no-includes type bool int path default"
    ),
)

GIT_GLOBAL = names("--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects")

# --- programs that start another: the options each may have before it
WRAPPERS: dict[str, str] = {
    "timeout": r"(?:--foreground |--preserve-status |-[ks] ?[0-9A-Z]+ )*[0-9]+(?:\.[0-9]+)?[smh]? ",
    "time": r"(?:-p )?",
    "nice": r"(?:-n ?[0-9]+ )?",
    "stdbuf": r"(?:-[ioe] ?[L0] )+",
    "env": r"",
    "command": r"",
}

REASONS: dict[str, str] = {
    "tee": "`tee` writes files",
    "curl": "`curl` reaches the network and can write files",
    "wget": "`wget` reaches the network and writes files",
    "eval": "`eval` runs text that was not checked",
    "exec": "`exec` replaces the shell or redirects it for good",
    "builtin": "`builtin` reaches commands under another name",
    "source": "`source` runs a file",
    ".": "`.` runs a file",
    "trap": "`trap` keeps a command for later",
    "alias": "`alias` changes what later names mean",
    "sqlite3": "`sqlite3` may run a program or leave files;"
    " sqlite3 -safe -readonly 'file:FILE?immutable=1' 'select …'",
    "go": "`go` fetches what go.mod names; read go.mod instead",
    "less": "`less` and its kin start a program for a file; use cat",
    "sudo": "`sudo` runs as somebody else",
}
