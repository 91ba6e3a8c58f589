"""Diaries of tasks and dailies: read as `learn` wrote them, or as an agent or a person did."""

from typing import NamedTuple

from reverie.errors import InvalidInput, NotFound
from reverie.home import Home
from reverie.learn.daily.dailies import FOLDER, STORE, DailyPage, path_of
from reverie.learn.daily.daily import Daily
from reverie.learn.daily.text import fitted, markdown
from reverie.learn.diary.diaries import DiaryPage, hand_in, preferred
from reverie.learn.diary.handed_in import HandedIn, check, read_own
from reverie.operations import keeping
from reverie.sessions.diaries import DiaryRow
from reverie.sessions.forgotten import Forgotten
from reverie.store.library import stem


class ProjectDaily(NamedTuple):
    """What a daily holds of one project; a person's notes are of the whole day and not here."""

    project: str
    daily: Daily

    @property
    def day(self) -> str:
        return self.daily.day

    @property
    def text(self) -> str:
        return fitted(lambda shape: markdown(self.daily, shape)).text


UNLEARNED = "`reverie learn` writes diaries"
_NO_DAILY = "`reverie learn` writes one for each day with sessions"


def diary_rows(home: Home, *, session: str | None = None, day: str | None = None) -> list[DiaryRow]:
    """The diaries of a session or of a day (ISO), else all, by time.

    Raises:
        NotFound: there is no such session, or it has no diary.
        Ambiguous: several sessions begin so.
    """
    from reverie.sessions.derived import Chosen
    from reverie.sessions.diaries import diaries

    key = home.index.session(session).key if session is not None else None
    rows = diaries(Chosen(home.index.database, (key,) if key else None), day=day)
    if key is not None and not rows:
        raise NotFound(f"{key} has no diary", hint=UNLEARNED)
    return rows


def diaries(home: Home, *, session: str | None = None, day: str | None = None) -> list[DiaryPage]:
    """As `diary_rows`, with the text of each as it is to be read."""
    known = Forgotten(home.store.database)
    rows = diary_rows(home, session=session, day=day)
    return [preferred(home.store, row, known) for row in rows]


def diary_of_task(home: Home, session: str, number: int | None = None) -> DiaryRow:
    """The diary of one task of a session; of the only one if no number is given.

    Raises:
        NotFound: there is no such session, task or diary.
        InvalidInput: the session has several tasks.
    """
    rows = diary_rows(home, session=session)
    if number is None and len(rows) > 1:
        numbers = ", ".join(f"{row.number} ({row.title})" for row in rows)
        raise InvalidInput(
            f"the session has {len(rows)} tasks: {numbers}", hint="choose with --task"
        )
    for row in rows:
        if number in (None, row.number):
            return row
    raise NotFound(f"the session has no task {number}")


def hand_in_diary(home: Home, task: DiaryRow, text: str) -> HandedIn:
    """Keep an agent's own diary of a task (JSON or Markdown) in place of the derived one.

    Secrets are taken out, so is what code or git already say.

    Raises:
        InvalidInput: it is no diary.
    """
    checked = check(read_own(text), home.redact)
    with keeping.in_step(home):
        memory = hand_in(home.store, task, checked.diary)
    return HandedIn(memory, checked)


def dailies(home: Home, project: str | None = None) -> list[DailyPage]:
    """The dailies, oldest first; only those that tell of a project, if one is named.

    Raises:
        NotFound, Ambiguous: no project, or several, fit.
    """
    chronicler = home.dailies
    published = _published(home)
    days = _days(home) if project is None else {row.day for row in _rows_of(home, project)}
    pages: list[DailyPage] = []
    for day in sorted(days):
        if day in published:
            memory = home.store.get(STORE, path_of(day))
            pages.append(DailyPage(day, memory.content, memory))
        elif page := chronicler.page(home.index.database, day):
            pages.append(page)
    return pages


def _published(home: Home) -> set[str]:
    if STORE not in {info.name for info in home.store.stores()}:
        return set()
    paths = (entry.path for entry in home.store.manifest(STORE))
    return {stem(path) for path in paths if path.startswith(FOLDER)}


def _days(home: Home) -> set[str]:
    """The days that have a daily, published or not."""
    from reverie.sessions.derived import Chosen
    from reverie.sessions.diaries import diaries

    return _published(home) | {row.day for row in diaries(Chosen(home.index.database)) if row.day}


def daily_of_project(home: Home, project: str, day: str | None = None) -> ProjectDaily:
    """What the daily of a day (ISO), or of the newest, holds of one project.

    Raises:
        NotFound: no such project, or nothing was done in it then; the hint names the last day.
        Ambiguous: several projects fit.
    """
    slug = home.projects.find(project).slug
    days = sorted({row.day for row in _rows_of(home, slug)})
    wanted = day or (days[-1] if days else "")
    summary = composed(home, wanted, slug) if wanted in days else None
    if summary is None:
        earlier = [other for other in days if other < wanted]
        near = f"the last one before is of {earlier[-1]}" if earlier else _NO_DAILY
        raise NotFound(f"there is no daily of {slug}{f' on {day}' if day else ''}", hint=near)
    return ProjectDaily(slug, summary)


def _rows_of(home: Home, project: str) -> list[DiaryRow]:
    from reverie.sessions.derived import Chosen
    from reverie.sessions.diaries import diaries

    return diaries(Chosen(home.index.database), project=home.projects.find(project).slug)


def daily(home: Home, day: str | None = None) -> DailyPage:
    """The daily of a day (ISO), or the newest.

    Raises:
        NotFound: there is none; the hint names the last one before.
    """
    days = _days(home)
    if day is None and not days:
        raise NotFound("there is no daily yet", hint=_NO_DAILY)
    wanted = day or max(days)
    page = home.dailies.page(home.index.database, wanted)
    if page is None:
        earlier = [other for other in days if other < wanted]
        near = f"the last one before is of {max(earlier)}" if earlier else _NO_DAILY
        raise NotFound(f"there is no daily of {day}", hint=near)
    return page


def composed(home: Home, day: str, project: str | None = None) -> Daily | None:
    """What the daily of a day (ISO) is made from, of one project (slug) if one is named.

    None when nothing happened then.
    """
    return home.dailies.compose(home.index.database, day, project)
