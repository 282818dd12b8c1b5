"""Why no test can notice some changes: they change nothing that anybody sees. By the place and the changed lines."""

NOTHING_LEFT = "The function returns `None` here in any case."
NOT_STRICT = "`zip` is not strict in any case."
TRUTH = "Only its truth is used."
TYPES = "Only types use it."
BIG = "Python's default."
COMPARED = "The whole answer is compared afterwards."
PARITY = "The mark depends on whether the number is even, and that stays."

REASONS = {
    (
        "tracking.Tracker",
        "show: Callable[[Sent, float], None] = lambda _sent, _waited: 0",
    ): "What it returns is not used.",
    (
        "game.Game.is_possible",
        'return self.status in ("in_progress", f"{mark_of(len(self.moves) - 1).lower()}_forfeits")',
    ): PARITY,
    (
        "game.Game.line",
        "full = [line for line in LINES if marks[line[1]] and len({marks[cell] for cell in line}) == 1]",
    ): "The three marks are equal.",
    ("game.Game.turn", 'return mark_of(len(self.moves) - 1) if self.in_progress else ""'): PARITY,
    (
        "spending.Limits.concerns",
        "if self.max_price is None and prepared.price > max(ASK_ABOVE_PRICE, ASK_ABOVE_TIMES_USUAL * (usual or 1)):",
    ): "Ten wei are less than the price that is always usual.",
    ("table._remembered_block", "return receipt.block pass"): NOTHING_LEFT,
    ("table.named_table", "raise errors.NoFactory(node) pass"): NOTHING_LEFT,
    (
        "table.Table.state",
        "words = [int.from_bytes(answer[at : at + 32], ) for at in range(0, len(answer), 32)]",
    ): BIG,
    (
        "table.Table.state",
        "moves = tuple(row * 3 + col for row, col in zip(words[17::4], words[18::4], ))",
    ): COMPARED,
    (
        "table.Table.state",
        "moves = tuple(row * 3 + col for row, col in zip(words[17::4], words[18::4], strict=False))",
    ): COMPARED,
    (
        "table.Table.state",
        "moves = tuple(row * 3 + col for row, col in zip(words[17::4], words[18::4], strict=None))",
    ): COMPARED,
    ("table._address", "return to_checksum_address(word.to_bytes(20, ))"): BIG,
    ("table._game_state", 'return b"".join(word.to_bytes(32, ) for word in words)'): BIG,
    (
        "table._game_state",
        'turn = "" if game.status == "no_game" else mark_of(len(game.moves) - (not ended_by_move))',
    ): PARITY,
    ("changes._common", "pairs = zip(old, new, )"): NOT_STRICT,
    ("changes._common", "pairs = zip(old, new, strict=None)"): NOT_STRICT,
    ("preparing.usual_price", 'both = zip(history["baseFeePerGas"], history["reward"], )'): NOT_STRICT,
    ("preparing.usual_price", 'both = zip(history["baseFeePerGas"], history["reward"], strict=None)'): NOT_STRICT,
    ("preparing.usual_price", "except errors.NodeError: pass"): NOTHING_LEFT,
    ("tracking.find_receipt", "pass"): NOTHING_LEFT,
    ("replay.apply", "pass"): NOTHING_LEFT,
    (
        "replay.apply",
        "return after if after.is_possible and log.winner == after.player(after.winner) else None case _: return None "
        "becomes return after if after.is_possible and log.winner == after.player(after.winner) else None",
    ): NOTHING_LEFT,
    ("trail.Trail.fork", "pass"): NOTHING_LEFT,
    (
        "follower.Follower.__init__",
        "self.game_unknown = None  # started in the middle of a game, with a node that keeps no old state",
    ): TRUTH,
    (
        "follower.Follower.__init__",
        "self.reread = None  # a log contradicted the game: read the newest block again",
    ): TRUTH,
    ("follower.Follower._rewind", "self.reread = None"): TRUTH,
    (
        "follower.Follower.new_events",
        "if self.caught_up and self.trail.ends_with(head): pass",
    ): "It saves work: what follows finds nothing to read.",
    (
        "follower.Ranges.__init__",
        "self._easy_answers = 1  # in a row",
    ): "Until a refusal, which sets it, one is enough.",
    ("follower.Ranges.__init__", "self._refused = None"): TRUTH,
    (
        "follower.Ranges.adapt",
        "if logs < MANY_LOGS / 2 and self._easy_answers >= (8 if self._refused else 1):",
    ): "The number is even.",
    ("logs.Arguments", "class Arguments(TypedDict, total=True):"): TYPES,
    ("logs.Log.json_fields", "pass"): "Every kind of log has its own.",
    ("node", "T = None"): TYPES,
    (
        "terminal.session.Session.__init__",
        'self.players: tuple[str, str] | None = ""',
    ): "`run` sets it.",
    (
        "terminal.session.Session._next_round",
        "if game.in_progress and not self._confirm(output_text.confirm_replacing(game, others=None)):",
    ): TRUTH,
    ("table._remember", "return error pass"): NOTHING_LEFT,
}
