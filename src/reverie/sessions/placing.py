"""Which project the session of one log belongs to, by all that the log says."""

from reverie.sessions.intake import Reading
from reverie.sessions.logfiles import Known
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.model import session_key
from reverie.sessions.projects import ProjectId
from reverie.sessions.registry import Projects
from reverie.sessions.rows import SessionWriter
from reverie.sessions.whereabouts import key_of, paths_in


class Placing:
    """Places sessions; what goes by a name alone only when all others are placed."""

    def __init__(self, projects: Projects, writer: SessionWriter) -> None:
        self._projects = projects
        self._writer = writer
        self.guessing = False

    def project(self, log: LogFile, known: Known | None, reading: Reading) -> ProjectId | None:
        """The project of a session: the one it was placed in before, unless all is read anew.

        None while it would be a guess that the logs still to come may settle.
        """
        head, projects = reading.head, self._projects
        cwd = head.cwd or next((turn.cwd for turn in reading.turns if turn.cwd), "")
        placed = known.session if known is not None and known.state == "read" else ""
        if kept := self._before(placed, cwd, head.remote):
            return kept
        if cwd:
            if not self.guessing and projects.is_guess(cwd, head.remote):
                return None
            return projects.identify(cwd, head.remote, head.branch)
        paths, key = paths_in(reading.turns), key_of(log.path)
        if not self.guessing and (paths or key):
            return None
        cwd = projects.place_named(paths, key)
        # Where nothing tells: a copy of a log was placed by the folder that one lay in.
        kept = None if cwd or head.remote else self._before(base_key(log, reading), "", "")
        return kept or projects.identify(cwd, head.remote, head.branch)

    def _before(self, key: str, cwd: str, remote: str) -> ProjectId | None:
        slug = self._writer.project_of(key) if key else ""
        return self._projects.keep(slug, cwd, remote) if slug else None


def base_key(log: LogFile, reading: Reading) -> str:
    """How the session of a log is named, unless two logs claim one name."""
    head = reading.head
    return session_key(head.agent, head.session_id or log.path.name.split(".")[0])
