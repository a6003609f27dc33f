"""References that a generator is compared with, made from real graphs and a seed."""
