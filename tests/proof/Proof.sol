// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {CREATION_CODE} from "./Subject.sol";

/// What the proofs ask of the symbolic engine.
interface Engine {
    function assume(bool condition) external;
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function prank(address sender, address origin) external;
    function randomBytes(uint256 length) external view returns (bytes memory);
    function randomUint() external view returns (uint256);
    function setArbitraryStorage(address account) external;
    function store(address account, bytes32 slot, bytes32 value) external;
}

/// @notice The specification once more, for all inputs at once, against the bytes that `deploy` sends.
///
/// A function `check_x` is a proof: no argument, no storage and no caller exists for which an `assert` in it fails. Each
/// `check_twin_x` is the same proof with one lie in the specification, and has to be refuted: a proof that could not fail
/// (nothing reaches it, an assumption is never true) would accept the lie as well. There is a lie for every branch.
///
/// `&&`, `||`, `?:` and `if` split an execution in two, and twenty of them make a million. Where a symbolic value decides,
/// `both`, `either` and `choose` compute instead.
abstract contract Proof {
    Engine internal constant vm = Engine(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint256 internal constant EMPTY = 0;
    uint256 internal constant X = 1;
    uint256 internal constant O = 2;

    uint256 internal constant IN_PROGRESS = 1;
    uint256 internal constant X_WON = 2;
    uint256 internal constant O_WON = 3;
    uint256 internal constant DRAW = 4;
    uint256 internal constant X_FORFEITS = 5;
    uint256 internal constant O_FORFEITS = 6;

    address internal table;

    /// One transaction: the table's two words before it and one more slot that stands for all others, and how it ended.
    /// Kept in memory: what this contract itself stores would cost the solver as much as what the table stores.
    struct Run {
        uint256 first;
        uint256 second;
        uint256 other;
        uint256 elsewhere;
        bool ok;
        bytes result;
    }

    /// The game as a person would write it down.
    struct Game {
        uint256 number;
        uint256 status;
        uint256 moves;
        uint256[9] order; // the number of the move that took the cell, or 0
        uint256 playerX;
        uint256 playerO;
    }

    function setUp() public {
        bytes memory code = CREATION_CODE;
        address created;
        assembly {
            created := create(0, add(code, 32), mload(code))
        }
        require(created.code.length > 0);
        table = created;
        // Whatever was played here: every slot holds anything.
        vm.setArbitraryStorage(created);
    }

    function begin() internal returns (Run memory run) {
        run.other = vm.randomUint();
        vm.assume(run.other > 1);
        run.first = slot(0);
        run.second = slot(1);
        run.elsewhere = slot(run.other);
        // O's word is written by newGame alone, as an address.
        vm.assume(run.second < 2 ** 160);
    }

    function send(Run memory run, address caller, address origin, bytes memory data) internal {
        vm.prank(caller, origin);
        (run.ok, run.result) = table.call(data);
    }

    // -- the two words ---------------------------------------------------------

    function slot(uint256 at) internal view returns (uint256) {
        return uint256(vm.load(table, bytes32(at)));
    }

    function read(Run memory run) internal pure returns (Game memory game) {
        game.playerX = run.first % 2 ** 160;
        for (uint256 cell = 0; cell < 9; cell++) {
            game.order[cell] = (run.first / 2 ** (160 + 4 * cell)) % 16;
        }
        game.moves = (run.first / 2 ** 196) % 16;
        game.status = (run.first / 2 ** 200) % 16;
        game.number = run.first / 2 ** 204;
        game.playerO = run.second;
    }

    function written(Run memory run, Game memory game) internal view returns (bool) {
        uint256 word = game.playerX + game.moves * 2 ** 196 + game.status * 2 ** 200 + game.number * 2 ** 204;
        for (uint256 cell = 0; cell < 9; cell++) {
            word += game.order[cell] * 2 ** (160 + 4 * cell);
        }
        return both(both(slot(0) == word, slot(1) == game.playerO), slot(run.other) == run.elsewhere);
    }

    function unchanged(Run memory run) internal view returns (bool) {
        return both(both(slot(0) == run.first, slot(1) == run.second), slot(run.other) == run.elsewhere);
    }

    /// Any history, also one that goes on after a win: the marks are numbered 1 to `moves`, each number once.
    function assume_history(Game memory game) internal {
        bool good = game.moves <= 9;
        uint256 taken = 0;
        for (uint256 a = 0; a < 9; a++) {
            taken += bit(game.order[a] != 0);
            good = both(good, game.order[a] <= game.moves);
            for (uint256 b = a + 1; b < 9; b++) {
                good = both(good, either(game.order[a] == 0, game.order[a] != game.order[b]));
            }
        }
        vm.assume(both(good, taken == game.moves));
    }

    /// Lay a history on the table; the players, the status and the number stay arbitrary.
    function put(uint8[9] memory order) internal returns (uint256 moves) {
        uint256 first = slot(0);
        first = first % 2 ** 160 + (first / 2 ** 200) * 2 ** 200;
        for (uint256 cell = 0; cell < 9; cell++) {
            first += uint256(order[cell]) * 2 ** (160 + 4 * cell);
            if (order[cell] != EMPTY) moves++;
        }
        first += moves * 2 ** 196;
        vm.store(table, bytes32(0), bytes32(first));
    }

    // -- the rules -------------------------------------------------------------

    function mark(uint256 order) internal pure returns (uint256) {
        return choose(order == 0, EMPTY, choose(order % 2 == 1, X, O));
    }

    function on_turn(Game memory game) internal pure returns (uint256) {
        return choose(game.moves % 2 == 0, X, O);
    }

    function player(Game memory game, uint256 whose) internal pure returns (uint256) {
        return choose(whose == X, game.playerX, game.playerO);
    }

    function line(uint256 i) internal pure returns (uint8[3] memory) {
        return [
            [0, 1, 2], // rows
            [3, 4, 5],
            [6, 7, 8],
            [0, 3, 6], // columns
            [1, 4, 7],
            [2, 5, 8],
            [0, 4, 8], // diagonals
            [2, 4, 6]
        ][i];
    }

    /// Whether a player has three in a line, one line perhaps left out.
    function wins(Game memory game, uint256 mine, uint256 without) internal pure returns (bool won) {
        for (uint256 i = 0; i < 8; i++) {
            uint8[3] memory cells = line(i);
            bool full = i != without;
            for (uint256 j = 0; j < 3; j++) {
                full = both(full, mark(game.order[cells[j]]) == mine);
            }
            won = either(won, full);
        }
    }

    function refused(Run memory run, string memory reason) internal view returns (bool) {
        bytes32 told = keccak256(abi.encodeWithSignature("Error(string)", reason));
        return both(both(!run.ok, keccak256(run.result) == told), unchanged(run));
    }

    function refused_silently(Run memory run) internal view returns (bool) {
        return both(both(!run.ok, run.result.length == 0), unchanged(run));
    }

    // -- arithmetic instead of branches ----------------------------------------

    function both(bool a, bool b) internal pure returns (bool c) {
        assembly {
            c := and(a, b)
        }
    }

    function either(bool a, bool b) internal pure returns (bool c) {
        assembly {
            c := or(a, b)
        }
    }

    function bit(bool a) internal pure returns (uint256 n) {
        assembly {
            n := a
        }
    }

    /// `a` where it holds, else `b`. The mask is all ones or none.
    function choose(bool holds, uint256 a, uint256 b) internal pure returns (uint256) {
        unchecked {
            uint256 mask = 0 - bit(holds);
            return (a & mask) | (b & ~mask);
        }
    }
}

/// @notice `makeMove`, both forms: it succeeds exactly when the rules say so, with the reason that comes first, and leaves
/// exactly the word that the rules say.
contract MakeMove is Proof {
    enum Lie {
        NONE,
        DIRTY_ROW_IS_MASKED,
        DIRTY_COL_IS_MASKED,
        CONTRACT_MAY_MOVE,
        GAME_GOES_ON,
        ANY_GAME,
        ZERO_IS_A_GAME,
        O_MOVES_FOR_X,
        X_MOVES_FOR_O,
        FOUR_ROWS,
        FOUR_COLS,
        GRID_BEFORE_TURN,
        LAST_CELL_IS_FREE,
        NO_DRAW,
        WIN_IS_DRAW,
        NO_LINE // and the number of the line
    }

    struct Call {
        address caller;
        address origin;
        uint256 row;
        uint256 col;
        uint256 gameId;
    }

    function check_move(Call memory c) public {
        prove(with_id(c), c, Lie.NONE, 8);
    }

    function check_move_of_any_game(Call memory c) public {
        c.gameId = 0;
        prove(without_id(c), c, Lie.NONE, 8);
    }

    function with_id(Call memory c) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("makeMove(uint8,uint8,uint256)", c.row, c.col, c.gameId);
    }

    function without_id(Call memory c) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("makeMove(uint8,uint8)", c.row, c.col);
    }

    // A solver finds an input that refutes a lie, but may look for minutes among all histories. Where it does, the twin
    // tells it the board, as the numbers of the moves row by row, and the cell. The proof stays the same.

    function check_twin_dirty_row(Call memory c) public {
        uint256 dirty = c.row;
        look_at([0, 0, 0, 0, 0, 0, 0, 0, 0], c, 0);
        c.row = dirty;
        prove(with_id(c), c, Lie.DIRTY_ROW_IS_MASKED, 8);
    }

    function check_twin_dirty_col(Call memory c) public {
        uint256 dirty = c.col;
        look_at([0, 0, 0, 0, 0, 0, 0, 0, 0], c, 0);
        c.col = dirty;
        prove(with_id(c), c, Lie.DIRTY_COL_IS_MASKED, 8);
    }

    function check_twin_contract(Call memory c) public {
        prove(with_id(c), c, Lie.CONTRACT_MAY_MOVE, 8);
    }

    function check_twin_after_the_end(Call memory c) public {
        prove(with_id(c), c, Lie.GAME_GOES_ON, 8);
    }

    function check_twin_any_game(Call memory c) public {
        prove(with_id(c), c, Lie.ANY_GAME, 8);
    }

    function check_twin_zero(Call memory c) public {
        prove(with_id(c), c, Lie.ZERO_IS_A_GAME, 8);
    }

    function check_twin_without_id(Call memory c) public {
        c.gameId = 0;
        prove(without_id(c), c, Lie.ZERO_IS_A_GAME, 8);
    }

    function check_twin_x_by_o(Call memory c) public {
        prove(with_id(c), c, Lie.O_MOVES_FOR_X, 8);
    }

    function check_twin_o_by_x(Call memory c) public {
        prove(with_id(c), c, Lie.X_MOVES_FOR_O, 8);
    }

    function check_twin_row_3(Call memory c) public {
        prove(with_id(c), c, Lie.FOUR_ROWS, 8);
    }

    function check_twin_col_3(Call memory c) public {
        prove(with_id(c), c, Lie.FOUR_COLS, 8);
    }

    function check_twin_order(Call memory c) public {
        prove(with_id(c), c, Lie.GRID_BEFORE_TURN, 8);
    }

    function check_twin_taken(Call memory c) public {
        look_at([0, 0, 0, 0, 0, 0, 0, 0, 1], c, 8);
        prove(with_id(c), c, Lie.LAST_CELL_IS_FREE, 8);
    }

    function check_twin_draw(Call memory c) public {
        look_at([1, 2, 3, 5, 4, 6, 8, 7, 0], c, 8);
        prove(with_id(c), c, Lie.NO_DRAW, 8);
    }

    function check_twin_ninth_mark(Call memory c) public {
        look_at([1, 2, 3, 4, 5, 6, 8, 7, 0], c, 8);
        prove(with_id(c), c, Lie.WIN_IS_DRAW, 8);
    }

    function check_twin_top_row(Call memory c) public {
        look_at([1, 3, 0, 2, 4, 0, 0, 0, 0], c, 2);
        prove(with_id(c), c, Lie.NO_LINE, 0);
    }

    function check_twin_middle_row(Call memory c) public {
        look_at([2, 4, 0, 1, 3, 0, 0, 0, 0], c, 5);
        prove(with_id(c), c, Lie.NO_LINE, 1);
    }

    function check_twin_bottom_row(Call memory c) public {
        look_at([2, 4, 0, 0, 0, 0, 1, 3, 0], c, 8);
        prove(with_id(c), c, Lie.NO_LINE, 2);
    }

    function check_twin_left_col(Call memory c) public {
        look_at([1, 2, 0, 3, 4, 0, 0, 0, 0], c, 6);
        prove(with_id(c), c, Lie.NO_LINE, 3);
    }

    function check_twin_middle_col(Call memory c) public {
        look_at([2, 1, 0, 4, 3, 0, 0, 0, 0], c, 7);
        prove(with_id(c), c, Lie.NO_LINE, 4);
    }

    function check_twin_right_col(Call memory c) public {
        look_at([2, 0, 1, 4, 0, 3, 0, 0, 0], c, 8);
        prove(with_id(c), c, Lie.NO_LINE, 5);
    }

    function check_twin_diagonal(Call memory c) public {
        look_at([1, 2, 4, 0, 3, 0, 0, 0, 0], c, 8);
        prove(with_id(c), c, Lie.NO_LINE, 6);
    }

    function check_twin_antidiagonal(Call memory c) public {
        look_at([2, 4, 1, 0, 3, 0, 0, 0, 0], c, 6);
        prove(with_id(c), c, Lie.NO_LINE, 7);
    }

    function look_at(uint8[9] memory order, Call memory c, uint256 cell) internal {
        put(order);
        (c.row, c.col) = (cell / 3, cell % 3);
    }

    function prove(bytes memory data, Call memory c, Lie lie, uint256 without) internal {
        Run memory run = begin();
        Game memory game = read(run);
        assume_history(game);
        send(run, c.caller, c.origin, data);

        uint256 mine = on_turn(game);
        uint256 mover = player(game, mine);
        if (lie == Lie.O_MOVES_FOR_X) mover = choose(mine == X, game.playerO, mover);
        if (lie == Lie.X_MOVES_FOR_O) mover = choose(mine == O, game.playerX, mover);
        bool not_on_turn = uint256(uint160(c.caller)) != mover;
        bool off_row = c.row > (lie == Lie.FOUR_ROWS ? 3 : 2);
        bool off_col = c.col > (lie == Lie.FOUR_COLS ? 3 : 2);
        bool given = lie == Lie.ZERO_IS_A_GAME || c.gameId != 0;

        if (c.row > 255 && lie != Lie.DIRTY_ROW_IS_MASKED) {
            assert(refused_silently(run));
        } else if (c.col > 255 && lie != Lie.DIRTY_COL_IS_MASKED) {
            assert(refused_silently(run));
        } else if (c.caller != c.origin && lie != Lie.CONTRACT_MAY_MOVE) {
            assert(refused(run, "caller is a contract"));
        } else if (game.status != IN_PROGRESS && lie != Lie.GAME_GOES_ON) {
            assert(refused(run, "no game in progress"));
        } else if (given && c.gameId != game.number && lie != Lie.ANY_GAME) {
            assert(refused(run, "not the current game"));
        } else if (lie == Lie.GRID_BEFORE_TURN && either(off_row, off_col)) {
            assert(refused(run, "off the grid"));
        } else if (not_on_turn) {
            assert(refused(run, "not your turn"));
        } else if (either(off_row, off_col)) {
            assert(refused(run, "off the grid"));
        } else {
            place(run, game, c, lie, without);
        }
    }

    /// The player on turn has named a cell on the grid.
    function place(Run memory run, Game memory game, Call memory c, Lie lie, uint256 without) internal view {
        uint256 mine = on_turn(game);
        bool taken = false;
        for (uint256 cell = 0; cell < 9; cell++) {
            bool here = both(c.row == cell / 3, c.col == cell % 3);
            bool free = either(game.order[cell] == EMPTY, both(lie == Lie.LAST_CELL_IS_FREE, cell == 8));
            taken = either(taken, both(here, !free));
            game.order[cell] = choose(here, game.moves + 1, game.order[cell]);
        }
        if (taken) {
            assert(refused(run, "cell is taken"));
        } else {
            game.moves += 1;
            bool full = both(game.moves == 9, lie != Lie.NO_DRAW);
            bool won = both(wins(game, mine, without), either(game.moves != 9, lie != Lie.WIN_IS_DRAW));
            game.status = choose(won, choose(mine == X, X_WON, O_WON), choose(full, DRAW, IN_PROGRESS));
            assert(run.ok && run.result.length == 0 && written(run, game));
        }
    }
}

