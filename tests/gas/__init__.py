"""What each transaction of fixed games costs, beside the floor below which no such contract can go."""
