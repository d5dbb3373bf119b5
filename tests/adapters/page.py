"""The code of docs/adapters.md."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/adapters.md"


def run_example(adapter: str, model: object) -> None:
    """Run the example of an adapter as it stands, with this model."""
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (code,) = [block for block in blocks if f"from cloche.adapters.{adapter} import" in block]
    assert len(list(filter(None, code.splitlines()))) <= 10
    exec(compile(code, str(PAGE), "exec"), {"model": model, "__name__": "__main__"})
