"""Give a sandbox a folder of yours to read, and take a file out of it."""

import tempfile
from pathlib import Path

import cloche

with tempfile.TemporaryDirectory() as folder:
    data = Path(folder, "data")
    data.mkdir()
    (data / "words.txt").write_text("glass\nbell\ngarden\n")

    with cloche.SyncSandbox(mounts=[cloche.Mount(data, "/mnt/data", read_only=True)]) as box:
        box.bash("sort /mnt/data/words.txt > sorted.txt", check=True)
        box.download("sorted.txt", Path(folder, "sorted.txt"))
        refused = box.bash("echo weed >> /mnt/data/words.txt")

    print(Path(folder, "sorted.txt").read_text(), end="")
    print("writing to a read-only mount:", "worked" if refused.ok else "refused")
