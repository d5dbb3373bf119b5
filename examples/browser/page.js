/** A page that computes in the browser: a file goes in, two languages work on it, their output comes out. */

import { openPage } from "/engine/page.js";

const SUM = `
import csv, collections
sums = collections.Counter()
for name, price in csv.reader(open("table.csv")):
    sums[name] += int(price)
with open("sums.txt", "w") as file:
    for name, price in sorted(sums.items()):
        print(name, price, file=file)
`;
const DRAW = `
for line in io.lines("sums.txt") do
  local name, price = line:match("(%S+) (%d+)")
  print(string.format("%-8s%s %d", name, ("#"):rep(tonumber(price)), price))
end
`;

const at = (id) => document.getElementById(id);

function start() {
  const { manager, files } = openPage({
    progress: (_address, bytes, total) => {
      at("state").textContent = `Loading: ${(bytes / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
    },
  });
  manager.setOutputCallback(({ message, type }) => {
    if (type === "stdout" || type === "stderr") at("output").append(message);
  });
  at("run").onclick = async () => {
    at("run").disabled = true;
    at("output").textContent = "";
    files.importFiles({ "/workspace/table.csv": at("table").value });
    const summed = await manager.executeIn("python", SUM, { timeout: 5000 });
    const drawn = summed.success ? await manager.executeIn("lua", DRAW, { timeout: 5000 }) : summed;
    at("state").textContent = drawn.success ? "Done" : `Failed: ${drawn.error.type}: ${drawn.error.message}`;
    at("run").disabled = false;
  };
  at("run").disabled = false;
  at("state").textContent = "";
}

try {
  start();
} catch (error) {
  at("state").textContent = `Not started: ${error.message}`;
}
