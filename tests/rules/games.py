"""The games that tests share, as cells in the order they are taken."""

Moves = tuple[int, ...]

DRAWN: Moves = (0, 1, 2, 4, 3, 5, 7, 6, 8)
WON_BY_X: Moves = (0, 3, 1, 4, 2)
WON_BY_O: Moves = (0, 3, 1, 4, 8, 5)
WON_BY_THE_NINTH: Moves = (0, 1, 2, 3, 4, 5, 7, 6, 8)
