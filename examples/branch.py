"""Save a sandbox after a long computation and go on from there several times."""

import tempfile
from pathlib import Path

import cloche

with tempfile.TemporaryDirectory() as folder:
    saved = Path(folder, "after-training.cloche")
    with cloche.SyncSandbox() as box:
        box.run("weights = [n * n % 7 for n in range(1000)]  # imagine that this took an hour")
        box.write("notes.txt", "trained\n")
        box.save(saved)

    for step in (2, 3, 5):
        with cloche.SyncSandbox(from_=saved) as box:
            result = box.run(f"sum(weights[::{step}])", check=True)
            print(f"every {step}.: {result.value}, notes: {box.read('notes.txt').decode().strip()}")
