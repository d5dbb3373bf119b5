"""Actions and observations with any contents, for tests of laws."""

from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import Struct, inspect

from cloche.events.event import Body, Status
from cloche.events.registry import ACTIONS, OBSERVATIONS

texts = st.text(st.characters(codec="utf-8"), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def bodies() -> st.SearchStrategy[Body]:
    """Every kind with every field filled."""
    kinds: list[type[Struct]] = [*ACTIONS.values(), *OBSERVATIONS.values(), Status]
    return st.one_of([_struct(kind) for kind in kinds])  # pyright: ignore[reportReturnType]: kinds are those of Body


def _struct(kind: type[Struct]) -> st.SearchStrategy[Struct]:
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return st.builds(kind, **{field.name: _values(field.type) for field in info.fields})


def _values(of: inspect.Type) -> st.SearchStrategy[Any]:
    match of:
        case inspect.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case inspect.ListType(item_type=item):
            return st.lists(_values(item), max_size=3)
        case inspect.DictType(value_type=value):
            return st.dictionaries(texts, _values(value), max_size=3)
        case inspect.StructType(cls=cls):
            return _struct(cls)
        case inspect.UnionType(types=types):
            return st.one_of([_values(each) for each in types])
        case _:
            return _PLAIN[type(of)]


_PLAIN: dict[type[inspect.Type], st.SearchStrategy[Any]] = {
    inspect.AnyType: values,
    inspect.BoolType: st.booleans(),
    inspect.FloatType: st.floats(allow_nan=False, allow_infinity=False),
    inspect.IntType: st.integers(-(2**53), 2**53),
    inspect.NoneType: st.none(),
    inspect.StrType: texts,
}
