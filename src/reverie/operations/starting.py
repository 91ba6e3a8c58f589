"""Starting: the standing rules a session may be told when it begins, prepared beforehand.

The hook that tells them only reads a file, so whatever changes a rule prepares them anew.
"""

from pathlib import Path

from reverie.home import Home


def prepare(home: Home, folder: str) -> None:
    """Write the standing rules for sessions that start in the project of `folder`."""
    from reverie.operations.reach import GLOBAL
    from reverie.recall.recall import Request, Sources, recall
    from reverie.recall.start import RULES_CHARS, write_rules
    from reverie.store.access import of_project

    project = home.projects.expected(folder)
    stores = of_project(home.database.query, project.slug, GLOBAL)
    request = Request(
        project=project.slug, stores=tuple(info.id for info in stores), budget=RULES_CHARS
    )
    sources = Sources(home.database, home.index_database, home.settings, home.clock)
    rules = [item.entry.title for item in recall(request, sources).items if item.part == "rule"]
    write_rules(home.make_home(), str(Path(project.root or folder).resolve()), rules, RULES_CHARS)


def refresh(home: Home) -> None:
    """Prepare anew what was prepared before, after memories were changed."""
    from reverie.recall.start import read_start

    for root in sorted(read_start(home.config.home).get("rules", {})):
        if root and Path(root).is_dir():
            prepare(home, root)
