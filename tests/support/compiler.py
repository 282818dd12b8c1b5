"""The compiler's outputs for a source, each source compiled once."""

from functools import cache
from typing import Any

from vyper.compiler import compile_code

OUTPUTS = ["abi", "bytecode", "bytecode_runtime", "devdoc", "layout", "method_identifiers", "userdoc"]


@cache
def compiled(source: str) -> dict[str, Any]:
    """Every output by its name. `bytecode` is the creation code without the compiler's metadata."""
    outputs: dict[str, Any] = compile_code(source, output_formats=OUTPUTS, no_bytecode_metadata=True)
    return outputs


def creation_code(source: str) -> bytes:
    return bytes.fromhex(compiled(source)["bytecode"].removeprefix("0x"))