/// @notice `forfeit`, both forms.
contract Forfeit is Proof {
    enum Lie {
        NONE,
        CONTRACT_MAY_FORFEIT,
        ENDED_GAME_IS_FORFEITED,
        ANY_GAME,
        OUT_OF_TURN,
        X_WINS_BY_FORFEITING,
        MOVES_ARE_CLEARED
    }

    struct Call {
        address caller;
        address origin;
        uint256 gameId;
    }

    function check_forfeit(Call memory c) public {
        prove(with_id(c), c, Lie.NONE);
    }

    function check_forfeit_of_any_game(Call memory c) public {
        c.gameId = 0;
        prove(without_id(), c, Lie.NONE);
    }

    function with_id(Call memory c) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("forfeit(uint256)", c.gameId);
    }

    function without_id() internal pure returns (bytes memory) {
        return abi.encodeWithSignature("forfeit()");
    }

    function check_twin_contract(Call memory c) public {
        prove(with_id(c), c, Lie.CONTRACT_MAY_FORFEIT);
    }

    function check_twin_after_the_end(Call memory c) public {
        prove(with_id(c), c, Lie.ENDED_GAME_IS_FORFEITED);
    }

    function check_twin_any_game(Call memory c) public {
        prove(with_id(c), c, Lie.ANY_GAME);
    }

    function check_twin_out_of_turn(Call memory c) public {
        prove(with_id(c), c, Lie.OUT_OF_TURN);
    }

    function check_twin_winner(Call memory c) public {
        prove(with_id(c), c, Lie.X_WINS_BY_FORFEITING);
    }

    function check_twin_without_id(Call memory c) public {
        c.gameId = 0;
        prove(without_id(), c, Lie.X_WINS_BY_FORFEITING);
    }

    function check_twin_board(Call memory c) public {
        prove(with_id(c), c, Lie.MOVES_ARE_CLEARED);
    }

    function prove(bytes memory data, Call memory c, Lie lie) internal {
        Run memory run = begin();
        Game memory game = read(run);
        assume_history(game);
        send(run, c.caller, c.origin, data);

        uint256 mine = on_turn(game);
        bool not_on_turn = uint256(uint160(c.caller)) != player(game, mine);
        if (c.caller != c.origin && lie != Lie.CONTRACT_MAY_FORFEIT) {
            assert(refused(run, "caller is a contract"));
        } else if (game.status != IN_PROGRESS && lie != Lie.ENDED_GAME_IS_FORFEITED) {
            assert(refused(run, "no game in progress"));
        } else if (c.gameId != 0 && c.gameId != game.number && lie != Lie.ANY_GAME) {
            assert(refused(run, "not the current game"));
        } else if (not_on_turn && lie != Lie.OUT_OF_TURN) {
            assert(refused(run, "not your turn"));
        } else {
            game.status = choose(mine == X, lie == Lie.X_WINS_BY_FORFEITING ? X_WON : X_FORFEITS, O_FORFEITS);
            if (lie == Lie.MOVES_ARE_CLEARED) game.moves = 0;
            assert(run.ok && run.result.length == 0 && written(run, game));
        }
    }
}

