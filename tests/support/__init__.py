"""What tests run on: engines, nodes, processes."""
