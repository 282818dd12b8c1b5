"""
What can go wrong, by exit code: what is typed, what the node answers wrongly, and parts of what the command then says.

`test_failures.py` runs every row. In a row `$node` is the URL of the node, and `$key` the part of it that nobody may
see; `$dead` is the URL of a node that is not there. `$table` has a game in which X has taken cell 5, `$new` has none,
X has won the game of `$over`, strangers play at `$others`, at `$another` is another contract, at `$nothing` no code.
"""

from __future__ import annotations

import gzip
import itertools
import json
import time
from collections.abc import Iterator, Mapping

from tests.support import PATIENCE
from tests.support.server import Answer
from tests.support.wrong_node import KEY, Wrong


class Row:
    def __init__(
        self,
        typed: str,
        *says: str,  # parts of what is on stderr, and nowhere else
        node: Wrong | None = None,
        keys: str = "",  # piped in
        env: Mapping[str, str] | None = None,
        unsaid: tuple[str, ...] = (),  # not on stderr
        hurry: float = 1,  # how fast time passes while the command waits
    ) -> None:
        self.typed, self.says, self.unsaid = typed, says, unsaid
        self.node, self.keys, self.env, self.hurry = node or {}, keys, env or {}, hurry


# -- what is typed -----------------------------------------------------------------------------

NODE, AT = "--network $node", "--network $node --table $table"
X, O, STRANGER = "--account TEST::1", "--account TEST::2", "--account TEST::3"
PAYING = f"{NODE} --account TEST::0"
UNASKED = f"{PAYING} --yes --expected-chain-id 31337"
POOR = f"{NODE} --account anna --yes --expected-chain-id 31337"
STARTS = f"play {NODE} --table $new {X} --against $o"  # it pays for a new game at once
MOVES = f"play {AT} {O} --move 1 --json"
WATCH = f"watch {AT} --once"
MISTYPED = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

# -- what a node answers -----------------------------------------------------------------------

MAINNET = {"eth_chainId": "0x1", "net_version": "1"}
SEPOLIA = {"eth_chainId": hex(11155111), "net_version": "11155111"}
GWEI = 10**9


def tip(gwei: int) -> dict[str, object]:
    return {"eth_maxPriorityFeePerGas": hex(gwei * GWEI)}


def history(gwei: int) -> dict[str, object]:
    """An `eth_feeHistory` in which recent blocks paid this for one gas."""
    blocks = {"baseFeePerGas": [hex(gwei * GWEI)] * 4, "gasUsedRatio": [0.5] * 3, "reward": [["0x0"]] * 3}
    return {"eth_feeHistory": {"oldestBlock": "0x0"} | blocks}


def block(base_fee: object) -> dict[str, object]:
    facts = {"number": "0x9", "timestamp": "0x1", "baseFeePerGas": base_fee, "transactions": []}
    return {"eth_getBlockByNumber": facts | {"hash": "0x" + "55" * 32, "parentHash": "0x" + "44" * 32}}


def estimate(gas: int) -> dict[str, object]:
    return {"eth_estimateGas": hex(gas)}


def refusal(message: str) -> Answer:
    return Answer(json.dumps({"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": message}}).encode())


def status(number: int) -> Answer:
    return Answer(status=number, headers={"location": "/"})


def nested(opening: bytes = b"[", closing: bytes = b"]") -> Answer:
    return Answer(b'{"jsonrpc":"2.0","id":0,"result":' + opening * 200_000 + b"1" + closing * 200_000 + b"}")


def others_wait(params: list[str]) -> str:
    """The account has sent something else, which is not mined yet."""
    return "0x64" if params[1] == "pending" else "true"


def dripping(_params: object) -> Answer:
    """A byte now and then, without end: each read succeeds."""

    def drops() -> Iterator[bytes]:
        while True:
            time.sleep(0.1)
            yield b" "

    return Answer(drops())


def silent(_params: object) -> Answer:
    """It accepts the question, and never answers."""

    def silence() -> Iterator[bytes]:
        time.sleep(PATIENCE)
        yield b""

    return Answer(pieces_of_headers=silence())


ENDLESS = Answer(itertools.repeat(bytes(100_000)))
BOMB = Answer(gzip.compress(bytes(10**6)) * 300, headers={"content-encoding": "gzip"})
NO_GZIP = Answer(b"no gzip", headers={"content-encoding": "gzip"})
LONG_INTEGER = Answer(b'{"jsonrpc":"2.0","result":' + b"1" * 6000 + b"}")
LONG_NUMBER = "0x" + "f" * 6000
HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\r\n\x9b31m"
NONSENSE = (None, {"number": "0xzz", "hash": 5}, HOSTILE)

