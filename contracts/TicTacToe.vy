# SPDX-License-Identifier: MIT
# pragma version 0.4.3
# pragma evm-version cancun
# pragma optimize gas
"""
@title Tic-tac-toe between two people
@license MIT
@notice One game at a time on a 3 x 3 grid, X first. Anyone may start a new game over whatever game was there.
@dev The game is one word of storage: read when a transaction begins, written once when it ends.

         255         204 203   200 199  196 195       160 159              0    bit
        +---------------+---------+--------+-------------+------------------+
        |  game number  | status  | moves  | cells 8..0  |   X's address    |
        +---------------+---------+--------+-------------+------------------+
            13 digits     1 digit  1 digit    9 digits       40 digits          hexadecimal

     A cell, row * 3 + col, has one digit: the number of the move that took it, 1 to 9, or 0 while it is empty. That number
     is all there is to know of a mark: odd is X's and even is O's, and the digits in rising order are the history. The
     player to move follows from the number of moves: X after an even one, O after an odd one.

     O's address has the second word, which X's moves never need. Every field begins at a hexadecimal digit, so that the
     word can be read with the naked eye in any block explorer.
"""


# -- events --------------------------------------------------------------------

event GameCreated:
    gameId: indexed(uint256)
    playerX: indexed(address)
    playerO: indexed(address)


# An odd sequence number is X's move.
event MoveMade:
    gameId: indexed(uint256)
    player: indexed(address)
    sequenceNumber: uint8
    row: uint8
    col: uint8


# The winner of a draw is the zero address.
event GameEnded:
    gameId: indexed(uint256)
    winner: indexed(address)
    status: uint8


# -- structs -------------------------------------------------------------------

struct Move:
    row: uint8
    col: uint8
    player: uint8
    sequenceNumber: uint8


struct GameState:
    gameId: uint256
    playerX: address
    playerO: address
    board: uint8[3][3]
    currentPlayer: uint8
    status: uint8
    moveHistory: DynArray[Move, 9]


# -- constants -----------------------------------------------------------------

# Status.
NO_GAME: constant(uint256) = 0
IN_PROGRESS: constant(uint256) = 1
X_WON: constant(uint256) = 2
O_WON: constant(uint256) = 3
DRAW: constant(uint256) = 4
X_FORFEITED: constant(uint256) = 5
O_FORFEITED: constant(uint256) = 6

# Where the fields of the word begin. X's address begins at 0.
CELLS: constant(uint256) = 160
MOVES: constant(uint256) = 196
STATUS: constant(uint256) = 200
NUMBER: constant(uint256) = 204

DIGIT: constant(uint256) = 15
ADDRESS: constant(uint256) = 2**160 - 1
BELOW_NUMBER: constant(uint256) = 2**204 - 1

# The lowest bit of each cell's digit: nine ones, 111111111 in hexadecimal.
ODD: constant(uint256) = 16**8 + 16**7 + 16**6 + 16**5 + 16**4 + 16**3 + 16**2 + 16 + 1

# All eight lines are judged by one multiplication. A player's marks are nine
# digits of 0 or 1. A line is three cells at equal distances d, and multiplying
# by 1 + 16**d + 16**2d leaves, in the digit of a line's last cell, the sum of
# its three marks. Each distance has 16 digits of the product to itself; only
# the last one's topmost digit falls out of the word, and no line ends there.
LINE_SUMS: constant(uint256) = (
    (1 + 16 + 16**2)  # rows: 0 1 2, 3 4 5, 6 7 8
    + 2**64 * (1 + 16**2 + 16**4)  # the diagonal 2 4 6
    + 2**128 * (1 + 16**3 + 16**6)  # columns: 0 3 6, 1 4 7, 2 5 8
    + 2**192 * (1 + 16**4 + 16**8)  # the diagonal 0 4 8
)
# A one in the digit of each line's last cell. Added to a sum of three it makes
# four, a bit that no smaller sum reaches.
LINE_ENDS: constant(uint256) = (
    (16**2 + 16**5 + 16**8) + 2**64 * 16**6 + 2**128 * (16**6 + 16**7 + 16**8) + 2**192 * 16**8
)

# The code of an account that has delegated under EIP-7702: this and an address.
DELEGATION: constant(bytes3) = 0xef0100
DELEGATION_SIZE: constant(uint256) = 23


# -- storage -------------------------------------------------------------------

game: uint256
playerO: address


# -- constructor ---------------------------------------------------------------

# Without a constructor Vyper's deployment would accept Ether, and keep it for ever.
@deploy
def __init__():
    pass


# -- transactions --------------------------------------------------------------

@external
def newGame(playerX: address, playerO: address):
    """
    @notice Start a new game over whatever game was there, finished or not.
    @param playerX The person who plays X and moves first.
    @param playerO The person who plays O. The same person may take both seats.
    """
    assert msg.sender == tx.origin, "caller is a contract"
    assert playerX != empty(address) and playerO != empty(address), "player is the zero address"
    self._check_person(playerX)
    self._check_person(playerO)

    # With every digit below the number full, adding one carries into the number
    # and clears the rest. Checked: past its last number a table starts no game.
    word: uint256 = (self.game | BELOW_NUMBER) + 1
    self.game = word | (IN_PROGRESS << STATUS) | convert(playerX, uint256)
    self.playerO = playerO
    log GameCreated(gameId=word >> NUMBER, playerX=playerX, playerO=playerO)


