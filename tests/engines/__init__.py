"""The positions on another engine than pyrevm, so that a bug in one engine is not mistaken for a bug in the contract.

On @ethereumjs/evm, which shares no code with pyrevm, under the rules of two forks.
"""
