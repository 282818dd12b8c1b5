"""The rules of the game, what they look like in storage and logs, and the games that tests share."""
