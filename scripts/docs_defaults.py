"""An extension of the reference: shows a default by its value where the code has a name for it."""

from importlib import import_module
from typing import Any

import griffe


class ShowValues(griffe.Extension):
    """Puts 30.0 in the place of TIMEOUT; SAME, which stands for what was given before, stays a name."""

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Look at the parameters of a function or method."""
        for parameter in func.parameters:
            parameter.default = find_value(parameter.default, func.module.path)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Look at the default of a field."""
        if attr.parent is not None and attr.parent.is_class:
            attr.value = find_value(attr.value, attr.module.path)


def find_value(default: Any, module: str) -> Any:
    """The value that a name of the module has, as code; anything else as it is."""
    name = str(default)
    value = getattr(import_module(module), name, None) if name.isupper() and name != "SAME" else None
    return repr(value) if isinstance(value, int | float | str) else default
