"""What Ctrl-C reports: one sentence says what was sent, at every stage. `test_sent.py` has it in a terminal."""

import pytest

from tictactoe import errors
from tictactoe.terminal.output_text import what_was_sent
from tictactoe.tracking import Sent, Stage


@pytest.mark.parametrize("stage", Stage)
def test_what_was_sent_at_every_stage__names_the_transaction_once(stage: Stage) -> None:
    signed = stage not in (Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED)
    report = what_was_sent([Sent("move 1", "0x12" if signed else "", stage)])
    assert report.count("move 1") == 1
    assert "Nothing was sent" not in report
    assert ("Not sent" in report) == (not signed or stage is Stage.NOT_SENT)
    assert ("paid for" in report) == (stage is Stage.FAILED)


def test_what_was_sent_without_a_transaction__is_nothing() -> None:
    assert what_was_sent([]) == errors.Interrupted.outcome
