"""How the report writes numbers: one format for each kind, the same everywhere.

An undefined number is always written as ``undefined: <reason>``.
"""

import math

from graphassay.results import Distribution, Estimate, Undefined, Value

MINUS = "\N{MINUS SIGN}"
NBSP = "\N{NO-BREAK SPACE}"


def defined(value: Value | None) -> float | None:
    """The number as a plain float, or None where it does not exist (for plotting only)."""
    if value is None or isinstance(value, Undefined):
        return None
    return float(value)


def number(value: Value, digits: int = 3) -> str:
    """A metric: fixed decimals, a true minus sign; a small non-zero value keeps one digit.

    Example:
        >>> number(0.93349), number(-0.2), number(0.00004), number(Undefined("no draws"))
        ('0.933', '−0.200', '0.00004', 'undefined: no draws')
    """
    if isinstance(value, Undefined):
        return f"undefined: {value.reason}"
    if value != 0 and abs(value) < 0.5 * 10**-digits:
        text = f"{value:.5f}" if abs(value) >= 1e-5 else f"{value:.0e}"
        return text.replace("-", MINUS)
    return f"{value + 0.0:,.{digits}f}".replace("-", MINUS)


def percent(value: Value) -> str:
    r"""A share (0-1) in per cent, unbroken; never rounds something to 0 % or to 100 %.

    Example:
        >>> percent(0.4312), percent(0.0), percent(0.00002), percent(0.99999)
        ('43.1\xa0%', '0\xa0%', '0.002\xa0%', '>\xa099.9\xa0%')
    """
    if isinstance(value, Undefined):
        return f"undefined: {value.reason}"
    scaled = 100 * value
    if scaled == 0:
        text = "0 %"
    elif scaled == 100:
        text = "100 %"
    elif 0 < abs(scaled) < 1e-4:
        text = "< 0.0001 %"
    elif abs(scaled) < 0.05:
        text = f"{scaled:.1g} %"
    elif 99.95 < scaled < 100:
        text = "> 99.9 %"
    else:
        text = f"{scaled:.1f} %"
    return text.replace(" ", NBSP).replace("-", MINUS)


def count(value: float) -> str:
    """A count with thousands separators; a mean over runs keeps one decimal."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def signed(value: Value, digits: int = 3) -> str:
    """A difference, with its sign."""
    text = number(value, digits)
    return text if isinstance(value, Undefined) or value <= 0 else f"+{text}"


def interval(estimate: Estimate | Distribution, *, share: bool = False) -> str:
    """``low to high``, or why there is none."""
    write = percent if share else number
    low, high = estimate.low, estimate.high
    if isinstance(low, Undefined):
        return f"no interval: {low.reason}"
    if isinstance(high, Undefined):
        return f"no interval: {high.reason}"
    return f"{write(low)} to {write(high)}"


def spread(mean: Value, sd: Value, *, share: bool = False) -> str:
    r"""A mean and the standard deviation behind it.

    Example:
        >>> spread(0.25, 0.012), spread(0.25, Undefined("one seed"))
        ('0.250 ± 0.012', '0.250')
    """
    write = percent if share else number
    if isinstance(mean, Undefined) or isinstance(sd, Undefined):
        return write(mean)
    return f"{write(mean)} ± {percent(sd) if share else deviation(sd)}"


def deviation(sd: float, digits: int = 3) -> str:
    """A standard deviation in the digits of its mean; a smaller one is said to be smaller.

    Example:
        >>> deviation(0.0123), deviation(2e-6), deviation(0.0)
        ('0.012', '<0.001', '0.000')
    """
    return f"<{10**-digits:g}" if 0 < sd < 0.5 * 10**-digits else number(sd, digits)


def magnitude(value: float) -> str:
    r"""A large count in thousands, millions or billions.

    Example:
        >>> magnitude(10_512_000), magnitude(8), magnitude(79_990), magnitude(80_000_000)
        ('10.5\xa0M', '8', '80\xa0k', '80\xa0M')
    """
    for scale, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= scale:
            return f"{value / scale:.1f}".removesuffix(".0") + NBSP + unit
    return count(value)


def p_value(value: Value) -> str:
    """The p of a test, never 0.

    Example:
        >>> p_value(0.0312), p_value(1e-30)
        ('p = 0.031', 'p < 0.0001')
    """
    if isinstance(value, Undefined):
        return f"p {number(value)}"
    return "p < 0.0001" if value < 1e-4 else f"p = {number(value)}"


def duration(seconds: float) -> str:
    """Seconds, or minutes and seconds."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds >= 0.1 else f"{1000 * seconds:.0f} ms"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def option(value: int | float | str | bool | None) -> str:
    """A setting of the audit, in words."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def finite(values: tuple[Value, ...]) -> list[float]:
    """The defined values, in order."""
    return [v for v in map(defined, values) if v is not None and math.isfinite(v)]
