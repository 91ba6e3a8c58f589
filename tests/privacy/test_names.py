"""Names by strength: which make any literal a secret, and which only find something again."""

import pytest

from reverie.privacy.names import is_certain, is_credential, is_field, name_of
from reverie.privacy.places import Place


@pytest.mark.parametrize(
    "name",
    [
        "SECRET_KEY", "secret_key_base", "signingKey", "X-Api-Key", "jwt.secret", "Refresh Token",
        "GITHUB_TOKEN", "ACME_TOKEN", "client-secret", "api_key_2", "encryption_key_old", "gh_pat",
    ],
)  # fmt: skip
def test_a_name_that_leaves_no_doubt_is_certain(name: str) -> None:
    assert is_certain(f"{name}: ")
    assert is_field(name)


@pytest.mark.parametrize(
    "name",
    [
        "cache_key", "sort_key", "public_key", "project_key", "next_page_token", "EOS_TOKEN",
        "MAX_TOKEN", "token", "key", "monkey", "existingSecret", "secret_name", "api_key_id",
    ],
)  # fmt: skip
def test_a_name_that_finds_or_counts_is_not(name: str) -> None:
    assert not is_certain(f"{name}: ")


def test_a_key_without_an_owner_needs_a_random_value() -> None:
    assert is_credential("deployer_key=")
    assert not is_certain("deployer_key=")


@pytest.mark.parametrize(
    "before",
    [
        'variable "auth_token" {\n  type = string\n  default = "',
        'auth_token\n  value: "',
        "auth_token: string = '",
        'auth_token" value="',
        "auth_token</key>\n<string>",
        "auth token is now ",
        "auth token from x to ",
    ],
)
def test_the_name_is_found_however_far_up_it_stands(before: str) -> None:
    text = before.encode()
    assert is_certain(name_of(Place.of(text, 0, len(text), len(text))))
