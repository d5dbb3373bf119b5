"""An extension of the reference: shows defaults by their values, and the options of a sandbox where they are taken."""

import ast
import inspect
from importlib import import_module
from typing import Any

import griffe

from cloche.options import OPTIONS, SandboxOptions


class ShowValues(griffe.Extension):
    """Puts 30.0 in the place of TIMEOUT; UNSET, which stands for what was given before, stays a name."""

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Look at the parameters of a function or method."""
        list_options(func)
        for parameter in func.parameters:
            parameter.default = find_value(parameter.default, func.module.path)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Look at the default of a field."""
        if attr.parent is not None and attr.parent.is_class:
            attr.value = find_value(attr.value, attr.module.path)


def find_value(default: Any, module: str) -> Any:
    """The value that a name of the module has, as code; anything else as it is."""
    name = str(default)
    value = getattr(import_module(module), name, None) if name.isupper() and name != "UNSET" else None
    return repr(value) if isinstance(value, int | float | str) else default


def list_options(func: griffe.Function) -> None:
    """Put the options of a sandbox, as they are declared, in the place of `**options`."""
    taken = [each for each in func.parameters if each.kind is not griffe.ParameterKind.var_keyword]
    if len(taken) == len(func.parameters) or "SandboxOptions" not in str(list(func.parameters)[-1].annotation):
        return
    for name, kind in read_kinds().items():
        default = repr(OPTIONS[name].default)
        taken.append(griffe.Parameter(name, annotation=kind, kind=griffe.ParameterKind.keyword_only, default=default))
    func.parameters = griffe.Parameters(*taken)


def read_kinds() -> dict[str, str]:
    """The types of the options as they are written down, without what else their declarations say."""
    (declared,) = ast.parse(inspect.getsource(SandboxOptions)).body
    fields = [node for node in declared.body if isinstance(node, ast.AnnAssign)]
    return {each.target.id: ast.unparse(each.annotation.slice.elts[0]).replace("'", "") for each in fields}
