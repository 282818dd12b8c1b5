"""An adapter for @ethereumjs/evm: a process of Node.js that runs `ethereumjs.mjs`."""

import json
import subprocess
from functools import cache
from pathlib import Path

from tests.rules.layout import refused, word
from tests.rules.positions import FORWARDER, GAME_STATE, Message, Outcome
from tests.support import PATIENCE
from tests.support.npm import npm_package
from tests.support.revm import DEPLOYER, address, forwarder

PROGRAM = Path(__file__).with_suffix(".mjs")


class EthereumJs:
    """The table in a process of its own. The fork has @ethereumjs' name for it."""

    def __init__(self, fork, creation_code):
        npm_package()
        self.process = subprocess.Popen(["node", PROGRAM, fork], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        deployer = int(DEPLOYER, 16)
        self.address, self.deployment_gas = self.run("deploy", encoded(Message(deployer, creation_code)))
        code = forwarder(int(self.address, 16))
        self.run("prepare", encoded(Message(deployer, GAME_STATE)), address(FORWARDER), "0x" + code.hex())

    def explore(self, slots, messages):
        words = ["0x" + word(slot).hex() for slot in slots]
        for reply, (game, player_o), *game_state in self.run("explore", words, list(map(encoded, messages))):
            after = int(game, 16), int(player_o, 16)
            if game_state:
                yield Outcome([self.log(*log) for log in reply], after, decoded(game_state[0]))
            else:
                yield Outcome(refused(decoded(reply)), after)

    def log(self, source, *topics_and_data):
        assert source == self.address
        *topics, data = map(decoded, topics_and_data)
        return tuple(topics), data

    def run(self, task, *parameters):
        self.process.stdin.write(json.dumps([task, *parameters]).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"{PROGRAM.name} ended with {self.process.wait(timeout=PATIENCE)}"
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.process:
            self.process.terminate()


@cache
def encoded(message):
    caller, data, through_contract = message
    return {"from": address(caller), "data": "0x" + data.hex(), "throughContract": through_contract}


@cache
def decoded(data):
    return bytes.fromhex(data[2:])
