"""The page in a real browser, on a real node and on the practice chain: every feature, refusal and fault."""
