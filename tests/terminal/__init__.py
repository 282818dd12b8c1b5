"""The commands `play`, `deploy` and `watch` as people run them, and every failure's sentence."""
