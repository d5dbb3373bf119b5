/** The page: chooses a language, runs what is typed, shows the output and the files. */

import { openPage } from "/engine/platform/browser/page.ts";
import { CATALOG } from "/engine/languages/catalog.ts";
import { EXAMPLES } from "./examples.js";
import { FileList, size } from "./files.js";
import { Output } from "./output.js";

const NO_LIMIT = 2 ** 31 - 1; // milliseconds: Stop is there
const at = (id) => document.getElementById(id);
const output = new Output(at("output"));
const language = () => at("language").value;
const title = (name) => CATALOG[name].title;
let running = null;

/** What was typed lives as long as the tab, reloads included. */
const draft = (name) => sessionStorage.getItem(name) ?? EXAMPLES[name] ?? "";

function tell(text, fetched) {
  at("state").textContent = text;
  at("progress").hidden = !fetched?.total;
  if (fetched?.total) Object.assign(at("progress"), { value: fetched.bytes, max: fetched.total });
}

function progress(_address, bytes, total) {
  if (!running || running.started) return;
  const known = total > 0 ? `${size(bytes)} of ${size(total)}` : size(bytes);
  tell(`Loading ${title(running.name)}: ${known}`, { bytes, total });
}

function showDisplay({ kind, data }) {
  const [png, svg, text] = [data["image/png"], data["image/svg+xml"], data["text/plain"]];
  if (png || svg) {
    const image = document.createElement("img");
    image.alt = typeof text === "string" ? text : "a picture that the code made";
    image.src = png ? `data:image/png;base64,${png}` : `data:image/svg+xml,${encodeURIComponent(svg)}`;
    output.add(image);
  } else if (kind !== "result" && text) output.write(`${text}\n`, "stdout");
}

function showError({ type, message, line, column, traceback }) {
  output.write(`${traceback.trimEnd() || `${type}: ${message}`}\n`, "error");
  if (!line) return;
  const button = document.createElement("button");
  button.className = "line";
  button.textContent = `line ${line}${column ? `, column ${column}` : ""}`;
  button.onclick = () => select(line);
  output.add(button);
}

function select(line) {
  const lines = at("code").value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  at("code").focus();
  at("code").setSelectionRange(start, start + (lines[line - 1] ?? "").length);
}

/** Asks below the output; null at the end of input or when the run is stopped. */
function askUser(prompt, password) {
  const { promise, resolve } = Promise.withResolvers();
  const answer = (text) => {
    at("ask").hidden = true;
    if (running) running.answer = null;
    tell("Running");
    if (text !== null) output.write(`${prompt}${password ? "" : text}\n`, "input");
    resolve(text);
  };
  at("question").textContent = prompt || "Input:";
  Object.assign(at("answer"), { value: "", type: password ? "password" : "text" });
  at("ask").hidden = false;
  at("answer").focus();
  tell("Waits for input");
  running.answer = answer;
  return promise;
}

const seconds = (ms) => ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

function summary({ exitCode, state, success }, { stopped, began }) {
  const how = stopped ? "Stopped" : success ? "Done" : `Failed with exit code ${exitCode}`;
  const lost = state === "lost" ? "; variables are lost, files are kept" : "";
  return `${how} after ${seconds(performance.now() - began)}${lost}`;
}

function tick() {
  if (running.started && !running.answer) tell(`Running, ${Math.round((performance.now() - running.began) / 1000)} s`);
}

function begin(name) {
  running = { name, stopped: false, started: false, answer: null, began: performance.now() };
  running.timer = setInterval(tick, 1000);
  at("run").disabled = true;
  at("stop").disabled = false;
  output.clear();
  at("output").dataset.empty = "";
  tell("");
}

function finish(text) {
  clearInterval(running.timer);
  running.answer?.(null);
  running = null;
  const focused = document.activeElement === at("stop");
  at("run").disabled = false;
  at("stop").disabled = true;
  if (focused) at("run").focus();
  output.flush();
  at("output").dataset.empty = "Nothing was printed.";
  tell(text);
}

async function run(manager, list) {
  if (running) return;
  begin(language());
  const { name } = running;
  try {
    await manager.loadRuntime(name);
    if (running.stopped) return finish("Stopped before it began");
    running.started = true;
    running.began = performance.now();
    tell("Running");
    const options = { onDisplay: showDisplay, onInput: askUser, timeout: NO_LIMIT };
    const result = await manager.executeIn(name, at("code").value, options);
    if (result.returnValue !== null) output.write(`${result.returnValue}\n`, "value");
    if (result.error && !(running.stopped && result.state === "kept")) showError(result.error);
    finish(summary(result, running));
  } catch (error) {
    output.write(`${error.message}\n`, "error");
    finish("Failed");
  } finally {
    list.show();
  }
}

function stop(manager) {
  if (!running) return;
  running.stopped = true;
  running.answer?.(null);
  if (running.started) manager.interrupt(running.name);
  else tell(`Stops when ${title(running.name)} is loaded`);
}

function choose(name) {
  at("language").value = name;
  at("code").value = draft(name);
  sessionStorage.setItem("language", name);
}

/** Tab indents, unless Escape was pressed before it: then it leaves, as elsewhere. */
function watchTab() {
  let leave = false;
  at("code").onkeydown = (event) => {
    if (event.key === "Tab" && !event.shiftKey && !leave) {
      event.preventDefault();
      document.execCommand("insertText", false, "    ");
    }
    leave = event.key === "Escape";
  };
}

function watchDrops(list) {
  const mark = (event, over) => {
    event.preventDefault();
    document.body.classList.toggle("dropping", over);
  };
  document.ondragover = (event) => mark(event, true);
  document.ondragleave = (event) => mark(event, false);
  document.ondrop = async (event) => {
    mark(event, false);
    output.write(await list.add(event.dataTransfer.files), "error");
  };
}

function start() {
  const { manager, files } = openPage({ assets: "/assets", snapshot: "/snapshot", packs: "/packs", progress });
  const list = new FileList(files, { list: at("files"), none: at("none") });
  manager.setOutputCallback(({ message, type }) => {
    if (type === "stdout" || type === "stderr") return output.write(message, type);
    if (type === "info" && running) tell(message);
  });
  for (const { name, version } of manager.listRuntimes()) {
    at("language").append(new Option(`${title(name)} ${version}`, name));
  }
  at("language").onchange = () => choose(language());
  at("code").oninput = () => sessionStorage.setItem(language(), at("code").value);
  at("run").onclick = () => run(manager, list);
  at("stop").onclick = () => stop(manager);
  at("ask").onsubmit = (event) => {
    event.preventDefault();
    running?.answer?.(at("answer").value);
  };
  at("end").onclick = () => running?.answer?.(null);
  at("import").onchange = async ({ target }) => {
    output.write(await list.add(target.files), "error");
    target.value = "";
  };
  document.onkeydown = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run(manager, list);
  };
  watchTab();
  watchDrops(list);
  list.show();
  at("run").disabled = false;

  // `?language=ruby&run` chooses a language and runs its example at once.
  const query = new URLSearchParams(location.search);
  const wanted = query.get("language") ?? sessionStorage.getItem("language") ?? "python";
  choose(wanted in CATALOG ? wanted : "python");
  at("code").focus();
  if (!(wanted in CATALOG)) return tell(`There is no language ${wanted}: this is Python`);
  if (query.has("run")) run(manager, list);
}

if (/Mac|iPhone|iPad/.test(navigator.platform)) at("control").textContent = "⌘";
try {
  start();
} catch (error) {
  output.write(`The page cannot run code: ${error.message}.\n`, "error");
  output.flush();
  tell("Not started");
}
