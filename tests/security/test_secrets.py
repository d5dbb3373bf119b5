"""Secrets are found in what is printed, and words are not taken for secrets."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.security import find_secrets

LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xC0fRuLiOoPqSw"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("id AKIA" + "ABCDEFGHIJKLMNOP done", "aws-id", "AKIA" + "ABCDEFGHIJKLMNOP"),
        ("token: ghp_" + LETTERS[:36], "github", "ghp_" + LETTERS[:36]),
        ("github_pat_" + LETTERS[:30] + "_" + LETTERS[:40], "github-fine", None),
        ("glpat-" + LETTERS[:20], "gitlab", "glpat-" + LETTERS[:20]),
        ("xoxb-" + "123456789012-abcdefghij", "slack", "xoxb-" + "123456789012-abcdefghij"),
        ("sk-ant-" + "api03-" + LETTERS[:40], "anthropic", "sk-ant-" + "api03-" + LETTERS[:40]),
        ("sk-proj-" + LETTERS[:40], "openai", "sk-proj-" + LETTERS[:40]),
        ("AIza" + LETTERS[:35], "google", "AIza" + LETTERS[:35]),
        ("sk_live_" + LETTERS[:24], "stripe", "sk_live_" + LETTERS[:24]),
        ("hf_" + LETTERS[:34], "huggingface", "hf_" + LETTERS[:34]),
        ("npm_" + LETTERS[:36], "npm", "npm_" + LETTERS[:36]),
        ("SG." + LETTERS[:22] + "." + LETTERS[:40], "sendgrid", "SG." + LETTERS[:22] + "." + LETTERS[:40]),
        ("eyJ" + LETTERS[:20] + ".eyJ" + LETTERS[:30] + "." + LETTERS[:30], "jwt", None),
        ("postgres://app:s3cr3tpw@db:5432/x", "url-password", "s3cr3tpw"),
        ("Authorization: Bearer " + LETTERS[:30], "bearer", LETTERS[:30]),
        ('"api_key": "' + LETTERS[:32] + '"', "assigned", LETTERS[:32]),
        ("AWS_SECRET_ACCESS_KEY=" + LETTERS[:40], "assigned", LETTERS[:40]),
        ("DB_PASSWORD=Tr0ub4dor&3xyz", "assigned", "Tr0ub4dor&3xyz"),
    ],
)  # fmt: skip
def test_a_secret_is_found(text: str, kind: str, value: str | None) -> None:
    found = {each.kind: each.value for each in find_secrets(f"before\n{text}\nafter")}
    assert kind in found
    assert value is None or found[kind] == value


def test_a_private_key_is_found_as_a_whole() -> None:
    body = "\n".join([LETTERS * 2] * 4)
    begin, end = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
    (found,) = [each for each in find_secrets(f"{begin}\n{body}\n{end}") if each.kind == "private-key"]
    assert found.value == body


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2b8c1d9e7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "password: ********",
        "token = <secret_hidden>",
        'api_key = "your-api-key-here-12345"',
        'password = os.environ["DB_PASSWORD"]',
        "secret_key: ${SECRET_KEY_FROM_ENV_123}",
        "the token is in the file config/tokens.json",
        "KeyError: 'authorization_header_missing'",
        "def test_password_is_required_by_form(self): pass",
        "https://example.com:8080/path",
        "keyboard = qwertyuiopasdf",
        "",
    ],
)
def test_words_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == []


@given(st.text(max_size=300))
def test_any_text_may_be_searched(text: str) -> None:
    assert all(each.value in text for each in find_secrets(text))


@pytest.mark.parametrize(
    "text",
    ["sk-" * 300_000, "eyJ" * 300_000, "token=" * 150_000, "a://" * 200_000, "x" * 2_000_000 + " password=" + "1a" * 50,
     "-----BEGIN PRIVATE KEY-----\n" * 30_000, "secret" + "-" * 900_000, "authorization: " * 60_000],
    ids=range(8),
)  # fmt: skip
def test_a_hostile_text_takes_little_time(text: str) -> None:
    began = time.thread_time()
    find_secrets(text)
    assert time.thread_time() - began < 3
