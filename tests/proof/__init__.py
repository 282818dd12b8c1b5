"""
A move, a forfeit and a new game do to the storage what the specification says, for every caller, every argument of 256
bits and every game that the storage can hold, on the bytes that are deployed; the same proofs with a lie are refuted.

Not proved: events, which halmos cannot read, and `gameState()` of every board: it is proved for four of them with any
number, players and status, and decoded by another engine for a seventh of all histories (`test_decoding.py`).
"""
