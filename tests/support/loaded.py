"""Loads what every command loads. Only the process that `commands.py` copies imports it."""

import io
from contextlib import redirect_stderr, redirect_stdout

import ape
from ape._cli import cli

with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
    cli(["run", "--help"], standalone_mode=False)  # runs each script, to find its command
    ape.project.TicTacToe  # noqa: B018 - compiles, if nothing has
    with ape.networks.parse_network_choice("ethereum:local:test"):
        pass
