"""
A move, a forfeit and a new game do to the storage what the specification says, for every caller, every argument of 256
bits and every game that the storage can hold, on the bytes that are deployed; the same proofs with a lie are refuted.
Not among them are events, named players with code of other lengths than five, and `gameState()` beyond four boards,
which another engine decodes for every history.
"""
