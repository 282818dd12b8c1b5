"""Sourcify publishes the source of a contract after compiling it and comparing the bytes. It asks for no key."""

from __future__ import annotations

import json
import os
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import ape

from tictactoe import errors
from tictactoe.table import CONTRACT, contract_type

if TYPE_CHECKING:
    from eth_typing import ChecksumAddress

PAUSE = 2.0  # seconds between two questions about a job


def server() -> str:
    """Sourcify's own server, unless SOURCIFY_SERVER names another one that has the API v2."""
    return os.environ.get("SOURCIFY_SERVER", "https://sourcify.dev/server").rstrip("/")


def verify(chain_id: int, address: ChecksumAddress, transaction: str = "", patience: float = 600.0) -> None:
    """
    Let Sourcify verify the source of a table. Raise `errors.NotVerified` if it does not.

    The runtime code has to match. The creation code need not, and does not: it is sent without the metadata that
    Sourcify's compiler appends.
    """
    build = standard_json_input()
    question = {
        "stdJsonInput": build,
        "compilerVersion": build["compiler_version"].removeprefix("v"),
        "contractIdentifier": f"{_source()}:{CONTRACT}",
    }
    if transaction:
        question["creationTransactionHash"] = transaction
    status, answer = _ask("POST", f"{server()}/v2/verify/{chain_id}/{address}", question)
    if status == HTTPStatus.CONFLICT:
        return  # it is verified already
    if status != HTTPStatus.ACCEPTED:
        raise errors.NotVerified(_refusal(status, answer))
    job = answer.get("verificationId")
    if not isinstance(job, str) or not re.fullmatch(r"[\w-]{1,64}", job):
        raise errors.NotVerified(_NONSENSE)
    _wait(job, patience)


def _wait(job: str, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        status, answer = _ask("GET", f"{server()}/v2/verify/{job}")
        if status != HTTPStatus.OK:
            raise errors.NotVerified(_refusal(status, answer))
        if answer.get("isJobCompleted") is True:
            break
        if time.monotonic() > deadline:
            raise errors.NotVerified(f"Sourcify was not done within {patience:.0f} s")
        time.sleep(min(PAUSE, patience))
    contract, error = answer.get("contract"), answer.get("error")
    if isinstance(contract, dict) and contract.get("match") in ("match", "exact_match"):
        return
    if isinstance(error, dict) and error.get("customCode") != "already_verified":
        raise errors.NotVerified(_refusal(status, error))
    if not isinstance(error, dict):
        raise errors.NotVerified(_NONSENSE)


def standard_json_input() -> dict[str, Any]:
    """The compiler's standard JSON input, as `vyper -f solc_json` prints it."""
    from vyper.compiler import compile_from_file_input
    from vyper.compiler.input_bundle import FilesystemInputBundle

    bundle = FilesystemInputBundle([ape.project.path])
    outputs = compile_from_file_input(bundle.load_file(_source()), input_bundle=bundle, output_formats=["solc_json"])
    build: dict[str, Any] = outputs["solc_json"]
    return build


def _source() -> str:
    return str(contract_type().source_id)


# -- answers -----------------------------------------------------------------------

_NONSENSE = "Sourcify returned something that its API does not describe"


def _ask(method: str, url: str, question: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
    """The status and the JSON of an answer, which has the same limits as a node's."""
    import requests
    import urllib3.exceptions

    from tictactoe.transport import check_depth, exchange

    try:
        status, body = exchange(requests.Session(), method, url, json=question)
        check_depth(body)
    except errors.AnswerTooLarge as err:
        raise errors.NotVerified("Sourcify's answer is too large") from err
    except TimeoutError as err:
        raise errors.NotVerified("Sourcify did not answer in time") from err
    except urllib3.exceptions.DecodeError as err:
        raise errors.NotVerified(_NONSENSE) from err
    except (OSError, urllib3.exceptions.HTTPError) as err:
        raise errors.NotVerified("Sourcify cannot be reached") from err
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        return status, answer
    raise errors.NotVerified(_NONSENSE if status < HTTPStatus.BAD_REQUEST else _refusal(status, {}))


def _refusal(status: int, answer: dict[str, Any]) -> str:
    message = answer.get("message")
    return f"Sourcify refused: {message}" if isinstance(message, str) else f"Sourcify failed with status {status}"
