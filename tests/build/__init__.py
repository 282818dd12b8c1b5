"""The compiler makes the same bytes everywhere."""
