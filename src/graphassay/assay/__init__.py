"""Protocols: they call the miner, the metrics and the baselines, and return results."""
