"""The specification holds for every caller, every argument of 256 bits and every word of storage, on the bytes that are
deployed; the same proofs with a lie in the specification are refuted."""
