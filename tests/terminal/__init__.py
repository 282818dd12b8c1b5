"""
The commands `play`, `deploy` and `watch` as people run them: processes on the embedded chain and on real nodes, and
every failure's sentence.
"""
