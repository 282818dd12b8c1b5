"""Every position, every game, and games at random, on the deployed bytecode against the rules in plain Python."""
