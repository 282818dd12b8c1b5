"""
A thousand games by many people on a node that reorganises and restarts: the events rebuild every game, storage stays
two slots, and game 1,000 costs what game 2 costs.
"""