/// @notice `newGame`, over any word whatever, for people, contracts and all code that could be a delegation.
contract NewGame is Proof {
    enum Lie {
        NONE,
        DIRTY_ADDRESS_IS_MASKED,
        CONTRACT_MAY_START,
        ZERO_MAY_PLAY_X,
        ZERO_MAY_PLAY_O,
        ANY_23_BYTES,
        NO_CODE_AT_ALL,
        TWO_BYTES_SUFFICE,
        CONTRACT_MAY_PLAY_X,
        CONTRACT_MAY_PLAY_O,
        NUMBER_WRAPS,
        SAME_NUMBER,
        X_IN_BOTH_SEATS
    }

    struct Call {
        address caller;
        address origin;
        uint256 playerX;
        uint256 playerO;
    }

    /// Accounts with code of these lengths, every byte of it arbitrary. All other addresses but the table have no code.
    uint8[5] internal lengths = [1, 22, 23, 24, 46];

    function account(uint256 i) internal pure returns (address) {
        return address(uint160(0xacc0000 + i));
    }

    function check_new_game(Call memory c) public {
        prove(c, Lie.NONE);
    }

    function check_twin_dirty_address(Call memory c) public {
        prove(c, Lie.DIRTY_ADDRESS_IS_MASKED);
    }

    function check_twin_contract(Call memory c) public {
        prove(c, Lie.CONTRACT_MAY_START);
    }

    function check_twin_zero_x(Call memory c) public {
        prove(c, Lie.ZERO_MAY_PLAY_X);
    }

    function check_twin_zero_o(Call memory c) public {
        prove(c, Lie.ZERO_MAY_PLAY_O);
    }

    function check_twin_any_23_bytes(Call memory c) public {
        prove(c, Lie.ANY_23_BYTES);
    }

    function check_twin_no_code_at_all(Call memory c) public {
        prove(c, Lie.NO_CODE_AT_ALL);
    }

    function check_twin_two_bytes(Call memory c) public {
        prove(c, Lie.TWO_BYTES_SUFFICE);
    }

    function check_twin_contract_as_x(Call memory c) public {
        prove(c, Lie.CONTRACT_MAY_PLAY_X);
    }

    function check_twin_contract_as_o(Call memory c) public {
        prove(c, Lie.CONTRACT_MAY_PLAY_O);
    }

    function check_twin_last_number(Call memory c) public {
        prove(c, Lie.NUMBER_WRAPS);
    }

    function check_twin_number(Call memory c) public {
        prove(c, Lie.SAME_NUMBER);
    }

    function check_twin_seats(Call memory c) public {
        prove(c, Lie.X_IN_BOTH_SEATS);
    }

    function prove(Call memory c, Lie lie) internal {
        Run memory run = begin();
        bytes memory code;
        for (uint256 i = 0; i < lengths.length; i++) {
            bytes memory some = vm.randomBytes(lengths[i]);
            vm.etch(account(i), some);
            if (lengths[i] == 23) code = some;
        }
        send(run, c.caller, c.origin, abi.encodeWithSignature("newGame(address,address)", c.playerX, c.playerO));

        bool dirty = either(c.playerX >= 2 ** 160, c.playerO >= 2 ** 160);
        bool zero_x = both(c.playerX == 0, lie != Lie.ZERO_MAY_PLAY_X);
        bool zero_o = both(c.playerO == 0, lie != Lie.ZERO_MAY_PLAY_O);
        bool contract_x = both(is_contract(c.playerX, code, lie), lie != Lie.CONTRACT_MAY_PLAY_X);
        bool contract_o = both(is_contract(c.playerO, code, lie), lie != Lie.CONTRACT_MAY_PLAY_O);
        uint256 number = run.first / 2 ** 204;
        if (dirty && lie != Lie.DIRTY_ADDRESS_IS_MASKED) {
            assert(refused_silently(run));
        } else if (c.caller != c.origin && lie != Lie.CONTRACT_MAY_START) {
            assert(refused(run, "caller is a contract"));
        } else if (either(zero_x, zero_o)) {
            assert(refused(run, "player is the zero address"));
        } else if (either(contract_x, contract_o)) {
            assert(refused(run, "player is a contract"));
        } else if (number == 2 ** 52 - 1 && lie != Lie.NUMBER_WRAPS) {
            assert(refused_silently(run));
        } else {
            Game memory game;
            game.number = lie == Lie.SAME_NUMBER ? number : (number + 1) % 2 ** 52;
            game.status = IN_PROGRESS;
            game.playerX = c.playerX;
            game.playerO = lie == Lie.X_IN_BOTH_SEATS ? c.playerX : c.playerO;
            assert(run.ok && run.result.length == 0 && written(run, game));
        }
    }

    function is_contract(uint256 who, bytes memory code, Lie lie) internal view returns (bool yes) {
        yes = who == uint256(uint160(table));
        for (uint256 i = 0; i < lengths.length; i++) {
            bool person = both(lengths[i] == 23, lie != Lie.NO_CODE_AT_ALL);
            if (lie == Lie.TWO_BYTES_SUFFICE) person = both(person, both(code[0] == 0xef, code[1] == 0x01));
            else if (lie != Lie.ANY_23_BYTES) {
                person = both(person, both(both(code[0] == 0xef, code[1] == 0x01), code[2] == 0x00));
            }
            yes = either(yes, both(who == uint256(uint160(account(i))), !person));
        }
    }
}

