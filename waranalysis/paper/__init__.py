"""Papers made from data: a folder in, figures, tables, numbers and a PDF out.

A paper is a folder with

- ``generate.toml``: the commands that make its data, slow, each once;
- ``data/`` and ``certificates/``: what they wrote;
- ``content.py``: ``numbers(book)``, ``TABLES`` and ``FIGURES``, what is taken from them, fast;
- ``paper.tex``: the text, with ``\\num{name}`` in place of every result.

What is built goes to ``build/``: the same data give the same bytes.
"""

from waranalysis.paper.book import Book, Source
from waranalysis.paper.builder import Built, build
from waranalysis.paper.folder import Paper, papers_in

__all__ = ["Book", "Built", "Paper", "Source", "build", "papers_in"]
