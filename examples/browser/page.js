/** The page: chooses a language, runs what is typed, shows what comes of it and which files there are. */

import { openPage } from "/engine/browser/platform.ts";

const EXAMPLES = {
  python: 'import statistics\nopen("numbers.txt", "w").write("3 1 4 1 5 9 2 6")\nstatistics.mean([3, 1, 4, 1, 5])',
  bash: "ls -l\nfor i in 1 2 3; do echo line $i; done | tac",
  javascript: "const squares = [1, 2, 3].map((n) => n * n);\nconsole.log(squares);\nsquares.length",
  typescript: "type Point = { x: number; y: number };\nconst p: Point = { x: 3, y: 4 };\nMath.hypot(p.x, p.y)",
  ruby: "puts (1..5).map { |n| n ** 2 }.inspect\nRUBY_VERSION",
  php: 'echo "Hello from PHP ", PHP_VERSION, "\\n";\narray_sum([1, 2, 3])',
  lua: 'for i = 1, 3 do print("line " .. i) end\nreturn _VERSION',
  r: "x <- c(3, 1, 4, 1, 5)\nprint(summary(x))\nmean(x)",
  perl: 'print join(", ", sort { $a <=> $b } 3, 1, 2), "\\n";\n6 * 7',
  scheme: '(define (f n) (if (= n 0) 1 (* n (f (- n 1)))))\n(display "30! is ")\n(f 30)',
  sql: "create table if not exists t (name text, n integer);\ninsert into t values ('a', 1), ('b', 2);\nselect * from t;",
};

const at = (id) => document.getElementById(id);
const { manager, files } = openPage({ assets: "/assets", snapshot: "/snapshot", packs: "/packs" });
const drafts = { ...EXAMPLES };
let running = false;

function show(text, kind) {
  const span = document.createElement("span");
  span.className = kind;
  span.textContent = text;
  at("output").append(span);
  at("output").scrollTop = at("output").scrollHeight;
}

function showDisplay({ data }) {
  const png = data["image/png"];
  if (png) {
    const image = document.createElement("img");
    image.src = `data:image/png;base64,${png}`;
    return at("output").append(image);
  }
  const svg = data["image/svg+xml"];
  if (svg) {
    const image = document.createElement("img");
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    return at("output").append(image);
  }
  if (data["text/plain"]) show(`${data["text/plain"]}\n`, "stdout");
}

function listFiles() {
  const rows = Object.entries(files.exportFiles("/workspace")).map(([path, data]) => {
    const [row, link, size] = ["li", "a", "small"].map((name) => document.createElement(name));
    link.textContent = path;
    link.href = "#";
    link.onclick = (event) => {
      event.preventDefault();
      save(path, data);
    };
    size.textContent = ` ${data.length} bytes`;
    row.append(link, size);
    return row;
  });
  at("files").replaceChildren(...rows);
}

function save(path, data) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data]));
  link.download = path.split("/").pop();
  link.click();
  URL.revokeObjectURL(link.href);
}

async function run() {
  if (running) return;
  running = true;
  at("run").disabled = true;
  at("stop").disabled = false;
  at("output").replaceChildren();
  const began = performance.now();
  const language = at("language").value;
  at("state").textContent = manager.isRuntimeLoaded(language) ? "running" : "loading";
  try {
    const options = { onDisplay: showDisplay, onInput: (text) => Promise.resolve(prompt(text || "Input:")) };
    const result = await manager.executeIn(language, at("code").value, options);
    if (result.returnValue !== null) show(`${result.returnValue}\n`, "value");
    const note = result.state === "lost" ? ", variables are lost" : "";
    at("state").textContent = `${Math.round(performance.now() - began)} ms, exit ${result.exitCode}${note}`;
  } catch (error) {
    show(`${error.message}\n`, "error");
    at("state").textContent = "failed";
  } finally {
    running = false;
    at("run").disabled = false;
    at("stop").disabled = true;
    listFiles();
  }
}

manager.setOutputCallback(({ message, type }) => {
  if (type === "stdout" || type === "stderr") show(message, type);
  else if (type === "error") show(`${message}\n`, type);
});
for (const { name } of manager.listRuntimes()) at("language").append(new Option(name));
at("language").onchange = () => at("code").value = drafts[at("language").value];
at("code").oninput = () => drafts[at("language").value] = at("code").value;
at("code").value = drafts.python;
at("code").onkeydown = (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
};
at("run").onclick = run;
at("stop").onclick = () => manager.interrupt(at("language").value);
at("import").onchange = async ({ target }) => {
  for (const file of target.files) {
    files.importFiles({ [`/workspace/${file.name}`]: new Uint8Array(await file.arrayBuffer()) });
  }
  target.value = "";
  listFiles();
};
listFiles();

// `?language=ruby&run` chooses a language and runs its example at once.
const wish = new URLSearchParams(location.search);
if (wish.has("language")) {
  at("language").value = wish.get("language");
  at("language").onchange();
}
if (wish.has("run")) run();
