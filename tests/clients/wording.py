"""The message that each client makes of a reason."""

WORDING = {
    "viem": 'The contract function "{name}" reverted with the following reason:\n{reason}',
    "ethers": 'execution reverted: "{reason}"',
    "web3.py": "execution reverted: {reason}",
}
