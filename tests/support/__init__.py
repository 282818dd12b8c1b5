"""What tests run on: engines, nodes, processes."""

# Seconds, where milliseconds are usual: it ends what hangs, and no busy machine needs it.
PATIENCE = 300
