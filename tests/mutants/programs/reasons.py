"""Why no test can notice some changes: they change nothing that anybody sees. By the place and the changed lines."""

NOTHING_LEFT = "The function returns `None` here in any case."
NOT_STRICT = "`zip` is not strict in any case."


REASONS = {
    ("changes._common", "pairs = zip(old, new, )"): NOT_STRICT,
    ("changes._common", "pairs = zip(old, new, strict=None)"): NOT_STRICT,
    ("fees.usual_price", 'both = zip(history["baseFeePerGas"], history["reward"], )'): NOT_STRICT,
    ("fees.usual_price", 'both = zip(history["baseFeePerGas"], history["reward"], strict=None)'): NOT_STRICT,
    ("fees.usual_price", "except errors.NodeError: pass"): NOTHING_LEFT,
    ("receipts.find_receipt", "pass"): NOTHING_LEFT,
    ("replay.apply", "pass"): NOTHING_LEFT,
    (
        "replay.apply",
        "return after if after.is_possible and log.winner == after.player(after.winner) else None case _: return None "
        "becomes return after if after.is_possible and log.winner == after.player(after.winner) else None",
    ): NOTHING_LEFT,
    ("trail.Trail.fork", "pass"): NOTHING_LEFT,
}
