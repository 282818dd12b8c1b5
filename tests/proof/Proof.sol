// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {CREATION_CODE, HARNESS} from "./Subject.sol";

/// What the proofs ask of the symbolic engine.
interface Engine {
    function assume(bool condition) external;
    function etch(address account, bytes calldata code) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function prank(address sender, address origin) external;
    function randomBytes(uint256 length) external view returns (bytes memory);
    function randomUint() external view returns (uint256);
    function setArbitraryStorage(address account) external;
}

/// @notice The specification once more, for all inputs at once, against the bytes that `deploy` sends,
/// but for the compiler's metadata at their end.
///
/// Each `check_` function is a proof: no arguments, no storage and no caller make an `assert` in it fail. For each `Lie`,
/// `halmos.py` generates a twin: the same proof with that lie in the specification, which must be refuted. A proof that
/// cannot fail (no path reaches it, an assumption is never true) would accept the lie. Every branch has a lie.
///
/// Assumed:
/// - Storage: `makeMove` and `forfeit` start from any two words that satisfy `possible`. This is an invariant: every
///   transaction preserves it, accepted or refused, as is proved here. The deployment establishes it: the constructor
///   takes nothing, so `test_proof.py` runs it once. `newGame` starts from any two words at all.
/// - Code: the table has its own. Five accounts have 1, 22, 23, 24 and 46 bytes, each byte arbitrary. No other address
///   has any.
/// - Players: neither is the contract that runs the proofs, because halmos drops every path that looks at its code.
///   `tests/exhaustive/test_codes.py` tests that address on another engine.
/// - Calldata ends with the last argument. `tests/exhaustive/test_calldata.py` cuts it short and makes it longer.
///
/// Outside: events, gas, Ether, unknown selectors, `gameState` (`tests/exhaustive` reads it on every board and after every
/// game), and DELEGATECALL, which would run the code on another account's storage.
///
/// Trusted: halmos' model of the EVM, the solvers z3 and yices, solc for this file, and that reasons with equal Keccak
/// hashes are equal.
///
/// `&&`, `||`, `?:` and `if` split an execution in two, and twenty of them make a million. Where a symbolic value
/// decides, `both`, `either`, `choose` and unchecked sums compute instead. (`possible` keeps every field in its bounds, so
/// no sum overflows.)
abstract contract Proof {
    Engine internal constant vm = Engine(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint256 internal constant IN_PROGRESS = 1;
    uint256 internal constant X_WON = 2;
    uint256 internal constant O_WON = 3;
    uint256 internal constant DRAW = 4;
    uint256 internal constant X_FORFEITS = 5;
    uint256 internal constant O_FORFEITS = 6;

    address internal table;

    /// One transaction: the table's two words before it, one more slot that represents all others, and its outcome. It
    /// is kept in memory: what this contract stores would cost the solver as much as what the table stores.
    struct Run {
        uint256 first;
        uint256 second;
        uint256 other;
        uint256 elsewhere;
        bool ok;
        bytes result;
    }

    /// The two words, field by field, as the drawing at the head of the contract names them.
    struct Game {
        uint256 number;
        uint256 playerX;
        uint256 playerO;
        uint256 status;
        uint256 move; // the number of the move that comes next; after a win or a draw, of the last one
        uint256[9] cells; // the number of the move that took the cell, or 0
    }

    function setUp() public {
        require(address(this) == HARNESS);
        bytes memory code = subject();
        address created;
        assembly {
            created := create(0, add(code, 32), mload(code))
        }
        require(created.code.length > 0);
        table = created;
        vm.setArbitraryStorage(table);
    }

    function subject() internal pure virtual returns (bytes memory) {
        return CREATION_CODE;
    }

    function begin() internal returns (Run memory run) {
        run.other = vm.randomUint();
        vm.assume(run.other > 1);
        run.first = slot(0);
        run.second = slot(1);
        run.elsewhere = slot(run.other);
    }

    function send(Run memory run, address caller, address origin, bytes memory data) internal {
        vm.prank(caller, origin);
        (run.ok, run.result) = table.call(data);
    }

    // -- storage ---------------------------------------------------------------

    function slot(uint256 at) internal view returns (uint256) {
        return uint256(vm.load(table, bytes32(at)));
    }

    function read(Run memory run) internal pure returns (Game memory game) {
        for (uint256 cell = 0; cell < 9; cell++) {
            game.cells[cell] = (run.first / 2 ** (4 * cell)) % 16;
        }
        game.move = (run.first / 2 ** 36) % 16;
        game.status = (run.first / 2 ** 40) % 16;
        game.playerX = (run.first / 2 ** 44) % 2 ** 160;
        game.number = run.first / 2 ** 204;
        game.playerO = run.second;
    }

    function written(Run memory run, Game memory game) internal view returns (bool) {
        uint256 word;
        unchecked {
            word = game.move * 2 ** 36 + game.status * 2 ** 40 + game.playerX * 2 ** 44 + game.number * 2 ** 204;
            for (uint256 cell = 0; cell < 9; cell++) {
                word += game.cells[cell] * 2 ** (4 * cell);
            }
        }
        return both(both(slot(0) == word, slot(1) == game.playerO), slot(run.other) == run.elsewhere);
    }

    function unchanged(Run memory run) internal view returns (bool) {
        return both(both(slot(0) == run.first, slot(1) == run.second), slot(run.other) == run.elsewhere);
    }

    /// The invariant: there was no game yet and both words are 0, or the fields agree with each other. It admits more
    /// than can be reached, such as games that go on after a line.
    function possible(Game memory game) internal pure returns (bool good) {
        uint256 marks = 0;
        for (uint256 cell = 0; cell < 9; cell++) {
            marks = sum(marks, bit(game.cells[cell] != 0));
        }
        // The marks are numbered from 1, each number once.
        good = true;
        for (uint256 a = 0; a < 9; a++) {
            good = both(good, game.cells[a] <= marks);
            for (uint256 b = a + 1; b < 9; b++) {
                good = both(good, either(game.cells[a] == 0, game.cells[a] != game.cells[b]));
            }
        }
        bool none = both(both(marks == 0, game.move == 0), both(game.status == 0, game.number == 0));
        none = both(none, both(game.playerX == 0, game.playerO == 0));

        good = both(good, both(game.status >= IN_PROGRESS, game.status <= O_FORFEITS));
        good = both(good, both(game.number >= 1, game.number < 2 ** 52));
        good = both(good, both(game.playerX != 0, game.playerX < 2 ** 160));
        good = both(good, both(game.playerO != 0, game.playerO < 2 ** 160));

        bool x_ended_it = either(game.status == X_WON, game.status == X_FORFEITS);
        bool o_ended_it = either(game.status == O_WON, game.status == O_FORFEITS);
        bool ended_by_a_move = either(either(game.status == X_WON, game.status == O_WON), game.status == DRAW);
        good = both(good, both(game.move >= 1, game.move <= 9));
        good = both(good, game.move == sum(marks, choose(ended_by_a_move, 0, 1)));
        good = both(good, either(!x_ended_it, is_odd(game.move)));
        good = both(good, either(!o_ended_it, !is_odd(game.move)));
        good = both(good, either(game.status != DRAW, game.move == 9));
        good = either(none, good);
    }

    // -- outcomes --------------------------------------------------------------

    function refused(Run memory run, string memory reason) internal view returns (bool) {
        bytes32 expected = keccak256(abi.encodeWithSignature("Error(string)", reason));
        return both(both(!run.ok, keccak256(run.result) == expected), unchanged(run));
    }

    function refused_silently(Run memory run) internal view returns (bool) {
        return both(both(!run.ok, run.result.length == 0), unchanged(run));
    }

    function accepted(Run memory run, Game memory game) internal view returns (bool) {
        return both(both(run.ok, run.result.length == 0), written(run, game));
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

    function sum(uint256 a, uint256 b) internal pure returns (uint256) {
        unchecked {
            return a + b;
        }
    }

    function is_odd(uint256 n) internal pure returns (bool) {
        return n % 2 == 1;
    }

    /// `a` where it holds, else `b`. The mask is all ones or none.
    function choose(bool holds, uint256 a, uint256 b) internal pure returns (uint256) {
        unchecked {
            uint256 mask = 0 - bit(holds);
            return (a & mask) | (b & ~mask);
        }
    }
}

/// @notice `makeMove`, both forms: it succeeds exactly when the rules allow the move and leaves exactly the word that
/// they ask for; otherwise it fails with the first reason that applies.
contract MakeMove is Proof {
    enum Lie {
        NONE,
        ANY_STORAGE,
        DIRTY_ROW_IS_MASKED,
        DIRTY_COL_IS_MASKED,
        CONTRACT_MAY_MOVE,
        MOVES_FOLLOW_THE_END,
        ANY_NUMBER,
        ZERO_IS_A_NUMBER,
        LEFT_OUT_IS_A_NUMBER,
        O_MOVES_FOR_X,
        X_MOVES_FOR_O,
        FOUR_ROWS,
        FOUR_COLS,
        GRID_BEFORE_TURN,
        LAST_CELL_IS_FREE,
        NO_DRAW,
        WIN_IS_DRAW,
        O_WINS_FOR_X,
        TURN_PASSES_AT_THE_END,
        INVARIANT_BREAKS,
        NO_TOP_ROW, // in the order of `line`
        NO_MIDDLE_ROW,
        NO_BOTTOM_ROW,
        NO_LEFT_COL,
        NO_MIDDLE_COL,
        NO_RIGHT_COL,
        NO_DIAGONAL,
        NO_ANTIDIAGONAL
    }

    struct Call {
        address caller;
        address origin;
        uint256 row;
        uint256 col;
        uint256 gameId;
    }

    function check_move(Call memory c) public {
        prove(c, false, Lie.NONE);
    }

    function check_move_in_a_game(Call memory c) public {
        prove(c, true, Lie.NONE);
    }

    /// Some lies show in few cases. Only these are assumed, because the solver would try all others first.
    function twin(Call memory c, Lie lie) internal {
        if (lie == Lie.DIRTY_ROW_IS_MASKED) vm.assume(c.row > 255);
        if (lie == Lie.DIRTY_COL_IS_MASKED) vm.assume(c.col > 255);
        if (lie == Lie.ZERO_IS_A_NUMBER) vm.assume(c.gameId == 0);
        prove(c, lie != Lie.LEFT_OUT_IS_A_NUMBER, lie);
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

    function prove(Call memory c, bool numbered, Lie lie) internal {
        Run memory run = begin();
        Game memory game = read(run);
        if (lie != Lie.ANY_STORAGE) vm.assume(possible(game));
        bytes memory data = numbered
            ? abi.encodeWithSignature("makeMove(uint8,uint8,uint256)", c.row, c.col, c.gameId)
            : abi.encodeWithSignature("makeMove(uint8,uint8)", c.row, c.col);
        send(run, c.caller, c.origin, data);
        if (!numbered) c.gameId = 0;

        bool x = is_odd(game.move);
        uint256 mover = choose(x, game.playerX, game.playerO);
        if (lie == Lie.O_MOVES_FOR_X) mover = game.playerO;
        if (lie == Lie.X_MOVES_FOR_O) mover = game.playerX;
        bool named = c.gameId != 0 || lie == Lie.ZERO_IS_A_NUMBER || lie == Lie.LEFT_OUT_IS_A_NUMBER;
        bool off_row = c.row > (lie == Lie.FOUR_ROWS ? 3 : 2);
        bool off_col = c.col > (lie == Lie.FOUR_COLS ? 3 : 2);

        if (c.row > 255 && lie != Lie.DIRTY_ROW_IS_MASKED) {
            assert(refused_silently(run));
        } else if (c.col > 255 && lie != Lie.DIRTY_COL_IS_MASKED) {
            assert(refused_silently(run));
        } else if (c.caller != c.origin && lie != Lie.CONTRACT_MAY_MOVE) {
            assert(refused(run, "caller is a contract"));
        } else if (game.status != IN_PROGRESS && lie != Lie.MOVES_FOLLOW_THE_END) {
            assert(refused(run, "no game in progress"));
        } else if (named && c.gameId != game.number && lie != Lie.ANY_NUMBER) {
            assert(refused(run, "not the current game"));
        } else if (lie == Lie.GRID_BEFORE_TURN && either(off_row, off_col)) {
            assert(refused(run, "off the grid"));
        } else if (uint160(c.caller) != mover) {
            assert(refused(run, "not your turn"));
        } else if (either(off_row, off_col)) {
            assert(refused(run, "off the grid"));
        } else {
            place(run, game, c, lie);
        }
    }

    /// The player whose turn it is has named a cell on the grid.
    function place(Run memory run, Game memory game, Call memory c, Lie lie) internal view {
        bool taken = false;
        for (uint256 cell = 0; cell < 9; cell++) {
            bool here = both(c.row == cell / 3, c.col == cell % 3);
            bool free = either(game.cells[cell] == 0, both(lie == Lie.LAST_CELL_IS_FREE, cell == 8));
            taken = either(taken, both(here, !free));
            game.cells[cell] = choose(here, game.move, game.cells[cell]);
        }
        if (taken) {
            assert(refused(run, "cell is taken"));
        } else {
            bool x = is_odd(game.move);
            bool won = both(wins(game, x, lie), either(game.move != 9, lie != Lie.WIN_IS_DRAW));
            bool full = both(game.move == 9, lie != Lie.NO_DRAW);
            uint256 winning = choose(either(x, lie == Lie.O_WINS_FOR_X), X_WON, O_WON);
            game.status = choose(won, winning, choose(full, DRAW, IN_PROGRESS));
            game.move = sum(game.move, bit(either(game.status == IN_PROGRESS, lie == Lie.TURN_PASSES_AT_THE_END)));
            assert(accepted(run, game));
            assert(both(possible(game), lie != Lie.INVARIANT_BREAKS));
        }
    }

    /// Whether a player has three in a line, one line perhaps left out.
    function wins(Game memory game, bool x, Lie lie) internal pure returns (bool won) {
        for (uint256 i = 0; i < 8; i++) {
            uint8[3] memory cells = line(i);
            bool full = uint256(lie) != uint256(Lie.NO_TOP_ROW) + i;
            for (uint256 j = 0; j < 3; j++) {
                uint256 move = game.cells[cells[j]];
                full = both(full, both(move != 0, is_odd(move) == x));
            }
            won = either(won, full);
        }
    }
}

/// @notice `forfeit`, both forms.
contract Forfeit is Proof {
    enum Lie {
        NONE,
        ANY_STORAGE,
        CONTRACT_MAY_FORFEIT,
        FORFEITS_FOLLOW_THE_END,
        ANY_NUMBER,
        ZERO_IS_A_NUMBER,
        LEFT_OUT_IS_A_NUMBER,
        OUT_OF_TURN,
        X_FORFEITS_AND_WINS,
        O_FORFEITS_AND_WINS,
        MARKS_ARE_CLEARED,
        INVARIANT_BREAKS
    }

    struct Call {
        address caller;
        address origin;
        uint256 gameId;
    }

    function check_forfeit(Call memory c) public {
        prove(c, false, Lie.NONE);
    }

    function check_forfeit_of_a_game(Call memory c) public {
        prove(c, true, Lie.NONE);
    }

    function twin(Call memory c, Lie lie) internal {
        prove(c, lie != Lie.LEFT_OUT_IS_A_NUMBER, lie);
    }

    function prove(Call memory c, bool numbered, Lie lie) internal {
        Run memory run = begin();
        Game memory game = read(run);
        if (lie != Lie.ANY_STORAGE) vm.assume(possible(game));
        bytes memory data =
            numbered ? abi.encodeWithSignature("forfeit(uint256)", c.gameId) : abi.encodeWithSignature("forfeit()");
        send(run, c.caller, c.origin, data);
        if (!numbered) c.gameId = 0;

        bool x = is_odd(game.move);
        bool named = c.gameId != 0 || lie == Lie.ZERO_IS_A_NUMBER || lie == Lie.LEFT_OUT_IS_A_NUMBER;
        bool their_turn = uint160(c.caller) == choose(x, game.playerX, game.playerO);
        if (c.caller != c.origin && lie != Lie.CONTRACT_MAY_FORFEIT) {
            assert(refused(run, "caller is a contract"));
        } else if (game.status != IN_PROGRESS && lie != Lie.FORFEITS_FOLLOW_THE_END) {
            assert(refused(run, "no game in progress"));
        } else if (named && c.gameId != game.number && lie != Lie.ANY_NUMBER) {
            assert(refused(run, "not the current game"));
        } else if (!their_turn && lie != Lie.OUT_OF_TURN) {
            assert(refused(run, "not your turn"));
        } else {
            uint256 by_x = lie == Lie.X_FORFEITS_AND_WINS ? X_WON : X_FORFEITS;
            uint256 by_o = lie == Lie.O_FORFEITS_AND_WINS ? O_WON : O_FORFEITS;
            game.status = choose(x, by_x, by_o);
            if (lie == Lie.MARKS_ARE_CLEARED) delete game.cells;
            assert(accepted(run, game));
            assert(both(possible(game), lie != Lie.INVARIANT_BREAKS));
        }
    }
}

/// @notice `newGame`, both forms, over any two words, for people, contracts and code that could be a delegation.
contract NewGame is Proof {
    enum Lie {
        NONE,
        DIRTY_ADDRESS_IS_MASKED,
        CONTRACT_MAY_START,
        ANY_NUMBER,
        ZERO_IS_A_NUMBER,
        LEFT_OUT_IS_A_NUMBER,
        ZERO_BEFORE_NUMBER,
        ZERO_MAY_PLAY_X,
        ZERO_MAY_PLAY_O,
        ANY_23_BYTES,
        NO_CODE_AT_ALL,
        TWO_BYTES_SUFFICE,
        CONTRACT_MAY_PLAY_X,
        CONTRACT_MAY_PLAY_O,
        NUMBER_WRAPS,
        SAME_NUMBER,
        X_IN_BOTH_SEATS,
        INVARIANT_BREAKS,
        HARNESS_NEVER_CALLS, // and the addresses of `excluded`
        TABLE_IS_NEVER_NAMED,
        ENGINE_IS_NEVER_NAMED,
        SENDER_IS_NEVER_NAMED,
        NEIGHBOUR_IS_NEVER_NAMED
    }

    struct Call {
        address caller;
        address origin;
        uint256 playerX;
        uint256 playerO;
        uint256 gameId;
    }

    /// The lengths of the code that some accounts have.
    uint8[5] internal lengths = [1, 22, 23, 24, 46];

    function account(uint256 i) internal pure returns (address) {
        return address(uint160(0xacc0000 + i));
    }

    function check_new_game(Call memory c) public {
        prove(c, false, Lie.NONE);
    }

    function check_new_game_over_a_game(Call memory c) public {
        prove(c, true, Lie.NONE);
    }

    function twin(Call memory c, Lie lie) internal {
        // As in `MakeMove`.
        if (lie == Lie.DIRTY_ADDRESS_IS_MASKED) vm.assume(c.playerX >= 2 ** 160);
        if (lie == Lie.ZERO_IS_A_NUMBER) vm.assume(c.gameId == 0);
        prove(c, lie != Lie.LEFT_OUT_IS_A_NUMBER, lie);
    }

    function prove(Call memory c, bool numbered, Lie lie) internal {
        // halmos drops every path that asks for the code of the contract that it runs.
        vm.assume(both(c.playerX != uint160(HARNESS), c.playerO != uint160(HARNESS)));
        Run memory run = begin();
        bytes memory code;
        for (uint256 i = 0; i < lengths.length; i++) {
            bytes memory some = vm.randomBytes(lengths[i]);
            vm.etch(account(i), some);
            if (lengths[i] == 23) code = some;
        }
        bytes memory data = numbered
            ? abi.encodeWithSignature("newGame(address,address,uint256)", c.playerX, c.playerO, c.gameId)
            : abi.encodeWithSignature("newGame(address,address)", c.playerX, c.playerO);
        send(run, c.caller, c.origin, data);
        if (!numbered) c.gameId = 0;

        uint256 number = run.first / 2 ** 204;
        bool named = c.gameId != 0 || lie == Lie.ZERO_IS_A_NUMBER || lie == Lie.LEFT_OUT_IS_A_NUMBER;
        bool wrong = named && c.gameId != number && lie != Lie.ANY_NUMBER;
        bool dirty = either(c.playerX >= 2 ** 160, c.playerO >= 2 ** 160);
        bool zero_x = both(c.playerX == 0, lie != Lie.ZERO_MAY_PLAY_X);
        bool zero_o = both(c.playerO == 0, lie != Lie.ZERO_MAY_PLAY_O);
        if (dirty && lie != Lie.DIRTY_ADDRESS_IS_MASKED) {
            assert(refused_silently(run));
        } else if (c.caller != c.origin && lie != Lie.CONTRACT_MAY_START) {
            assert(refused(run, "caller is a contract"));
        } else if (wrong && lie != Lie.ZERO_BEFORE_NUMBER) {
            assert(refused(run, "not the current game"));
        } else if (either(zero_x, zero_o)) {
            assert(refused(run, "player is the zero address"));
        } else if (wrong) {
            assert(refused(run, "not the current game"));
        } else {
            seat(run, c, code, lie);
        }
    }

    /// The table looks at the code of both players.
    function seat(Run memory run, Call memory c, bytes memory code, Lie lie) internal view {
        uint256 never = excluded(lie);
        assert(either(c.playerX != never, c.playerO != never));
        if (lie == Lie.HARNESS_NEVER_CALLS) assert(c.caller != HARNESS);

        uint256 number = run.first / 2 ** 204;
        bool contract_x = both(is_contract(c.playerX, code, lie), lie != Lie.CONTRACT_MAY_PLAY_X);
        bool contract_o = both(is_contract(c.playerO, code, lie), lie != Lie.CONTRACT_MAY_PLAY_O);
        if (either(contract_x, contract_o)) {
            assert(refused(run, "player is a contract"));
        } else if (number == 2 ** 52 - 1 && lie != Lie.NUMBER_WRAPS) {
            assert(refused_silently(run));
        } else {
            Game memory game;
            game.number = lie == Lie.SAME_NUMBER ? number : sum(number, 1) % 2 ** 52;
            game.playerX = c.playerX;
            game.playerO = lie == Lie.X_IN_BOTH_SEATS ? c.playerX : c.playerO;
            game.status = IN_PROGRESS;
            game.move = 1;
            assert(accepted(run, game));
            assert(both(possible(game), lie != Lie.INVARIANT_BREAKS));
        }
    }

    /// The address that no path has in both seats: HARNESS, by assumption. Each lie claims this of another address, which
    /// the engine might treat in a way of its own, and must be refuted.
    function excluded(Lie lie) internal view returns (uint256) {
        if (lie == Lie.TABLE_IS_NEVER_NAMED) return uint160(table);
        if (lie == Lie.ENGINE_IS_NEVER_NAMED) return uint160(address(vm));
        if (lie == Lie.SENDER_IS_NEVER_NAMED) return uint160(msg.sender);
        if (lie == Lie.NEIGHBOUR_IS_NEVER_NAMED) return uint160(HARNESS) + 1;
        return uint160(HARNESS);
    }

    function is_contract(uint256 who, bytes memory code, Lie lie) internal view returns (bool yes) {
        yes = who == uint160(table);
        for (uint256 i = 0; i < lengths.length; i++) {
            bool person = both(lengths[i] == 23, lie != Lie.NO_CODE_AT_ALL);
            if (lie != Lie.ANY_23_BYTES) {
                bool third = either(code[2] == 0x00, lie == Lie.TWO_BYTES_SUFFICE);
                person = both(person, both(both(code[0] == 0xef, code[1] == 0x01), third));
            }
            yes = either(yes, both(who == uint160(account(i)), !person));
        }
    }
}