# -- what is said ------------------------------------------------------------------------------

UNREACHABLE = "Cannot reach the node. Is it running, and is --network right?"
NOT_HTTP = "Only nodes at http:// and https:// addresses are supported, not ws:// and not IPC."
TOO_DEEP, TOO_LONG = "The node's answer is nested too deeply", "The node's answer is longer than 10 MB"
NOT_JSON, NOT_ZIPPED = "returned something that is not JSON-RPC", "returned something that cannot be decompressed"
REFUSED, FAILED = "The node's web server refused the request: ", "The node's web server failed: "
CLAIMED = "The node at this URL claims to be on mainnet, chain 1."
ON_LOCAL = CLAIMED.replace("mainnet", "local")
NOT_31337 = "This is chain 31337, not 1. Nothing was sent."

# The node's own web server refuses. What the libraries say of these quotes the URL.
NO_ANSWER = [
    *(Row(f"{command} --network $dead", UNREACHABLE) for command in ("play", "watch", "deploy")),
    Row("watch --network http://anna:$key@127.0.0.1:1", UNREACHABLE),
    *(
        Row(WATCH, sentence, node={method: status(number)})
        for method, number, sentence in (
            ("eth_getCode", 301, f"{REFUSED}301 Moved Permanently."),
            ("web3_clientVersion", 401, f"{REFUSED}401 Unauthorized. Check the address and the key"),
            ("eth_chainId", 403, f"{REFUSED}403 Forbidden. Check the address and the key"),
            ("eth_getCode", 404, f"{REFUSED}404 Not Found. Check the address and the key"),
            ("eth_getCode", 429, f"{REFUSED}429 Too Many Requests. Try again"),
            ("eth_chainId", 500, f"{FAILED}500 Internal Server Error. Try again"),
            ("eth_getCode", 599, f"{FAILED}599 an unknown status. Try again"),
        )
    ),
]

# -- failures before anything is signed --------------------------------------------------------

