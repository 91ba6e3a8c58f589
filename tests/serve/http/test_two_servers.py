"""Two servers on one PostgreSQL, whose connections are killed while clients write."""

import pytest
from bench import chaos_serve


@pytest.mark.proves("C3")
@pytest.mark.hostile("CC1", "CC10")
def test_nothing_acknowledged_is_lost_when_connections_die(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert chaos_serve.run(seconds=6.0, clients=6, seed=3) == 0
    told = capsys.readouterr().out
    assert "violations 0" in told
    assert "connections killed 0," not in told
    assert "acknowledged 0," not in told
