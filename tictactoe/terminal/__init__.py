"""Everything that draws, reads a key or asks a question: what the commands are made of."""
