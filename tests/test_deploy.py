"""The container and proxy files say what the guide promises; they are parsed here, not run."""

import re
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parent.parent / "deploy"


def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def test_the_container_runs_as_a_user_and_serves() -> None:
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").splitlines()
    last = [line for line in lines if line and not line.startswith(("#", " "))]
    stage = last[max(n for n, line in enumerate(last) if line.startswith("FROM")) :]
    assert "USER 10001:10001" in stage
    assert stage.index("USER 10001:10001") < stage.index('ENTRYPOINT ["reverie"]')
    assert 'CMD ["serve", "--host", "0.0.0.0"]' in stage
    copied = {line.split()[1] for line in last if re.match(r"COPY (?!--from)", line)}
    assert {"src", "plugin", ".claude-plugin", "pyproject.toml"} <= copied
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert ignored[1] == "*"
    for name in copied:
        assert (DEPLOY.parent / name).exists(), name
        assert f"!{name}" in ignored


def test_every_service_of_ours_has_a_root_that_cannot_be_written() -> None:
    services = compose()["services"]
    ours = [one for one in services.values() if one.get("image") == "reverie"]
    assert len(ours) == 2
    for one in ours:
        assert one["read_only"] is True
        assert one["cap_drop"] == ["ALL"]
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert one["volumes"] == ["home:/data"]
        assert "ports" not in one
        # No password stands in an address or in the file.
        assert not re.search(r"://[^/@]*:", one["environment"]["REVERIE_DATABASE_URL"])
        assert one["environment"]["PGPASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert services["proxy"]["ports"] == ["80:80", "443:443"]
    assert "ports" not in services["db"]


def test_the_proxies_pass_the_name_on_and_take_whole_transcripts() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert "proxy_set_header   Host $http_host;" in nginx
    assert "client_max_body_size    256m;" in nginx
    assert "max_size 256MB" in (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
