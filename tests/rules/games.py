"""The games that tests share, as cells in the order they are taken. `test_games.py` checks each one."""

Moves = tuple[int, ...]

DRAWN: Moves = (0, 1, 2, 4, 3, 5, 7, 6, 8)
WON_BY_X: Moves = (0, 3, 1, 4, 2)
WON_BY_O: Moves = (0, 3, 1, 4, 8, 5)
WON_BY_THE_NINTH: Moves = (0, 1, 2, 3, 4, 5, 7, 6, 8)

# Every line, filled with as few moves as possible. The loser has no line.
X_FILLS: dict[Moves, Moves] = {
    (0, 1, 2): (0, 3, 1, 4, 2),
    (3, 4, 5): (3, 0, 4, 1, 5),
    (6, 7, 8): (6, 0, 7, 1, 8),
    (0, 3, 6): (0, 1, 3, 2, 6),
    (1, 4, 7): (1, 0, 4, 2, 7),
    (2, 5, 8): (2, 0, 5, 1, 8),
    (0, 4, 8): (0, 1, 4, 2, 8),
    (2, 4, 6): (2, 0, 4, 1, 6),
}
O_FILLS: dict[Moves, Moves] = {
    (0, 1, 2): (3, 0, 4, 1, 6, 2),
    (3, 4, 5): (0, 3, 1, 4, 6, 5),
    (6, 7, 8): (0, 6, 1, 7, 3, 8),
    (0, 3, 6): (1, 0, 2, 3, 4, 6),
    (1, 4, 7): (0, 1, 2, 4, 3, 7),
    (2, 5, 8): (0, 2, 1, 5, 3, 8),
    (0, 4, 8): (1, 0, 2, 4, 3, 8),
    (2, 4, 6): (0, 2, 1, 4, 3, 6),
}
