"""For every caller, every argument of 256 bits and every storage that the table can hold: what `Proof.sol` claims."""