/// @notice `gameState()` tells what the two words say, to anybody, and writes nothing. The number, the players and the
/// status are arbitrary, on a few boards; every board would be as many executions, and they are all tried one by one
/// elsewhere (`tests/proof/test_decoding.py`).
contract GameState is Proof {
    enum Lie {
        NONE,
        SECOND_PLAYER_IS_FIRST,
        WINNER_IS_TO_MOVE,
        COLUMNS_ARE_ROWS
    }

    struct Move {
        uint8 row;
        uint8 col;
        uint8 player;
        uint8 sequenceNumber;
    }

    struct State {
        uint256 gameId;
        address playerX;
        address playerO;
        uint8[3][3] board;
        uint8 currentPlayer;
        uint8 status;
        Move[] moveHistory;
    }

    function check_state_before_a_move(address caller, address origin) public {
        prove([0, 0, 0, 0, 0, 0, 0, 0, 0], caller, origin, Lie.NONE);
    }

    function check_state_after_a_move(address caller, address origin) public {
        prove([0, 0, 0, 0, 0, 1, 0, 0, 0], caller, origin, Lie.NONE);
    }

    function check_state_after_six(address caller, address origin) public {
        prove([1, 5, 0, 3, 0, 4, 0, 2, 6], caller, origin, Lie.NONE);
    }

    function check_state_after_nine(address caller, address origin) public {
        prove([9, 2, 5, 7, 4, 6, 1, 8, 3], caller, origin, Lie.NONE);
    }

    function check_twin_players(address caller, address origin) public {
        prove([0, 0, 0, 0, 0, 1, 0, 0, 0], caller, origin, Lie.SECOND_PLAYER_IS_FIRST);
    }

    function check_twin_winner(address caller, address origin) public {
        prove([1, 5, 0, 3, 0, 4, 0, 2, 6], caller, origin, Lie.WINNER_IS_TO_MOVE);
    }

    function check_twin_columns(address caller, address origin) public {
        prove([9, 2, 5, 7, 4, 6, 1, 8, 3], caller, origin, Lie.COLUMNS_ARE_ROWS);
    }

    function prove(uint8[9] memory order, address caller, address origin, Lie lie) internal {
        uint256 moves = put(order);
        Run memory run = begin();
        Game memory game = read(run);
        // Only X's own move or an O without one can end a game in X's favour, and so on for each status.
        bool even = moves % 2 == 0;
        vm.assume(game.status <= O_FORFEITS);
        vm.assume(either(game.status != 0, moves == 0));
        vm.assume(either(game.status != X_WON, !even));
        vm.assume(either(game.status != O_WON, both(even, moves > 0)));
        vm.assume(either(game.status != DRAW, moves == 9));
        vm.assume(either(game.status != X_FORFEITS, even));
        vm.assume(either(game.status != O_FORFEITS, !even));
        send(run, caller, origin, abi.encodeWithSignature("gameState()"));
        assert(run.ok && unchanged(run));

        bytes memory expected = abi.encode(state_of(game, order, moves, lie));
        assert(run.result.length == expected.length);
        bytes memory told = run.result;
        bool same = true;
        for (uint256 i = 32; i <= expected.length; i += 32) {
            assembly {
                same := and(same, eq(mload(add(told, i)), mload(add(expected, i))))
            }
        }
        assert(same);
    }

    function state_of(Game memory game, uint8[9] memory order, uint256 moves, Lie lie)
        internal
        pure
        returns (State memory state)
    {
        state.gameId = game.number;
        state.playerX = address(uint160(lie == Lie.SECOND_PLAYER_IS_FIRST ? game.playerO : game.playerX));
        state.playerO = address(uint160(game.playerO));
        state.status = uint8(game.status);
        uint256 mine = choose(game.status == IN_PROGRESS, on_turn(game), EMPTY);
        bool x = either(either(game.status == X_WON, game.status == DRAW), game.status == X_FORFEITS);
        bool o = either(both(game.status == O_WON, lie != Lie.WINNER_IS_TO_MOVE), game.status == O_FORFEITS);
        state.currentPlayer = uint8(choose(x, X, choose(o, O, mine)));
        state.moveHistory = new Move[](moves);
        for (uint8 cell = 0; cell < 9; cell++) {
            if (order[cell] == EMPTY) continue;
            Move memory move = state.moveHistory[order[cell] - 1];
            (move.row, move.col) = lie == Lie.COLUMNS_ARE_ROWS ? (cell % 3, cell / 3) : (cell / 3, cell % 3);
            move.player = order[cell] % 2 == 1 ? 1 : 2;
            move.sequenceNumber = order[cell];
            state.board[move.row][move.col] = move.player;
        }
    }
}

