"""viem, ethers, web3.py and cast play whole games on one node, decode every event and state, and tell each reason."""
