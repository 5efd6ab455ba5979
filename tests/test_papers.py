"""Papers: the fast part, twice the same; what is typed in the text; what is missing."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from waranalysis.certificate import read, verify
from waranalysis.cli import run
from waranalysis.errors import FileError
from waranalysis.paper import Book, Paper, build, papers_in, tex

PAPERS = list(papers_in(Path(__file__).parent.parent / "papers"))
NAMES = [paper.name for paper in PAPERS]
# Numbers of the rules: players, ranks and suits of a deck, cards face down, halves and thirds.
RULES = {
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "8",
    "12",
    "13",
    "15",
    "16",
    "17",
    "18",
    "19",
    "20",
    "32",
    "52",
}
HAS_TEX = tex.installed()


@pytest.fixture(scope="module", params=PAPERS, ids=NAMES)
def built(request, tmp_path_factory):
    """Figures, tables and numbers of a paper."""
    paper = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tex, "installed", lambda: False)
        return paper, build(paper, tmp_path_factory.mktemp(paper.name) / "build")


def same_bytes(one: Path, two: Path) -> bool:
    """Whether two directories hold the same files."""
    names = sorted(path.name for path in one.iterdir())
    return names == sorted(path.name for path in two.iterdir()) and all(
        (one / name).read_bytes() == (two / name).read_bytes() for name in names
    )


def test_there_are_four_papers_with_all_their_data():
    assert NAMES == ["distinct", "endless", "four-suits", "random-order"]
    assert not [name for paper in PAPERS for name in paper.missing]


def test_the_fast_part_makes_figures_tables_and_numbers(built):
    paper, made = built
    content = paper.content()
    figures = {f"{name}.pdf" for name in content.FIGURES}
    tables = {f"{name}.tex" for name in content.TABLES}
    assert set(made.files) == figures | tables | {"numbers.tex", "numbers.json", "sources.tex"}
    assert not made.pdf


def test_every_number_has_a_file_and_a_command(built):
    paper, made = built
    record = json.loads((made.directory / "numbers.json").read_text())
    assert record["paper"] == paper.name
    for number in record["numbers"]:
        assert (paper.root / number["file"]).is_file()
        assert number["command"]
        assert number["field"]
        assert all((paper.root / name).is_file() for name in number["certificates"])


def test_every_number_of_the_text_is_defined(built):
    paper, made = built
    defined = set(re.findall(r"\\setnumber\{(.*?)\}", (made.directory / "numbers.tex").read_text()))
    used = set(re.findall(r"\\num\{(.*?)\}", paper.text))
    assert used <= defined
    assert len(used) > 20


def prose(text: str) -> str:
    """The text between title and references, without what is no prose."""
    body = text.partition(r"\begin{document}")[2].partition(r"\begin{thebibliography}")[0]
    for command in ("num", "src", "cite", "ref", "label", "input", "includegraphics", "deal"):
        body = re.sub(rf"\\{command}\*?(\[.*?\])?\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}", " ", body)
    return re.sub(r"OEIS A\d+|arXiv:\S+|\b(19|20)\d\d\b|95\\,\\%", " ", body)


@pytest.mark.parametrize("paper", PAPERS, ids=NAMES)
def test_no_result_is_typed_by_hand(paper):
    typed = set(re.findall(r"\d[\d.,{}]*\d|\d", prose(paper.text)))
    assert typed <= RULES


@pytest.mark.parametrize("paper", PAPERS, ids=NAMES)
def test_certificates_hold(paper):
    for path in sorted((paper.folder / "certificates").glob("*.json")):
        assert verify(read(path.read_text())) is None, path


@pytest.mark.skipif(not HAS_TEX, reason="needs pdflatex")
@pytest.mark.parametrize(
    "paper",
    [PAPERS[-1], *(pytest.param(paper, marks=pytest.mark.slow) for paper in PAPERS[:-1])],
    ids=lambda paper: paper.name,
)
def test_the_pdf_is_the_same_twice_and_nothing_sticks_out(paper, tmp_path):
    one, two = (build(paper, tmp_path / name) for name in ("one", "two"))
    assert one.pdf
    assert one.warnings == ()
    assert (one.directory / "paper.pdf").read_bytes().startswith(b"%PDF")
    assert same_bytes(one.directory, two.directory)


def test_a_failure_leaves_the_old_build(tmp_path):
    folder = tmp_path / "papers" / "bad"
    folder.mkdir(parents=True)
    (folder / "generate.toml").write_text("[steps]\n")
    (folder / "content.py").write_text("def numbers(book):\n    raise KeyboardInterrupt\n")
    (folder / "paper.tex").write_text("\\title{Bad}\n")
    (folder / "build").mkdir()
    (folder / "build" / "old").touch()
    with pytest.raises(KeyboardInterrupt):
        build(Paper.open(folder))
    assert [path.name for path in (folder / "build").iterdir()] == ["old"]
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_without_tex_there_is_one_line_and_the_rest(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "papers" / "small"
    folder.mkdir(parents=True)
    (folder / "generate.toml").write_text("[steps]\n")
    (folder / "content.py").write_text("numbers = lambda book: None\nTABLES = FIGURES = {}\n")
    (folder / "paper.tex").write_text("\\title{Small}\n")
    monkeypatch.setattr(tex, "installed", lambda: False)
    assert run(["paper", "build", str(folder)]) == 3
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert "pdflatex is missing" in err
    names = ["numbers.json", "numbers.tex", "sources.tex"]
    assert out.splitlines() == [str(folder / "build" / name) for name in names]


def test_without_matplotlib_there_is_one_line_and_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("waranalysis.paper.builder.find_spec", lambda name: None)
    assert run(["paper", "build", str(PAPERS[0].folder)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "Error: figures need matplotlib: pip install 'waranalysis[papers]'\n"


def test_what_is_no_paper(tmp_path, capsys):
    assert run(["paper", "build", str(tmp_path)]) == 2
    assert "is no paper: expected generate.toml" in capsys.readouterr().err
    assert run(["paper", "list", str(tmp_path / "none")]) == 2
    assert "no directory" in capsys.readouterr().err


def test_data_that_are_not_there(tmp_path):
    folder = tmp_path / "papers" / "new"
    folder.mkdir(parents=True)
    (folder / "generate.toml").write_text('[steps]\n"a.json" = "enumerate 2x1"\n')
    (folder / "content.py").touch()
    (folder / "paper.tex").touch()
    paper = Paper.open(folder)
    assert paper.missing == ["a.json"]
    with pytest.raises(FileError, match="has not been made"):
        Book(paper).step("a.json")
    with pytest.raises(FileError, match=r"no step 'b\.json'"):
        Book(paper).step("b.json")


def test_generate_runs_what_is_missing_and_certifies(tmp_path, capsys):
    folder = tmp_path / "papers" / "new"
    folder.mkdir(parents=True)
    (folder / "generate.toml").write_text(
        '[steps]\n"five.json" = "enumerate 5x1 --resume {scratch}"\n"one.csv" = "enumerate 1x1"\n'
    )
    (folder / "content.py").touch()
    (folder / "paper.tex").touch()
    assert run(["paper", "generate", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == ["data/five.json", "data/one.csv"]
    book = Book(Paper.open(folder))
    five = book.step("five.json")
    assert five["never"] == 30
    assert [Path(name).name for name in five.certificates] == [
        "five_longest.json",
        "five_loop.json",
    ]
    assert book.number(five, "never", of="deals") == "\\sourced{S1}{1/4}"
    assert run(["paper", "generate", str(folder)]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "name",
    [
        "distinct/winner-first-9.json",
        "four-suits/natural-2x4.json",
        "random-order/fixed-1.json",
        "random-order/coin-5-3.json",
    ],
)
def test_data_come_out_again(name, tmp_path, monkeypatch):
    folder, file = name.split("/")
    (paper,) = [paper for paper in PAPERS if paper.name == folder]
    monkeypatch.chdir(paper.folder)
    words = shlex.split(paper.command(file))
    assert run([*words[1:], "-o", str(tmp_path / file)]) == 0
    assert (tmp_path / file).read_bytes() == paper.data(file).read_bytes()


def test_paper_list(capsys):
    assert run(["paper", "list", str(PAPERS[0].folder.parent), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [paper["paper"] for paper in record["papers"]] == NAMES
    assert all(paper["data"] == paper["of"] for paper in record["papers"])
