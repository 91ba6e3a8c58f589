"""Archives from anywhere: only plain files below the root come out, and not endless ones."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from reverie.errors import InvalidInput, Refused
from reverie.imports import archives
from reverie.imports.archives import pack, unpack


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, link
    entry.size = 4 if kind == tarfile.REGTYPE else 0
    return entry


def archive(file: Path, *entries: tarfile.TarInfo) -> Path:
    with tarfile.open(file, "w:gz") as tar:
        for entry in entries:
            tar.addfile(entry, io.BytesIO(b"evil") if entry.size else None)
    return file


@pytest.mark.hostile("P8", "P2")
@pytest.mark.parametrize(
    "entry",
    [
        member("../x"),
        member("a/../../x"),
        member("/tmp/x"),
        member("a//x"),
        member("./x"),
        member("..\\x"),
        member("link", tarfile.SYMTYPE, "/etc/passwd"),
        member("hard", tarfile.LNKTYPE, "../x"),
        member("null", tarfile.CHRTYPE),
        member("disk", tarfile.BLKTYPE),
        member("pipe", tarfile.FIFOTYPE),
        member("a/" * 1_500 + "x.md"),
    ],
    ids=lambda entry: entry.name,
)
def test_a_member_that_leads_elsewhere_refuses_the_archive(tmp_path: Path, entry: tarfile.TarInfo):
    (tmp_path / "out").mkdir()
    with pytest.raises(Refused):
        unpack(archive(tmp_path / "x.tar.gz", entry, member("good.md")), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["home", "out", "x.tar.gz"]


@pytest.mark.hostile("P8")
def test_a_file_behind_an_earlier_link_cannot_be_written(tmp_path: Path):
    (tmp_path / "out").mkdir()
    entries = (member("d", tarfile.SYMTYPE, str(tmp_path)), member("d/x"))
    with pytest.raises(Refused):
        unpack(archive(tmp_path / "x.tar.gz", *entries), tmp_path / "out")
    assert not (tmp_path / "x").exists()


@pytest.mark.hostile("P8")
def test_the_same_name_twice_is_refused(tmp_path: Path):
    (tmp_path / "out").mkdir()
    with pytest.raises(Refused, match="twice"):
        unpack(archive(tmp_path / "x.tar.gz", member("a"), member("a")), tmp_path / "out")


@pytest.mark.hostile("P8")
def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archives, "_RATIO_FROM", 1 << 20)
    (tmp_path / "out").mkdir()
    file = tmp_path / "x.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        entry = tarfile.TarInfo("zeros")
        entry.size = 8 << 20
        tar.addfile(entry, io.BytesIO(bytes(entry.size)))
    with pytest.raises(Refused, match="bomb"):
        unpack(file, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.hostile("P8")
def test_too_many_files_and_a_file_too_large_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "out").mkdir()
    file = archive(tmp_path / "x.tar.gz", member("a"), member("b"), member("c"))
    monkeypatch.setattr(archives, "MOST_FILES", 2)
    with pytest.raises(Refused, match="too much"):
        unpack(file, tmp_path / "out")
    monkeypatch.setattr(archives, "MOST_FILE_BYTES", 3)
    with pytest.raises(Refused, match="too much"):
        unpack(file, tmp_path / "out")


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", gzip.compress(b"no tar" * 200, mtime=0)],
    ids=["empty", "no archive", "no tar inside"],
)
def test_what_is_no_archive_is_said_so(tmp_path: Path, data: bytes):
    (tmp_path / "out").mkdir()
    file = tmp_path / "x.tar.gz"
    file.write_bytes(data)
    with pytest.raises(InvalidInput, match="not a readable archive"):
        unpack(file, tmp_path / "out")


def test_a_packed_folder_comes_back_and_has_the_same_bytes_each_time(tmp_path: Path):
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/é.md").write_text("x\r\n")
    (folder / "a").write_bytes(b"")
    pack(folder, tmp_path / "1.tar.gz")
    (folder / "a").touch()
    pack(folder, tmp_path / "2.tar.gz")
    assert (tmp_path / "1.tar.gz").read_bytes() == (tmp_path / "2.tar.gz").read_bytes()
    assert (tmp_path / "1.tar.gz").stat().st_mode & 0o777 == 0o600
    (tmp_path / "out").mkdir()
    unpack(tmp_path / "1.tar.gz", tmp_path / "out")
    assert (tmp_path / "out/sub/é.md").read_bytes() == b"x\r\n"
    with pytest.raises(Refused, match="already"):
        pack(folder, tmp_path / "1.tar.gz")
