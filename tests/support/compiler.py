"""The compiler's outputs for a source, each source compiled once."""

from functools import cache

from vyper.compiler import compile_code

OUTPUTS = ["abi", "bytecode", "bytecode_runtime", "devdoc", "layout", "method_identifiers", "userdoc"]


@cache
def compiled(source):
    """Every output by its name. `bytecode` is the creation code without the compiler's metadata."""
    return compile_code(source, output_formats=OUTPUTS, no_bytecode_metadata=True)


def creation_code(source):
    return bytes.fromhex(compiled(source)["bytecode"].removeprefix("0x"))
