"""Use packages from the index: the host fetches them, the sandbox has no network."""

import cloche

CODE = """
from pydantic import BaseModel, ValidationError

class Plant(BaseModel):
    name: str
    height: float

print(Plant.model_validate_json('{"name": "fern", "height": 0.4}'))
try:
    Plant(name="oak", height="tall")
except ValidationError as error:
    print(error.errors()[0]["msg"])
"""

with cloche.SyncSandbox(packages=["pydantic"]) as box:
    print(box.run(CODE, check=True).stdout, end="")
