"""
A move, a forfeit and a new game leave in the storage what the specification says, for every caller,
every argument of 256 bits and every storage that the table can hold, on the bytes that are deployed. The same proofs
with a lie in the specification are refuted. `gameState()` is not proved but compared for every history.
What the proofs assume and leave out is at the head of `Proof.sol`.
"""
