# SPDX-License-Identifier: MIT
# pragma version 0.4.3
# pragma evm-version cancun
# pragma optimize gas
"""
@title Tic-tac-toe between two people
@license MIT
@notice One game at a time on a 3 x 3 grid, X first. Anyone may start a new game over whatever game was there.
@dev One word of storage holds the game. A transaction reads it once, and writes it once if it is accepted:

         255         204 203              44 43     40 39     36 35          0    bit
        +---------------+------------------+---------+---------+-------------+
        |  game number  |   X's address    | status  |  next   | cells 8..0  |
        +---------------+------------------+---------+---------+-------------+
            13 digits        40 digits       1 digit   1 digit    9 digits        hexadecimal

     Each cell (row * 3 + col) has one digit: the number of the move that took it, 1 to 9, or 0 while it is empty. An odd
     digit is X's mark and an even one is O's; read in rising order, the digits are the history of the game.

     `next` is the number of the next move, so it is odd when X is to move and even when O is. When a game ends, `next`
     keeps the number of the last move, or of the move that the forfeiter did not make.

     For example, game 1 after X took cell 4 and O took cell 0:

        0x0000000000001a11ce0000000000000000000000000000000000113000010002

          0000000000001                               game 1
          a11ce00000000000000000000000000000000001    X's address
          1                                           in progress
          3                                           move 3 comes next: X's
          000010002                                   cells 8 to 0: move 1 took cell 4, move 2 took cell 0

     The second word holds O's address. `newGame` writes it, O's moves and forfeits read it, and X's moves never need it.

     Game numbers end at 2**52 - 1: after that game, `newGame` reverts.
"""


# -- events --------------------------------------------------------------------

event GameCreated:
    gameId: indexed(uint256)
    playerX: indexed(address)
    playerO: indexed(address)


# Moves are numbered from 1. An odd sequence number is X's move.
event MoveMade:
    gameId: indexed(uint256)
    player: indexed(address)
    sequenceNumber: uint8
    row: uint8
    col: uint8


# The winner of a draw is the zero address. The status is one of the constants
# X_WON to O_FORFEITS below.
event GameEnded:
    gameId: indexed(uint256)
    winner: indexed(address)
    status: uint8


# -- structs -------------------------------------------------------------------

# A mark is 1 for X and 2 for O.
struct Move:
    row: uint8  # 0 to 2, from the top
    col: uint8  # 0 to 2, from the left
    player: uint8  # the mark
    sequenceNumber: uint8  # 1 to 9


# Before the first game every field is zero or empty.
struct GameState:
    gameId: uint256  # 1 for the first game
    playerX: address
    playerO: address
    board: uint8[3][3]  # marks, by row and column; 0 is an empty cell
    currentPlayer: uint8  # the mark to move; after the end, the mark that ended the game: won, drew or forfeited
    status: uint8  # one of the constants IN_PROGRESS to O_FORFEITS below; 0 before the first game
    moveHistory: DynArray[Move, 9]  # in the order of the moves


# -- constants -----------------------------------------------------------------

# The status of a game. 0 means that there was no game yet.
IN_PROGRESS: constant(uint256) = 1
X_WON: constant(uint256) = 2
O_WON: constant(uint256) = 3
DRAW: constant(uint256) = 4
X_FORFEITS: constant(uint256) = 5
O_FORFEITS: constant(uint256) = 6

# The bit at which each field of the word begins. The cells begin at bit 0.
NEXT_AT: constant(uint256) = 36
STATUS_AT: constant(uint256) = 40
PLAYER_X_AT: constant(uint256) = 44
NUMBER_AT: constant(uint256) = 204

DIGIT_MASK: constant(uint256) = 2**4 - 1
ADDRESS_MASK: constant(uint256) = 2**160 - 1
STATUS_MASK: constant(uint256) = DIGIT_MASK << STATUS_AT
BELOW_NUMBER_MASK: constant(uint256) = 2**NUMBER_AT - 1

# The status field of a game in progress.
PLAYING: constant(uint256) = IN_PROGRESS << STATUS_AT
# Added to the word, it raises the number of the next move by one.
ONE_MOVE: constant(uint256) = 1 << NEXT_AT
# This bit is set while the number of the next move is odd.
X_TO_MOVE: constant(uint256) = 1 << NEXT_AT

# A one in each cell's digit: 111111111 in hexadecimal.
ONES: constant(uint256) = 16**8 + 16**7 + 16**6 + 16**5 + 16**4 + 16**3 + 16**2 + 16 + 1

