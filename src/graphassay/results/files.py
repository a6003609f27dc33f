"""Results as JSON text, and back."""

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from graphassay.errors import InvalidInput, UnreadableFile
from graphassay.results.audit import SCHEMA_VERSION, AuditResult
from graphassay.results.values import Undefined

R = TypeVar("R")


def dumps(record: Any) -> str:
    """JSON text of a record, keys in field order, 2-space indent; refuses NaN and infinity."""
    return json.dumps(_encode(record), indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def encode(record: Any) -> Any:
    """A record, or a tuple or mapping of records, as plain JSON data; `decode` is the inverse."""
    return _encode(record)


def decode(kind: type[R], data: Any, *, source: str) -> R:
    """The record that `encode` wrote.

    Raises:
        UnreadableFile: fields missing or of a wrong type.
    """
    try:
        record: R = _decode(kind, data, source)
    except InvalidInput as error:
        raise UnreadableFile(str(error)) from None
    return record


def loads(text: str, *, source: str = "results") -> AuditResult:
    """The audit that `dumps` wrote.

    Raises:
        UnreadableFile: not JSON, another schema version, or fields missing or of a wrong type.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise UnreadableFile(f"{source}: not JSON ({error})") from None
    if not isinstance(data, dict) or "schema_version" not in data:
        raise UnreadableFile(f"{source}: expected the results.json of an audit")
    if data["schema_version"] != SCHEMA_VERSION:
        raise UnreadableFile(
            f"{source}: expected schema version {SCHEMA_VERSION}, got {data['schema_version']!r}; "
            "run the audit again with this version of graphassay"
        )
    try:
        result = _decode(AuditResult, data, source)
    except InvalidInput as error:
        raise UnreadableFile(str(error)) from None
    assert isinstance(result, AuditResult)
    return result


def load(path: str | Path) -> AuditResult:
    """Read a ``results.json`` (or the report folder that holds one)."""
    file = Path(path)
    if file.is_dir():
        file = file / "results.json"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UnreadableFile(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UnreadableFile(f"{file}: not a text file") from None
    return loads(text, source=str(file))


def _encode(value: Any) -> Any:
    if isinstance(value, Undefined):
        return {"undefined": value.reason}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    return value


def _decode(kind: Any, data: Any, where: str) -> Any:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(typing.get_args(kind), data, where)
    if origin is Literal:
        if data in typing.get_args(kind):
            return data
        raise InvalidInput(f"{where}: expected one of {typing.get_args(kind)}, got {data!r}")
    if kind is Undefined:
        if isinstance(data, dict) and set(data) == {"undefined"}:
            return Undefined(data["undefined"])
        raise InvalidInput(f"{where}: expected an undefined value, got {data!r}")
    if dataclasses.is_dataclass(kind):
        return _decode_record(kind, data, where)
    if origin is tuple:
        return _decode_tuple(typing.get_args(kind), data, where)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise InvalidInput(f"{where}: expected an object, got {data!r}")
        item = typing.get_args(kind)[1]
        return {key: _decode(item, value, f"{where}.{key}") for key, value in data.items()}
    return _decode_scalar(kind, data, where)


def _decode_scalar(kind: Any, data: Any, where: str) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if kind is type(None) and data is None:
        return None
    if isinstance(kind, type) and type(data) is kind:
        return data
    raise InvalidInput(f"{where}: expected {getattr(kind, '__name__', kind)}, got {data!r}")


def _decode_union(options: tuple[Any, ...], data: Any, where: str) -> Any:
    # An exact type first, so that int | float keeps an int an int.
    for option in options:
        if isinstance(option, type) and type(data) is option:
            return data
    for option in options:
        try:
            return _decode(option, data, where)
        except InvalidInput:
            continue
    raise InvalidInput(f"{where}: got {data!r}, which fits none of {options}")


def _decode_record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise InvalidInput(f"{where}: expected an object, got {data!r}")
    hints = typing.get_type_hints(kind)
    values = {}
    for f in dataclasses.fields(kind):
        if f.name in data:
            values[f.name] = _decode(hints[f.name], data[f.name], f"{where}.{f.name}")
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise InvalidInput(f"{where}: the field {f.name!r} is missing")
    return kind(**values)


def _decode_tuple(items: tuple[Any, ...], data: Any, where: str) -> Any:
    if not isinstance(data, list):
        raise InvalidInput(f"{where}: expected a list, got {data!r}")
    if len(items) == 2 and items[1] is Ellipsis:
        return tuple(_decode(items[0], item, f"{where}[{i}]") for i, item in enumerate(data))
    if len(items) != len(data):
        raise InvalidInput(f"{where}: expected {len(items)} items, got {len(data)}")
    return tuple(
        _decode(kind, item, f"{where}[{i}]")
        for i, (kind, item) in enumerate(zip(items, data, strict=True))
    )
