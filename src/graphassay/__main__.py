"""``python -m graphassay`` is the command line."""

from graphassay.cli import main

main()
