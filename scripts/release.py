"""`ape run release`: everything that a release consists of, in one folder that anybody can check by compiling again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parent.parent
CONTRACT = "contracts/TicTacToe.vy"
INPUT = "TicTacToe.input.json"
FORMATS = ("bytecode", "bytecode_runtime", "abi", "layout", "integrity")


@click.command()
@click.option(
    "--check", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Compile this bundle again."
)
@click.argument("folder", type=click.Path(path_type=Path), default=ROOT / "dist")
def cli(check: Path | None, folder: Path) -> None:
    """Write ABI, standard JSON input, bytecode, integrity hash and compiler version into FOLDER (dist)."""
    if check is not None:
        if told := differences(check):
            raise click.ClickException("; ".join(told))
        click.echo(f"{check} compiles to exactly what it holds.")
        return
    bundle = make()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in bundle.items():
        (folder / name).write_text(text)
        click.echo(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}")
    click.echo(f"`ape run release --check {folder}` compiles them again.", err=True)


def make(root: Path = ROOT) -> dict[str, str]:
    """The files of a bundle, from the sources under `root`."""
    from vyper.cli.vyper_compile import compile_files

    def compiled(formats: list[str]) -> dict[str, Any]:
        return dict(next(iter(compile_files([CONTRACT], formats, paths=["."]).values())))

    # From within: the standard JSON names the sources as seen from where the compiler runs. It comes only by itself.
    with contextlib.chdir(root):
        return files(compiled(list(FORMATS)), compiled(["solc_json"])["solc_json"])


def files(output: dict[str, Any], standard_input: dict[str, Any]) -> dict[str, str]:
    import vyper

    facts = {
        "contract": "TicTacToe",
        "compiler": f"vyper {vyper.__long_version__}",
        "settings": standard_input["settings"],
        "integrity": output["integrity"],
        "creationBytecode": sha256(output["bytecode"]),
        "runtimeBytecode": sha256(output["bytecode_runtime"]),
    }
    return {
        "TicTacToe.abi.json": pretty(output["abi"]),
        "TicTacToe.bin": output["bytecode"] + "\n",
        "TicTacToe.runtime.bin": output["bytecode_runtime"] + "\n",
        INPUT: pretty(standard_input),
        "TicTacToe.storage.json": pretty(output["layout"]),
        "release.json": pretty(facts),
    }


def differences(folder: Path) -> list[str]:
    """The files of a bundle that are not, byte for byte, what the source in its own standard JSON input makes."""
    from vyper.exceptions import VyperException

    try:
        source = json.loads((folder / INPUT).read_text())["sources"][CONTRACT]["content"]
    except (OSError, ValueError, LookupError, TypeError):
        return [f"{INPUT} is missing, or holds no source of {CONTRACT}"]
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / CONTRACT).parent.mkdir()
        (Path(root) / CONTRACT).write_bytes(source.encode())
        try:
            bundle = make(Path(root))
        except VyperException as err:
            return [f"{INPUT} holds a source that does not compile ({type(err).__name__})"]
    return [
        f"{name} is not what the bundle's own input compiles to"
        for name, text in bundle.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != text.encode()
    ]


def sha256(hexadecimal: str) -> str:
    return hashlib.sha256(bytes.fromhex(hexadecimal.removeprefix("0x"))).hexdigest()


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"
