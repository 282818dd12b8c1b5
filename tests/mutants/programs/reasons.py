"""Why no test can notice some changes: they change nothing that anybody sees. By the place and the changed lines."""

NOTHING_LEFT = "The function returns `None` here in any case."
NOT_STRICT = "`zip` is not strict in any case."

REASONS = {
    ("trail.Trail.fork", "pass"): NOTHING_LEFT,
    ("changes._common", "pairs = zip(old, new, strict=None)"): NOT_STRICT,
    ("changes._common", "pairs = zip(old, new, )"): NOT_STRICT,
    ("game.Game.turn", 'return mark_of(len(self.moves) - 1) if self.in_progress else ""'): "Even stays even.",
    (
        "game.Game.line",
        "full = [line for line in LINES if marks[line[1]] and len({marks[cell] for cell in line}) == 1]",
    ): "The three marks are equal.",
    (
        "game.Game.is_possible",
        'return self.status in ("in_progress", f"{mark_of(len(self.moves) - 1).lower()}_forfeits")',
    ): "Even stays even.",
}
