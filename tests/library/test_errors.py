"""The classes of errors, and what comes from outside into a sentence."""

import re

from tests.support.commands import ROOT
from tictactoe import errors
from tictactoe.errors import REASONS, Reverted, TicTacToeError
from tictactoe.formatting import clean, coins, gwei, possible_keys


def test_classes__have_the_documented_exit_codes():
    table = (ROOT / "docs" / "playing.md").read_text().partition("## Exit codes")[2]
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, TicTacToeError)]
    # Beside those of success and of three signals, one for each, and two of a node: whether it had the question.
    assert sorted(kind.exit_code for kind in kinds) == sorted([*documented - {0, 129, 130, 143}, 3, 3])


def test_reasons_of_the_contract__each_have_a_sentence():
    source = (ROOT / "contracts" / "TicTacToe.vy").read_text()
    assert set(re.findall(r'_refuse\("([^"]+)"\)', source)) == set(REASONS)
    for reason, sentence in REASONS.items():
        assert (str(Reverted(reason)), Reverted(reason).reason) == (sentence, reason)
        assert sentence.endswith(".")
    assert str(Reverted("go away")) == "The contract refused: go away."


def test_text_from_outside__loses_its_control_codes():
    texts = {
        "\x1b[31mred\x1b[0m": "red",
        "\x1b]0;title\x07after": "after",
        "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\": "link",
        "a\nb\tc": "a b c",
        "bell\x07 null\x00 del\x7f c1\x9b2J": "bell null del c12J",
        "\u202eevil\u2066": "evil",
        " \x07 x \x07 ": "x",
        "x" * 400: "x" * 299 + "…",
    }
    assert {text: clean(text) for text in texts} == texts


GWEI, ETHER = 10**9, 10**18


def test_amount__is_shown_in_full():
    # Rounded up, so that what is shown is enough.
    amounts = {0: "0", 1: "0.000000001", GWEI: "0.000000001", GWEI + 1: "0.000000002"}
    amounts |= {ETHER: "1", ETHER * 3 // 2: "1.5"}
    assert {wei: coins(wei) for wei in amounts} == amounts
    prices = {0: "0 gwei", 1: "0.000000001 gwei", GWEI: "1 gwei", 10**15 + 10**8: "1,000,000.1 gwei"}
    assert {wei: gwei(wei) for wei in prices} == prices


def test_possible_keys__are_the_long_parts_of_a_url():
    host = "a" * 24
    url = f"https://user1234:pass%2F5678@{host}.provider.example/v3/abcdefgh?key=ijklmnop&short=1#fragment1"
    assert possible_keys(url) == {*("user1234", "pass%2F5678", "pass/5678", host, "abcdefgh", "ijklmnop", "fragment1")}
    assert possible_keys("http://127.0.0.1:8545") == set()
