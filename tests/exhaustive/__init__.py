"""Everything there is to try, on the bytecode in pyrevm, against the rules in plain Python."""
