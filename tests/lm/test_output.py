"""What sampling says of its failures."""

import pytest

from graphassay.lm.output import reason_kind


@pytest.mark.parametrize(
    ("why", "kind"),
    [
        ("no end within 40 tokens", "no end within the limit"),
        ("token 3: expected a label, got 5", "not a linearization: expected a label"),
        (
            "token 23: expected <eos> or NEXT or (2,19,0,1,1) or (3,19,-1,0,0), got (4,8,0,1,1)",
            "not a linearization: expected <eos> or NEXT or a tuple that fits",
        ),
        (
            "token 24: expected <eos> or NEXT or (0,20,0,1,1), got (4,8,0,1,1)",
            "not a linearization: expected <eos> or NEXT or a tuple that fits",
        ),
    ],
)
def test_equal_failures_count_as_one_kind(why: str, kind: str) -> None:
    assert reason_kind(why) == kind
