"""What is measured: pure functions over arrays, one file per question.

`registry` binds each to its card in `graphassay.metric_cards`.
"""
