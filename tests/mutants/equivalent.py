"""The mutants that keep every rule, by their part of the contract and the lines before and after, with the reason."""

REFUSE_X, REFUSE_O = "self._refuse_contract(playerX)", "self._refuse_contract(playerO)"

MOVED = "word = unsafe_add(word | (move << cell), 1 << MOVES)"
MOVE_MADE = "log MoveMade(gameId=word >> NUMBER, player={}, sequenceNumber=convert(move, uint8), row=row, col=col)"
WON = "word = unsafe_add(word, unsafe_sub(status, IN_PROGRESS) << STATUS)"
GAME_WON = "log GameEnded(gameId=word >> NUMBER, winner={}, status=convert(status, uint8))"
DRAWN = "word = unsafe_add(word, (DRAW - IN_PROGRESS) << STATUS)"
GAME_DRAWN = "log GameEnded(gameId=word >> NUMBER, winner=empty(address), status=convert(DRAW, uint8))"
MOVES = "move: uint256 = (word >> MOVES)"

ASSERTED = "`_game_on_turn` has asserted that they are the same account"
DISJOINT = "the two have no bit in common, so `|` and `^` are the same"
NUMBER_ALONE = "the event takes nothing but the game's number from the word, and that does not change here"
PARITY = "only whether it is odd is used, and that is in the lowest bit, which stays"

EQUIVALENT = {
    ("newGame", f"{REFUSE_X}\n{REFUSE_O}", f"{REFUSE_O}\n{REFUSE_X}"): (
        "both refuse with the same reason, and neither changes anything"
    ),
    (
        "newGame",
        "self.game = word | (IN_PROGRESS << STATUS) | convert(playerX, uint256)",
        "self.game = word ^ (IN_PROGRESS << STATUS) | convert(playerX, uint256)",
    ): DISJOINT,
    (
        "newGame",
        "self.game = word | (IN_PROGRESS << STATUS) | convert(playerX, uint256)",
        "self.game = word | (IN_PROGRESS << STATUS) ^ convert(playerX, uint256)",
    ): DISJOINT,
    ("makeMove", MOVED, MOVED.replace("|", "^")): DISJOINT,
    (
        "makeMove",
        "marks = (marks >> 1 | marks >> 2 | marks >> 3) & ~marks",
        "marks = (marks >> 1 | marks >> 2 ^ marks >> 3) & ~marks",
    ): "of the digits 0 to 9 none has both the bit of 4 and that of 8, so `|` and `^` are the same",
    (
        "makeMove",
        f"{MOVED}\n{MOVE_MADE.format('msg.sender')}",
        f"{MOVE_MADE.format('msg.sender')}\n{MOVED}",
    ): NUMBER_ALONE,
    (
        "makeMove",
        f"{WON}\n{GAME_WON.format('msg.sender')}",
        f"{GAME_WON.format('msg.sender')}\n{WON}",
    ): NUMBER_ALONE,
    ("makeMove", f"{DRAWN}\n{GAME_DRAWN}", f"{GAME_DRAWN}\n{DRAWN}"): NUMBER_ALONE,
    ("makeMove", MOVE_MADE.format("msg.sender"), MOVE_MADE.format("tx.origin")): ASSERTED,
    ("makeMove", GAME_WON.format("msg.sender"), GAME_WON.format("tx.origin")): ASSERTED,
    (
        "_game_on_turn",
        'assert convert(msg.sender, uint256) == player, "not your turn"',
        'assert convert(tx.origin, uint256) == player, "not your turn"',
    ): ASSERTED,
    ("makeMove", "elif move == 9:", "elif move >= 9:"): "there is no tenth move",
    ("gameState", "for move: uint256 in range(1, 10):", "for move: uint256 in range(1, 11):"): (
        "no cell has the number of a tenth move"
    ),
    ("gameState", "if status != NO_GAME:", "if word != NO_GAME:"): (
        "before the first game all of the word is 0, and after it the status never is"
    ),
    ("gameState", f"{MOVES} & DIGIT", MOVES): PARITY,
    ("gameState", f"{MOVES} & DIGIT", f"{MOVES} & ADDRESS"): PARITY,
    ("gameState", f"{MOVES} & DIGIT", f"{MOVES} & BELOW_NUMBER"): PARITY,
    ("gameState", f"{MOVES} & DIGIT", f"{MOVES} & ODD"): PARITY,
    ("gameState", f"{MOVES} & DIGIT", f"{MOVES} & LINE_SUMS"): PARITY,
    ("gameState", "move = unsafe_add(move, 1)", "move = unsafe_sub(move, 1)"): (
        "only whether it is odd is used, and one less is odd when one more is"
    ),
    (
        "gameState",
        "mark: uint8 = convert(unsafe_sub(2, move & 1), uint8)",
        "mark: uint8 = convert(unsafe_sub(2, cells & 1), uint8)",
    ): "in this place the lowest digit of `cells` is `move`",
}
