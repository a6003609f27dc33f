import json
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphassay import results
from graphassay.errors import UnreadableFile
from graphassay.results import AuditResult, Estimate, Undefined

st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))


def _few(kind: type, n: int = 1) -> st.SearchStrategy:
    return st.lists(st.from_type(kind), max_size=n).map(tuple)


def _by(kind: type) -> st.SearchStrategy:
    return st.dictionaries(st.text(max_size=5), st.from_type(kind), max_size=1)


audits = st.builds(
    AuditResult,
    inputs=_by(results.SetSummary),
    copying=_by(results.CopyRates),
    alignment=st.builds(results.Alignment, metrics=_by(results.MetricComparison)),
    strata=_few(results.Stratum),
    galleries=st.builds(
        results.Galleries,
        scatter=_few(results.PatternRecord),
        most_missing=_few(results.PatternRecord),
        most_invented=_few(results.PatternRecord),
        memorized=_few(results.GraphRecord),
        novel=_few(results.GraphRecord),
    ),
    sensitivity=_few(results.SensitivityRow),
    schema_version=st.just(results.SCHEMA_VERSION),
)


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(audits)
def test_json_brings_back_the_same_result(result: AuditResult) -> None:
    text = results.dumps(result)
    assert results.loads(text) == result

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} in JSON")

    json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        results.dumps(Estimate(number, 0.0, 1.0, 1, "x"))


def test_undefined_is_an_object_with_the_reason() -> None:
    text = results.dumps(Estimate(Undefined("no records"), 0.0, 1.0, 0, "Wilson"))
    assert json.loads(text)["value"] == {"undefined": "no records"}


def test_what_is_no_result_is_refused_in_one_line(tmp_path: Path) -> None:
    for text, message in (
        ("{", "not JSON"),
        ("[]", "expected the results.json of an audit"),
        ('{"schema_version": 99}', "expected schema version 2, got 99"),
        ('{"schema_version": 2}', "the field 'name' is missing"),
    ):
        with pytest.raises(UnreadableFile, match=message):
            results.loads(text)
    with pytest.raises(UnreadableFile, match="No such file"):
        results.load(tmp_path)
    (tmp_path / "results.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFile, match="not a text file"):
        results.load(tmp_path)