@external
def makeMove(row: uint8, col: uint8, gameId: uint256 = 0):
    """
    @notice Place your mark on an empty cell. Three in a line win at once; nine marks without a line are a draw.
    @param row The row, 0 to 2 from the top.
    @param col The column, 0 to 2 from the left.
    @param gameId The only game that this move may change. 0, or left out: whichever game is current.
    """
    word: uint256 = self._game_on_turn(gameId)
    assert row < 3 and col < 3, "off the grid"

    # Unchecked from here: on the grid, and with at most nine moves, every sum
    # stays inside its field.
    cell: uint256 = unsafe_add(
        CELLS, unsafe_add(unsafe_mul(convert(row, uint256), 12), unsafe_mul(convert(col, uint256), 4))
    )
    assert (word >> cell) & DIGIT == 0, "cell is taken"

    move: uint256 = unsafe_add((word >> MOVES) & DIGIT, 1)
    word = unsafe_add(word | (move << cell), 1 << MOVES)
    log MoveMade(gameId=word >> NUMBER, player=msg.sender, sequenceNumber=convert(move, uint8), row=row, col=col)

    # Before the fifth move nobody has three marks.
    if move > 4:
        # The lowest bit of a digit says whether the mark is X's; O's digits are
        # the others that are not 0: 2, 4, 6 and 8.
        marks: uint256 = word >> CELLS
        if move & 1 == 0:
            marks = (marks >> 1 | marks >> 2 | marks >> 3) & ~marks

        if unsafe_add(unsafe_mul(marks & ODD, LINE_SUMS), LINE_ENDS) & (4 * LINE_ENDS) != 0:
            status: uint256 = unsafe_sub(O_WON, move & 1)
            word = unsafe_add(word, unsafe_sub(status, IN_PROGRESS) << STATUS)
            log GameEnded(gameId=word >> NUMBER, winner=msg.sender, status=convert(status, uint8))
        elif move == 9:
            word = unsafe_add(word, (DRAW - IN_PROGRESS) << STATUS)
            log GameEnded(gameId=word >> NUMBER, winner=empty(address), status=convert(DRAW, uint8))
    self.game = word


@external
def forfeit(gameId: uint256 = 0):
    """
    @notice Give the game up on your turn: the other player wins at once.
    @param gameId The only game that may be given up. 0, or left out: whichever game is current.
    """
    word: uint256 = self._game_on_turn(gameId)
    status: uint256 = X_FORFEITED
    winner: address = self.playerO
    if word & (1 << MOVES) != 0:
        status = O_FORFEITED
        winner = convert(word & ADDRESS, address)

    self.game = unsafe_add(word, unsafe_sub(status, IN_PROGRESS) << STATUS)
    log GameEnded(gameId=word >> NUMBER, winner=winner, status=convert(status, uint8))


# -- views ---------------------------------------------------------------------

@external
@view
def gameState() -> GameState:
    """
    @notice Everything about the game that is on, or that was on last.
    @return Its number, players, board and moves in order, the mark to move or that ended it, and the status.
    """
    word: uint256 = self.game
    status: uint256 = (word >> STATUS) & DIGIT

    # A win or a draw leaves the turn with the mark that moved last; while the
    # game is on, and in a forfeit, it is the mark of the move to come.
    currentPlayer: uint8 = 0
    if status != NO_GAME:
        move: uint256 = (word >> MOVES) & DIGIT
        if status < X_WON or status > DRAW:
            move = unsafe_add(move, 1)
        currentPlayer = convert(unsafe_sub(2, move & 1), uint8)

    board: uint8[3][3] = empty(uint8[3][3])
    history: DynArray[Move, 9] = []
    for move: uint256 in range(1, 10):
        cells: uint256 = word >> CELLS
        for row: uint8 in range(3):
            for col: uint8 in range(3):
                if cells & DIGIT == move:
                    mark: uint8 = convert(unsafe_sub(2, move & 1), uint8)
                    board[row][col] = mark
                    history.append(Move(row=row, col=col, player=mark, sequenceNumber=convert(move, uint8)))
                cells >>= 4
    return GameState(
        gameId=word >> NUMBER,
        playerX=convert(word & ADDRESS, address),
        playerO=self.playerO,
        board=board,
        currentPlayer=currentPlayer,
        status=convert(status, uint8),
        moveHistory=history,
    )


# -- internal ------------------------------------------------------------------

# The word of the game, if the caller is on turn in it. A `gameId` other than 0
# must be its number.
@internal
@view
def _game_on_turn(gameId: uint256) -> uint256:
    assert msg.sender == tx.origin, "caller is a contract"
    word: uint256 = self.game
    assert word & (DIGIT << STATUS) == IN_PROGRESS << STATUS, "no game in progress"
    if gameId != 0:
        assert gameId == word >> NUMBER, "not the current game"

    player: uint256 = word & ADDRESS
    if word & (1 << MOVES) != 0:
        player = convert(self.playerO, uint256)
    assert convert(msg.sender, uint256) == player, "not your turn"
    return word


# A person's account has no code, or has delegated it under EIP-7702.
@internal
@view
def _check_person(player: address):
    if player.codesize != 0:
        assert (
            player.codesize == DELEGATION_SIZE and convert(slice(player.code, 0, 3), bytes3) == DELEGATION
        ), "player is a contract"