# All eight lines are judged by one multiplication. A player's marks are nine
# digits of 0 or 1. A line is three cells at equal distances d, and multiplying
# by 1 + 16**d + 16**(2 * d) leaves, in the digit of a line's last cell, the sum
# of its three marks. Each distance has a block of 16 digits in the product.
# Distance 4 would need a 17th, which is cut off at bit 256: no line ends there.
LINE_SUMS: constant(uint256) = (
    (1 + 16 + 16**2)  # rows: 0 1 2, 3 4 5, 6 7 8
    + 2**64 * (1 + 16**2 + 16**4)  # the diagonal 2 4 6
    + 2**128 * (1 + 16**3 + 16**6)  # columns: 0 3 6, 1 4 7, 2 5 8
    + 2**192 * (1 + 16**4 + 16**8)  # the diagonal 0 4 8
)
# A one in the digit of each line's last cell. 3 + 1 sets the digit's third bit,
# and no smaller sum does.
LINE_ENDS: constant(uint256) = (
    (16**2 + 16**5 + 16**8) + 2**64 * 16**6 + 2**128 * (16**6 + 16**7 + 16**8) + 2**192 * 16**8
)

# The code of an account that has delegated under EIP-7702: these bytes and an address.
DELEGATION: constant(bytes3) = 0xef0100
DELEGATION_SIZE: constant(uint256) = 23


# -- storage -------------------------------------------------------------------

game: uint256
playerO: address


# -- constructor ---------------------------------------------------------------

# Without a constructor, Vyper's deployment would accept Ether and keep it forever.
@deploy
def __init__():
    pass


# -- transactions --------------------------------------------------------------

@external
def newGame(playerX: address, playerO: address, gameId: uint256 = 0):
    """
    @notice Start a new game over whatever game was there, finished or not.
    @param playerX The person who plays X and moves first.
    @param playerO The person who plays O. The same person may take both seats.
    @param gameId The only game that this one may replace. 0, or left out: whichever game is current.
    @dev `gameId` is optional here and below so that a person can call `makeMove(row, col)` by hand; apps give it.
    """
    # The caller must be the signer. A check for code is not enough: a contract
    # has none during its construction, and a person's account may have some
    # (EIP-7702).
    if msg.sender != tx.origin:
        self._refuse("caller is a contract")
    word: uint256 = self.game
    if gameId != 0:
        self._check_number(word, gameId)
    if playerX == empty(address) or playerO == empty(address):
        self._refuse("player is the zero address")
    self._check_person(playerX)
    self._check_person(playerO)
    # With every bit below the number set, adding one carries into the number
    # and clears the rest. After the last number the checked sum reverts.
    word = (word | BELOW_NUMBER_MASK) + 1
    self.game = word | (convert(playerX, uint256) << PLAYER_X_AT) | (PLAYING | ONE_MOVE)
    self.playerO = playerO
    log GameCreated(gameId=word >> NUMBER_AT, playerX=playerX, playerO=playerO)


@external
def makeMove(row: uint8, col: uint8, gameId: uint256 = 0):
    """
    @notice Place your mark on an empty cell. Three in a line win at once; nine marks without a line are a draw.
    @param row The row, 0 to 2 from the top.
    @param col The column, 0 to 2 from the left.
    @param gameId The only game that this move may change. 0, or left out: whichever game is current.
    """
    word: uint256 = self.game
    self._check_turn(word, gameId)

    # `|` and not `or`: one test of both is cheaper than a branch for each.
    if (convert(row > 2, uint256) | convert(col > 2, uint256)) != 0:
        self._refuse("off the grid")
    # The bit at which the cell's digit begins: 4 * (row * 3 + col). From here on
    # the sums are unchecked: on the grid, no field outgrows its place in the word.
    place: uint256 = unsafe_add(unsafe_mul(convert(row, uint256), 12), unsafe_mul(convert(col, uint256), 4))
    if ((word >> place) & DIGIT_MASK) != 0:
        self._refuse("cell is taken")

    moveNumber: uint256 = (word >> NEXT_AT) & DIGIT_MASK
    word |= moveNumber << place
    log MoveMade(
        gameId=word >> NUMBER_AT,
        player=msg.sender,
        sequenceNumber=convert(moveNumber, uint8),
        row=row,
        col=col,
    )

    # Only the player who just moved can have won, at move 5 at the earliest.
    if moveNumber > 4:
        # X's marks are the odd digits. For O's, adding 7 sets the highest bit of
        # every digit but 0, and `& ~word` drops the odd ones. Nothing is carried
        # from one cell to the next: when O has just moved, no digit is a 9.
        marks: uint256 = word
        if (moveNumber & 1) == 0:
            marks = (unsafe_add(word, 7 * ONES) >> 3) & ~word
        # The product leaves the word on purpose: see LINE_SUMS.
        if (unsafe_add(unsafe_mul(marks & ONES, LINE_SUMS), LINE_ENDS) & (4 * LINE_ENDS)) != 0:
            self._end(word, O_WON if (moveNumber & 1) == 0 else X_WON, msg.sender)
            return
        if moveNumber == 9:
            self._end(word, DRAW, empty(address))
            return
    self.game = unsafe_add(word, ONE_MOVE)


