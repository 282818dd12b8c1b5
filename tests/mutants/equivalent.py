"""The mutants that keep every rule, by their part of the contract and the lines before and after, with the reason."""

NEW_GAME = "self.game = word | (convert(playerX, uint256) << PLAYER_X_AT) | (PLAYING | ONE_MOVE)"
MOVED = "word |= moveNumber << place"
MOVE_MADE = """log MoveMade(
    gameId=word >> NUMBER_AT,
    player=msg.sender,
    sequenceNumber=convert(moveNumber, uint8),
    row=row,
    col=col,
)"""
O_MARKS = "marks = (unsafe_add(word, 7 * ONES) >> 3) & ~word"
WON = "self._end(word, O_WON if (moveNumber & 1) == 0 else X_WON, msg.sender)"
DRAWN = "self._end(word, DRAW, empty(address))"
CHECK = "self._check_turn(word, gameId)"
FORFEIT = """if (word & X_TO_MOVE) == 0:
    self._end(word, O_FORFEITS, convert((word >> PLAYER_X_AT) & ADDRESS_MASK, address))
else:
    self._end(word, X_FORFEITS, self.playerO)"""
O_CALLS = "if msg.sender != self.playerO:"
X_CALLS = "elif convert(msg.sender, uint256) != ((word >> PLAYER_X_AT) & ADDRESS_MASK):"

SIGNER = "the caller is the signer: `_check_turn` has made sure"
STILL_THE_WORD = "`marks` is the word until this line"
DISJOINT = "the two have no bit in common, so `|` and `^` are the same"

EQUIVALENT = {
    (
        "newGame",
        "self._check_person(playerX)\nself._check_person(playerO)",
        "self._check_person(playerO)\nself._check_person(playerX)",
    ): "both refuse with the same reason, and neither changes anything",
    ("newGame", NEW_GAME, NEW_GAME.replace("word |", "word ^")): DISJOINT,
    ("newGame", NEW_GAME, NEW_GAME.replace("| (PLAYING", "^ (PLAYING")): DISJOINT,
    ("makeMove", MOVED, MOVED.replace("|", "^")): "the cell was empty: " + DISJOINT,
    (
        "makeMove",
        f"{MOVED}\n{MOVE_MADE}",
        f"{MOVE_MADE}\n{MOVED}",
    ): "the event takes only the game's number from the word, and that does not change here",
    ("makeMove", "player=msg.sender,", "player=tx.origin,"): SIGNER,
    ("makeMove", WON, WON.replace("msg.sender", "tx.origin")): SIGNER,
    ("makeMove", O_MARKS, O_MARKS.replace("add(word", "add(marks")): STILL_THE_WORD,
    ("makeMove", O_MARKS, O_MARKS.replace("~word", "~marks")): STILL_THE_WORD,
    ("makeMove", O_MARKS, O_MARKS.replace("7", "6")): (
        "adding 6 sets the highest bit of every even digit but 0, too, and the odd ones are X's"
    ),
    ("makeMove", "if moveNumber == 9:", "if moveNumber >= 9:"): "there is no tenth move",
    ("makeMove", DRAWN, DRAWN.replace("word", "marks")): "a draw comes with X's move, and then `marks` is the word",
    ("forfeit", f"{CHECK}\n{FORFEIT}", f"{FORFEIT}\n{CHECK}"): (
        "the check looks at the word as it was, and a refusal undoes everything"
    ),
    ("_check_turn", O_CALLS, O_CALLS.replace("msg.sender", "tx.origin")): SIGNER,
    ("_check_turn", X_CALLS, X_CALLS.replace("msg.sender", "tx.origin")): SIGNER,
    ("_refuse", "def _refuse(reason: String[26]):", "def _refuse(reason: String[27]):"): "no reason is that long",
    ("gameState", "if nextMove != 0:", "if word != 0:"): (
        "before the first game the whole word is 0, and after it the next move never is"
    ),
    (
        "gameState",
        "for moveNumber: uint8 in range(1, 10):",
        "for moveNumber: uint8 in range(1, 11):",
    ): "no cell holds a 10",
}
