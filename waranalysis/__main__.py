"""`python -m waranalysis` is the command line."""

from waranalysis.cli import main

main()