/// @notice What no function takes: Ether, too little calldata, an unknown selector.
contract Malformed is Proof {
    function functions() internal pure returns (bytes[7] memory) {
        return [
            abi.encodeWithSignature("newGame(address,address)", 0, 0),
            abi.encodeWithSignature("makeMove(uint8,uint8)", 0, 0),
            abi.encodeWithSignature("makeMove(uint8,uint8,uint256)", 0, 0, 0),
            abi.encodeWithSignature("forfeit()"),
            abi.encodeWithSignature("forfeit(uint256)", 0),
            abi.encodeWithSignature("gameState()"),
            abi.encodePacked(bytes4(0))
        ];
    }

    /// A call of a function with any arguments whatever: the selector, then bytes of any content.
    function any_call(uint256 i, uint256 longer) internal view returns (bytes memory) {
        bytes memory shape = functions()[i];
        return abi.encodePacked(bytes4(shape), vm.randomBytes(shape.length - 4 + longer));
    }

    function pay(uint256 i, address caller, address origin, uint256 value, bool at_least_one) internal {
        Run memory run = begin();
        vm.assume(either(value > 0, !at_least_one));
        vm.deal(caller, value);
        // Without Ether `gameState()` answers, in as many executions as there are boards. One is enough for a lie.
        if (!at_least_one) vm.store(table, 0, 0);
        bytes memory data = any_call(i, 0);
        vm.prank(caller, origin);
        (run.ok, run.result) = table.call{value: value}(data);
        if (at_least_one) assert(refused_silently(run));
        else assert(!run.ok && run.result.length == 0);
    }

    function check_ether_for_new_game(address caller, address origin, uint256 value) public {
        pay(0, caller, origin, value, true);
    }

    function check_ether_for_move(address caller, address origin, uint256 value) public {
        pay(1, caller, origin, value, true);
    }

    function check_ether_for_move_in_a_game(address caller, address origin, uint256 value) public {
        pay(2, caller, origin, value, true);
    }

    function check_ether_for_forfeit(address caller, address origin, uint256 value) public {
        pay(3, caller, origin, value, true);
    }

    function check_ether_for_forfeit_of_a_game(address caller, address origin, uint256 value) public {
        pay(4, caller, origin, value, true);
    }

    function check_ether_for_state(address caller, address origin, uint256 value) public {
        pay(5, caller, origin, value, true);
    }

    function check_ether_for_nothing(address caller, address origin, uint256 value) public {
        pay(6, caller, origin, value, true);
    }

    function check_twin_ether_for_new_game(address caller, address origin, uint256 value) public {
        pay(0, caller, origin, value, false);
    }

    function check_twin_ether_for_move(address caller, address origin, uint256 value) public {
        pay(1, caller, origin, value, false);
    }

    function check_twin_ether_for_move_in_a_game(address caller, address origin, uint256 value) public {
        pay(2, caller, origin, value, false);
    }

    function check_twin_ether_for_forfeit(address caller, address origin, uint256 value) public {
        pay(3, caller, origin, value, false);
    }

    function check_twin_ether_for_forfeit_of_a_game(address caller, address origin, uint256 value) public {
        pay(4, caller, origin, value, false);
    }

    function check_twin_ether_for_state(address caller, address origin, uint256 value) public {
        pay(5, caller, origin, value, false);
    }

    /// Calldata that ends a byte too early, a word, in its first argument, or after the selector; with any content. (Many
    /// calls in one execution cost the engine the square of their number: the other lengths are tried in `tests/unit`.)
    function check_short_calldata(address caller, address origin) public {
        cut(caller, origin, 1, 0, 5);
    }

    function check_twin_short_calldata(address caller, address origin) public {
        cut(caller, origin, 0, 4, 5);
    }

    function cut(address caller, address origin, uint256 missing, uint256 from, uint256 to) internal {
        Run memory run = begin();
        bool all_refused = true;
        for (uint256 i = from; i < to; i++) {
            if (i == 3) continue; // forfeit() has no arguments; nothing to cut
            bytes memory data = any_call(i, 0);
            uint256 whole = data.length;
            uint256[4] memory lengths = [whole - missing, whole - 32, 5, 4];
            for (uint256 j = 0; j < 4; j++) {
                uint256 length = lengths[j];
                assembly {
                    mstore(data, length)
                }
                send(run, caller, origin, data);
                all_refused = both(all_refused, refused_silently(run));
            }
        }
        assert(all_refused);
    }

    /// Selectors one bit away from a real one, and no calldata at all. They are given: the contract jumps by its selector,
    /// and the engine follows no symbolic jump. `tests/unit` has the rest.
    function check_unknown_selector(address caller, address origin) public {
        miss(caller, origin, 1, 0, 7);
    }

    function check_twin_unknown_selector(address caller, address origin) public {
        miss(caller, origin, 0, 3, 4);
    }

    function miss(address caller, address origin, uint256 distance, uint256 from, uint256 to) internal {
        Run memory run = begin();
        bool all_refused = true;
        bytes memory rest = vm.randomBytes(96);
        send(run, caller, origin, "");
        all_refused = both(all_refused, refused_silently(run));
        for (uint256 i = from; i < to; i++) {
            for (uint256 shift = i; shift < 32; shift += distance * 8 + (1 - distance) * 32) {
                uint32 selector = uint32(bytes4(functions()[i])) ^ uint32(distance << shift);
                send(run, caller, origin, abi.encodePacked(selector, rest));
                all_refused = both(all_refused, refused_silently(run));
            }
        }
        assert(all_refused);
    }
}
