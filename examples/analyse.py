"""Analyse a CSV file: the data goes in, a summary and a chart come out, and nothing else can."""

import tempfile
from pathlib import Path

import cloche

SALES = "month,shop,amount\n" + "".join(
    f"2026-{month:02},{shop},{(month * 37 + ord(shop[0]) * 5) % 90 + 10}\n"
    for month in range(1, 13)
    for shop in ("north", "south")
)

ANALYSIS = """
import csv, statistics
from collections import defaultdict

shops = defaultdict(list)
for row in csv.DictReader(open("sales.csv")):
    shops[row["shop"]].append(int(row["amount"]))
for shop, amounts in sorted(shops.items()):
    print(f"{shop}: sum {sum(amounts)}, median {statistics.median(amounts):g}, best {max(amounts)}")

bars = "".join(
    f'<rect x="{i * 12}" y="{100 - a}" width="10" height="{a}" fill="teal"/>' for i, a in enumerate(shops["north"])
)
open("north.svg", "w").write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 144 100">{bars}</svg>')
"""

with tempfile.TemporaryDirectory() as folder, cloche.SyncSandbox() as box:
    box.write("sales.csv", SALES)
    print(box.run(ANALYSIS, check=True).stdout, end="")
    chart = Path(folder, "north.svg")
    box.download("north.svg", chart)
    print(f"{chart.name}: {chart.stat().st_size} bytes")