@external
def forfeit(gameId: uint256 = 0):
    """
    @notice Give the game up on your turn: the other player wins at once.
    @param gameId The only game that may be given up. 0, or left out: whichever game is current.
    """
    word: uint256 = self.game
    self._check_turn(word, gameId)
    if (word & X_TO_MOVE) == 0:
        self._end(word, O_FORFEITS, convert((word >> PLAYER_X_AT) & ADDRESS_MASK, address))
    else:
        self._end(word, X_FORFEITS, self.playerO)


# -- views ---------------------------------------------------------------------

@external
@view
def gameState() -> GameState:
    """
    @notice Everything about the game that is on, or that was on last.
    @return Its number, players, board and moves in order, the mark to move or that ended it, and the status.
    """
    word: uint256 = self.game
    # Odd moves are X's, whose mark is 1; O's mark is 2.
    nextMove: uint256 = (word >> NEXT_AT) & DIGIT_MASK
    currentPlayer: uint8 = 0
    if nextMove != 0:
        currentPlayer = convert(unsafe_sub(2, nextMove & 1), uint8)

    board: uint8[3][3] = empty(uint8[3][3])
    # Looking for each number in turn puts the history in order.
    history: DynArray[Move, 9] = []
    for moveNumber: uint8 in range(1, 10):
        cells: uint256 = word
        for cell: uint8 in range(9):
            if (cells & DIGIT_MASK) == convert(moveNumber, uint256):
                mark: uint8 = unsafe_sub(2, moveNumber & 1)
                board[cell // 3][cell % 3] = mark
                history.append(Move(row=cell // 3, col=cell % 3, player=mark, sequenceNumber=moveNumber))
            cells >>= 4
    return GameState(
        gameId=word >> NUMBER_AT,
        playerX=convert((word >> PLAYER_X_AT) & ADDRESS_MASK, address),
        playerO=self.playerO,
        board=board,
        currentPlayer=currentPlayer,
        status=convert((word >> STATUS_AT) & DIGIT_MASK, uint8),
        moveHistory=history,
    )


# -- internal ------------------------------------------------------------------

# Reverts with the reason. Vyper repeats the code that encodes a reason wherever
# one is given; here it exists once, and the contract is 500 bytes smaller than
# with an `assert` for each refusal.
@internal
@pure
def _refuse(reason: String[26]):  # the length of the longest reason
    raise reason


# The checks that a move and a forfeit share: a game in progress, and a caller
# whose turn it is. The caller check is repeated in newGame: a function shared by
# all three would add 24 gas to each transaction.
@internal
@view
def _check_turn(word: uint256, gameId: uint256):
    if msg.sender != tx.origin:
        self._refuse("caller is a contract")
    if (word & STATUS_MASK) != PLAYING:
        self._refuse("no game in progress")
    if gameId != 0:
        self._check_number(word, gameId)
    if (word & X_TO_MOVE) == 0:
        if msg.sender != self.playerO:
            self._refuse("not your turn")
    elif convert(msg.sender, uint256) != ((word >> PLAYER_X_AT) & ADDRESS_MASK):
        self._refuse("not your turn")


# Every transaction may give the number of the game that it is meant for.
@internal
@pure
def _check_number(word: uint256, gameId: uint256):
    if gameId != word >> NUMBER_AT:
        self._refuse("not the current game")


# A person's account has no code, or an EIP-7702 delegation: 23 bytes that begin
# with 0xef0100.
@internal
@view
def _check_person(player: address):
    if player.codesize != 0:
        if player.codesize != DELEGATION_SIZE or convert(slice(player.code, 0, 3), bytes3) != DELEGATION:
            self._refuse("player is a contract")


# Ends the game: by a win, a draw or a forfeit.
@internal
def _end(word: uint256, status: uint256, winner: address):
    # The field holds IN_PROGRESS, so adding the difference sets it.
    self.game = unsafe_add(word, unsafe_sub(status, IN_PROGRESS) << STATUS_AT)
    log GameEnded(gameId=word >> NUMBER_AT, winner=winner, status=convert(status, uint8))
