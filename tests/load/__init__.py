"""A thousand games by many people on one node that reorganises and restarts: the logs rebuild every game, storage stays
two slots, and the thousandth game costs what the second did."""
