"""Keys of several providers: read once, each for its own provider alone, and never repeated in a message."""

import io

import pytest

from csro_core.errors import UsageError
from csro_core.models.names import parse_name, provider_of
from csro_core.runner.keys import Credentials, for_models, take_credentials

ROUTER = "https://openrouter.ai/api/v1"
SYNTHESISER, GEMINI, OPENAI = "synthesiser", "gemini:gemini-3.8-flash", f"openai:some/coder@{ROUTER}"
SECRET = "AIza-a-secret-that-nobody-may-see"


def test_keys_are_read_by_provider_up_to_an_empty_line():
    source = io.BytesIO(f"gemini {SECRET}\n{ROUTER}/  sk-2 \n\ngemini other\n".encode())
    taken = take_credentials({"HOME": "/"}, source, several=True)
    assert (taken.key, taken.keys) == (None, {"gemini": SECRET, ROUTER: "sk-2"})
    assert SECRET not in repr(taken)
    assert source.readline() == b"gemini other\n"
    assert take_credentials({}, io.BytesIO(b""), several=True) == Credentials()


@pytest.mark.parametrize(
    "line",
    [
        SECRET, f"{SECRET} gemini", f"gemini{SECRET}", f"gemini {SECRET} more", f"https://u:{SECRET}@host/v1 k",
        f"https://host/v1?key={SECRET} k", f"claude {SECRET}", f"gemini {SECRET}\x07", "gemini ", "x" * 5_000,
    ],
)  # fmt: skip
def test_a_line_that_is_none_is_refused_and_not_repeated(line):
    with pytest.raises(UsageError, match="line 2 is not") as caught:
        take_credentials({}, io.BytesIO(f"https://fine.example/v1 key\n{line}\n".encode()), several=True)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_too_many_lines_are_refused():
    lines = "".join(f"https://h{number}.example/v1 key\n" for number in range(33))
    with pytest.raises(UsageError, match="at most 32 lines"):
        take_credentials({}, io.BytesIO(lines.encode()), several=True)


def test_one_key_is_for_the_one_provider_of_the_models():
    assert for_models(Credentials(SECRET), [GEMINI, "gemini:other", SYNTHESISER]).keys == {"gemini": SECRET}
    assert for_models(Credentials(SECRET), [SYNTHESISER, "recorded:abcd"]) == Credentials()
    local = "openai:m@http://127.0.0.1:8080/v1"
    assert for_models(Credentials(SECRET), [local]).keys == {"http://127.0.0.1:8080/v1": SECRET}
    for others in ([GEMINI, OPENAI], [GEMINI, local], [OPENAI, "openai:m@https://other.example"]):
        with pytest.raises(UsageError, match="several providers, .*--keys-on-stdin") as caught:
            for_models(Credentials(SECRET), others)
        assert SECRET not in str(caught.value)


def test_keys_are_for_providers_of_the_models_alone():
    both = Credentials(keys={"gemini": SECRET, ROUTER: "sk-2"})
    assert for_models(both, [GEMINI, OPENAI, SYNTHESISER]) == both
    with pytest.raises(UsageError, match="given for gemini, and the models are of https://openrouter.ai/api/v1"):
        for_models(both, [OPENAI])
    with pytest.raises(UsageError, match="none that takes a key"):
        for_models(both, [SYNTHESISER])


def test_providers():
    names = (SYNTHESISER, "recorded:abcd", "gemini", GEMINI, OPENAI)
    assert [provider_of(parse_name(name, "m")) for name in names] == ["", "", "gemini", "gemini", ROUTER]
