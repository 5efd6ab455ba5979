import json

import pytest

from waranalysis.cli import run


def test_json_is_the_contract(capsys):
    assert run(["order", "9", "--capture", "winner-first", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "waranalysis/order/1"
    assert (told["n"], told["capture"], told["deals"]) == (9, "winner-first", 362880)
    assert (told["never"], told["nodes"], told["longest"]) == (218680, 587, 28)
    assert told["cycle_lengths"] == {"20": 98503, "30": 120177}


def test_same_bytes_whatever_the_workers(capsys):
    texts = set()
    for workers in "123":
        assert run(["order", "12", "--json", "--workers", workers]) == 0
        texts.add(capsys.readouterr().out)
    assert len(texts) == 1


def test_table_and_csv(capsys):
    assert run(["order", "5", "--detail", "battles"]) == 0
    assert "120 deals; 30 never end" in capsys.readouterr().out
    assert run(["order", "5", "--detail", "battles", "--csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "outcome,battles,period,deals"
    assert "never ends,,6,30" in lines


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["25"], 2, "25 cards: expected 1 to 24"),
        (["x"], 2, "'x'"),
        (["6", "--split", "4/3"], 2, "'4/3'"),
        (["6", "--capture", "shuffled"], 2, "waranalysis chance"),
        (["6", "--rules", "by-rank"], 2, "by-rank"),
        (["6", "--rules", "automatic"], 2, "automatic_rank = 2"),
        (["6", "--memory", "much"], 2, "'much': expected bytes such as 500M"),
        (["6", "--dask", "tcp://x:1", "--scratch", "x"], 2, "--dask and --scratch exclude"),
        (["15", "--memory", "1M"], 3, "too little for 15 cards"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(capsys, arguments, code, told):
    assert run(["order", *arguments]) == code
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