ROWS: dict[int, list[Row]] = {
    # No failure, but not what was expected.
    0: [
        Row(f"{WATCH} --from-block 99", "Block 99 of --from-block is not mined yet: the newest block is "),
        Row(f"play {NODE} --table $others {X}", "This is a game of others. The line below starts one in its place."),
        Row(f"deploy {POOR} --dry-run", "has 0 ETH and table may cost up to 0.00", "Send it at least 0.00"),
    ],
    # An option, an argument or the configuration is wrong.
    2: [
        Row("play --json", "--json prints what one move did: give --move as well. `ape run watch --json`"),
        Row("play --move 10", "'--move'"),
        *(
            Row(f"deploy --max-cost {amount}", f"'--max-cost': '{amount}' is not an amount of ether.")
            for amount in ("-1", "nan", "ten", "0.0000000000000000001")
        ),
        Row("deploy --max-fee 0.0000000001", "'--max-fee': '0.0000000001' is not an amount of gwei."),
        *(
            Row(f"{command} {option} {address}", f"'{option}': {sentence}")
            for command, option in (("play", "--against"), ("play", "--table"), ("watch", "--table"))
            for address, sentence in (
                (MISTYPED, f"The checksum of {MISTYPED} is wrong: at least one character was changed."),
                ("0x12", "'0x12' is not an address: 0x and 40 hexadecimal digits."),
            )
        ),
        Row("play --against carl", "'--against': 'carl' is not an address"),
        Row("play --against $x", "--against needs a network that the other player can reach: give --network."),
        Row(f"play {AT} --against $x", "--against needs your own seat as well: give --account ALIAS."),
        Row(f"play {AT} {STRANGER}", "A new game needs another player: give --against ADDRESS.", keys="n\n"),
        Row(f"play {AT}", "You are only watching. To start a game, give --account ALIAS", keys="n\n"),
        Row("watch --network foo", "No ecosystem named 'foo'. `ape networks list` shows all.", unsaid=("Options:",)),
        *(
            Row(f"watch --network {url}", NOT_HTTP)
            for url in ("ws://h:1", "wss://h/$key", "/var/$key.ipc", "ethereum:sepolia:ws://h:1")
        ),
        Row(f"play {AT}", "Error: You are only watching. To play, give --account ALIAS.", keys="1\n"),
        Row(f"deploy {PAYING}", "There was no answer, so nothing was sent. A script can use `deploy --yes`."),
        Row(f"play {NODE} --table $others {X} --against $o", "There was no answer, so nothing was sent."),
        Row(f"deploy {PAYING} --yes", "--yes spends without asking, so name the chain with --expected-chain-id ID."),
    ],
    # The node cannot be reached, failed, or returned nonsense.
    3: [
        *NO_ANSWER,
        *(
            Row(WATCH, sentence, node={method: answer})
            for method, answer, sentence in (
                ("eth_chainId", nested(), TOO_DEEP),
                ("eth_getCode", nested(b'{"a":', b"}"), TOO_DEEP),
                ("eth_getCode", Answer(b"[" * 200_000), TOO_DEEP),
                ("eth_chainId", ENDLESS, TOO_LONG),
                ("eth_getCode", BOMB, TOO_LONG),
                ("eth_getCode", NO_GZIP, NOT_ZIPPED),
                ("eth_chainId", Answer(b"<html>"), NOT_JSON),
                ("eth_getCode", Answer(b"\xff\xfe"), NOT_JSON),
                ("eth_getCode", Answer(b"[]"), NOT_JSON),
                ("eth_getCode", LONG_INTEGER, NOT_JSON),
            )
        ),
        *(
            Row(f"deploy {UNASKED}", "The node returned a number of more than 256 bits", node=node)
            for node in (
                {"eth_chainId": LONG_NUMBER},
                {"eth_maxPriorityFeePerGas": LONG_NUMBER},
                block(None) | {"eth_gasPrice": LONG_NUMBER},
            )
        ),
        Row(WATCH, "gnp.exe", node={"eth_getCode": refusal(HOSTILE)}),
        Row(
            WATCH,
            "project [hidden]/[hidden] exceeds its limit",
            node={"eth_getCode": refusal(f"project {KEY} exceeds its limit")},
        ),
        Row(WATCH, "Cannot use the node", node={"eth_chainId": refusal(HOSTILE)}),
        Row(WATCH, "Cannot use the node", node={"*": refusal("go away")}),
        Row(f"deploy {UNASKED}", "gnp.exe", node={"eth_estimateGas": refusal(HOSTILE)}),
        Row(WATCH, "The node returned ", node={"eth_getCode": "hello"}),
        *(
            Row(WATCH, "Error: The node ", node={method: value}, hurry=100)
            for method in ("eth_getLogs", "eth_getBlockByNumber")
            for value in NONSENSE
        ),
        *(
            Row(MOVES, "The node has been unreachable for ", "Nothing was sent.", node={"eth_call": value}, hurry=100)
            for value in (*NONSENSE, status(502))
        ),
        Row(STARTS, "estimates 300,001 gas for new game, but that needs 300,000 at most.", node=estimate(300_001)),
        Row(
            f"deploy {UNASKED}",
            "The node estimates 5,400,001 gas for table, but that needs 5,400,000 at most. Nothing was sent.",
            node=estimate(5_400_001),
        ),
    ],
    # The node is on another chain, or on a public chain that you did not name.
    4: [
        Row(
            "play --network ethereum:sepolia:$node",
            "connected to chain ID '31337'",
            "Are you connected to 'sepolia'? Nothing was sent.",
        ),
        Row(f"{STARTS} --expected-chain-id 1", NOT_31337),
        Row(f"{MOVES} --expected-chain-id 1", NOT_31337),
        Row(f"deploy {PAYING} --yes --expected-chain-id 1", NOT_31337),
        Row(STARTS, CLAIMED, "add --expected-chain-id 1.", node=MAINNET, keys="y\n5\n"),
        Row(MOVES, CLAIMED, node=MAINNET),
        Row(f"deploy {PAYING}", CLAIMED, node=MAINNET, keys="y\n"),
        *(
            Row(typed.replace("$node", "ethereum:local:$node"), ON_LOCAL, node=MAINNET, keys="y\n")
            for typed in (STARTS, f"deploy {PAYING}")
        ),
    ],
    # There is no table.
    5: [
        Row(
            f"play {NODE} --table $nothing",
            "There is no contract at $nothing on custom (chain 31337).",
            "Check the address and --network, or deploy a table with `ape run deploy`.",
        ),
        Row(f"watch {NODE} --table $another", "The contract at $another is another one: its code is"),
        Row(f"watch {NODE}", "No table is known on this network (custom, chain 31337)."),
        # On the chain inside the program, a deployment does not help.
        Row("watch -v DEBUG", "No table is known", "--network", unsaid=("ape run deploy", "faucet")),
        Row("watch --table $nothing", "no contract at $nothing", "--network", unsaid=("ape run deploy", "faucet")),
    ],
    # The account is missing or locked, the passphrase is wrong, or you declined.
    6: [
        *(
            Row(typed, "Which account pays? Give --account ALIAS")
            for typed in (f"deploy {NODE}", f"play {AT} --move 1")
        ),
        Row("deploy --account nobody", "'nobody' not found", "`ape accounts list` shows your accounts, `ape "),
        *(Row(f"deploy {PAYING}", "Nothing was sent.", keys=no, unsaid=("Error",)) for no in ("n\n", "\n", "yep\n")),
        Row(f"play {NODE} --table $others {X} --against $o", "Nothing was sent.", keys="n\n", unsaid=("Error",)),
        Row(
            f"play {AT} --account anna",
            "'anna' is locked, and there is no terminal",
            "Set APE_ACCOUNTS_anna_PASSPHRASE.",
        ),
        Row(
            f"play {AT} --account anna",
            "The passphrase in APE_ACCOUNTS_anna_PASSPHRASE does not unlock the account 'anna'.",
            env={"APE_ACCOUNTS_anna_PASSPHRASE": "wrong"},
        ),
    ],
    # The account has too little ether for the transaction, or it costs more than the limits allow.
    7: [
        Row(STARTS, "high fee for new game: 100,000,000.", "gas; usual is 1", node=tip(10**8), keys="y\n"),
        Row(f"deploy {UNASKED}", "high fee for table: 1,000,000.", node=tip(10**6)),
        Row(f"deploy {PAYING}", "high fee for table: 1,000,000.", "Nothing was sent.", node=tip(10**6), keys="y\n"),
        Row(f"deploy {UNASKED}", "high fee for table: 1,000,00", node=block(hex(10**15))),
        Row(
            f"deploy {UNASKED}", "high fee for table: 1,000,000 gwei", node=block(None) | {"eth_gasPrice": hex(10**15)}
        ),
        Row(MOVES, "high fee for move 2: 1,000,000.", node=tip(10**6)),
        # On a public chain, the cost has a limit that the node cannot lift.
        *(
            Row(
                f"deploy {UNASKED}".replace("$node", "ethereum:sepolia:$node").replace("31337", "11155111"),
                "The cost is high: table may cost up to ",
                node=SEPOLIA | lies | history(10**4),
            )
            for lies in (tip(10**4), block(hex(10**13)))
        ),
        Row(f"{STARTS} --max-cost 0.0000001", "new game may cost up to 0.0", "and --max-cost allows 0.0000001 ETH."),
        Row(f"{STARTS} --max-fee 0.1", "One gas costs 1.", "gwei now, and --max-fee allows 0.1 gwei."),
        # Some nodes refuse to estimate it for an account without funds.
        Row(
            f"deploy {POOR}",
            "has 0 ETH. Nothing was sent. Send it more",
            "https://ethereum.org/developers/docs/networks lists faucets",
            node={"eth_estimateGas": refusal("insufficient funds for transfer")},
        ),
        Row(
            "play --account anna", "has 0 ETH", "Choose a network with --network.", unsaid=("ape run deploy", "faucet")
        ),
    ],
    # The contract refused.
    8: [
        Row(f"play {AT} {X} --move 1 --json", "It is not your turn. Wait for the other player's move."),
        Row(f"play {AT} {STRANGER} --move 1 --json", "It is not your turn."),
        Row(f"play {AT} {O} --move 5 --json", "That cell is taken."),
        Row(f"play {AT} {O}", "Error: That cell is taken.", keys="5\n"),
        Row(f"play {NODE} --table $new {X} --move 5 --json", "No game is in progress at this table."),
        Row(f"play {NODE} --table $over {O} --move 9 --json", "No game is in progress at this table."),
        Row(f"play {NODE} --table $new {X} --against 0x{'0' * 40}", "The zero address cannot play"),
        Row(f"play {NODE} --table $new {X} --against $new", "The player's address is a contract, not a person's"),
    ],
    # The transaction was dropped, replaced, mined without success, or waited too long; or another one waits.
    9: [
        Row(
            typed,
            f"Another transaction of {address} is waiting in the pool, and this program did not send it.",
            f"If {what} is sent now, it replaces that transaction, which will then never be mined. Nothing was sent.",
            node={"eth_getTransactionCount": others_wait},
            keys="y\n",
        )
        for typed, what, address in (
            (STARTS, "new game", "$x"),
            (MOVES, "move 2", "$o"),
            (f"deploy {UNASKED}", "table", "$payer"),
            (f"deploy {PAYING}", "table", "$payer"),
        )
    ],
}

# These take 20 seconds, so they run beside the others.
SLOW = [
    Row(WATCH, "The node did not complete its answer within 20 s.", node=node)
    for node in ({"eth_getCode": dripping}, {"*": silent})
]
