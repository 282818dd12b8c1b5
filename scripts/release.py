"""`ape run release`: everything that a release consists of, in one folder that anybody can check by compiling again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parent.parent
CONTRACT = "contracts/TicTacToe.vy"
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
        return dict(next(iter(compile_files([str(root / CONTRACT)], formats, paths=[str(root)]).values())))

    # The compiler gives its standard JSON only by itself.
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
        "TicTacToe.input.json": pretty(standard_input),
        "TicTacToe.storage.json": pretty(output["layout"]),
        "release.json": pretty(facts),
    }


def differences(folder: Path) -> list[str]:
    """What in a bundle is not what its own standard JSON input compiles to, file by file."""
    from vyper.cli.vyper_json import compile_json

    standard_input = json.loads((folder / "TicTacToe.input.json").read_text())
    standard_input["settings"]["outputSelection"] = {"*": ["abi", "evm.bytecode", "evm.deployedBytecode"]}
    contracts = compile_json(standard_input)["contracts"]
    output = next(iter(next(iter(contracts.values())).values()))
    facts = json.loads((folder / "release.json").read_text())
    creation, runtime = output["evm"]["bytecode"]["object"], output["evm"]["deployedBytecode"]["object"]
    found = {
        "TicTacToe.abi.json": json.loads((folder / "TicTacToe.abi.json").read_text()) == output["abi"],
        "TicTacToe.bin": (folder / "TicTacToe.bin").read_text().strip() == creation,
        "TicTacToe.runtime.bin": (folder / "TicTacToe.runtime.bin").read_text().strip() == runtime,
        "release.json": facts["creationBytecode"] == sha256(creation) and facts["runtimeBytecode"] == sha256(runtime),
        "integrity": facts["integrity"] == standard_input.get("integrity"),
    }
    return [f"{name} is not what the bundle's own input compiles to" for name, same in found.items() if not same]


def sha256(hexadecimal: str) -> str:
    return hashlib.sha256(bytes.fromhex(hexadecimal.removeprefix("0x"))).hexdigest()


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"
