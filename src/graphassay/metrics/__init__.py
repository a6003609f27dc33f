"""What is measured: pure functions over arrays, one file per question.

`registry` knows each metric's direction, range and source.
"""
