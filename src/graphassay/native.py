"""The only importer of the C++ core: everything else imports the core's names from here."""

from graphassay._native import GraphSetView, class_ids, dfs_code_texts, min_dfs_codes

__all__ = ["GraphSetView", "class_ids", "dfs_code_texts", "min_dfs_codes"]
