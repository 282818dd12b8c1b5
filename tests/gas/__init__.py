"""What the transactions of fixed games cost under two price lists, and the floor that no such contract can go below."""
