# SPDX-License-Identifier: MIT
# pragma version 0.4.3
# pragma evm-version cancun
# pragma optimize gas
"""
@title Tic-tac-toe as a Vyper textbook would write it
@license MIT
@dev For comparison only: what the layout and the tricks of contracts/TicTacToe.vy are worth, and what they replace.
     The interface, the events, the reasons and their order are the same. The game is a struct in storage, where each
     number has a slot of its own. docs/gas.md has the figures.
"""


event GameCreated:
    gameId: indexed(uint256)
    playerX: indexed(address)
    playerO: indexed(address)


event MoveMade:
    gameId: indexed(uint256)
    player: indexed(address)
    sequenceNumber: uint8
    row: uint8
    col: uint8


event GameEnded:
    gameId: indexed(uint256)
    winner: indexed(address)
    status: uint8


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


EMPTY: constant(uint8) = 0
X: constant(uint8) = 1
O: constant(uint8) = 2

IN_PROGRESS: constant(uint8) = 1
X_WON: constant(uint8) = 2
O_WON: constant(uint8) = 3
DRAW: constant(uint8) = 4
X_FORFEITS: constant(uint8) = 5
O_FORFEITS: constant(uint8) = 6

game: GameState


@deploy
def __init__():
    pass


@external
def newGame(playerX: address, playerO: address, gameId: uint256 = 0):
    assert msg.sender == tx.origin, "caller is a contract"
    assert gameId == 0 or gameId == self.game.gameId, "not the current game"
    assert playerX != empty(address) and playerO != empty(address), "player is the zero address"
    assert self._is_person(playerX) and self._is_person(playerO), "player is a contract"

    self.game.gameId += 1
    self.game.playerX = playerX
    self.game.playerO = playerO
    self.game.board = empty(uint8[3][3])
    self.game.currentPlayer = X
    self.game.status = IN_PROGRESS
    self.game.moveHistory = []
    log GameCreated(gameId=self.game.gameId, playerX=playerX, playerO=playerO)


@external
def makeMove(row: uint8, col: uint8, gameId: uint256 = 0):
    self._check_turn(gameId)
    assert row < 3 and col < 3, "off the grid"
    assert self.game.board[row][col] == EMPTY, "cell is taken"

    mark: uint8 = self.game.currentPlayer
    sequenceNumber: uint8 = convert(len(self.game.moveHistory) + 1, uint8)
    self.game.board[row][col] = mark
    self.game.moveHistory.append(Move(row=row, col=col, player=mark, sequenceNumber=sequenceNumber))
    log MoveMade(gameId=self.game.gameId, player=msg.sender, sequenceNumber=sequenceNumber, row=row, col=col)

    if self._has_line(mark):
        self._end(X_WON if mark == X else O_WON, msg.sender)
    elif sequenceNumber == 9:
        self._end(DRAW, empty(address))
    else:
        self.game.currentPlayer = O if mark == X else X


@external
def forfeit(gameId: uint256 = 0):
    self._check_turn(gameId)
    if self.game.currentPlayer == X:
        self._end(X_FORFEITS, self.game.playerO)
    else:
        self._end(O_FORFEITS, self.game.playerX)


@external
@view
def gameState() -> GameState:
    return self.game


@internal
@view
def _check_turn(gameId: uint256):
    assert msg.sender == tx.origin, "caller is a contract"
    assert self.game.status == IN_PROGRESS, "no game in progress"
    assert gameId == 0 or gameId == self.game.gameId, "not the current game"
    mover: address = self.game.playerX if self.game.currentPlayer == X else self.game.playerO
    assert msg.sender == mover, "not your turn"


# No code, or the 23 bytes that delegate an account's code under EIP-7702.
@internal
@view
def _is_person(player: address) -> bool:
    return player.codesize == 0 or (player.codesize == 23 and slice(player.code, 0, 3) == x"ef0100")


@internal
@view
def _has_line(mark: uint8) -> bool:
    board: uint8[3][3] = self.game.board
    for i: uint256 in range(3):
        if board[i][0] == mark and board[i][1] == mark and board[i][2] == mark:
            return True
        if board[0][i] == mark and board[1][i] == mark and board[2][i] == mark:
            return True
    if board[0][0] == mark and board[1][1] == mark and board[2][2] == mark:
        return True
    return board[0][2] == mark and board[1][1] == mark and board[2][0] == mark


@internal
def _end(status: uint8, winner: address):
    self.game.status = status
    log GameEnded(gameId=self.game.gameId, winner=winner, status=status)
