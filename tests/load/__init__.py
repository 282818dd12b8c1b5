"""Many games by many people at one table, on a node that reorganises and restarts."""
