"""The rules of the game, the bytes that a game has on chain, and the judge that compares them with an engine's."""
