// The plain page: sessions, and one session with its events as they come.

const view = document.getElementById("view");
const connection = document.getElementById("connection");

class Problem extends Error {
  constructor(told) {
    super([told.detail, told.fix].filter(Boolean).join(" "));
    this.status = told.status;
  }
}

async function ask(path, method = "GET", body = undefined) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (response.status === 204) return null;
  const told = await response.json();
  if (!response.ok) throw new Problem(told);
  return told;
}

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function showProblem(error) {
  const login = error.status === 401
    ? "Open the address that `cloche serve` printed: it has the token."
    : "";
  view.prepend(make("p", { className: "problem" }, `${error.message} ${login}`));
}

function guarded(work) {
  return (event) => {
    event?.preventDefault();
    view.querySelectorAll(".problem").forEach((each) => each.remove());
    work(event).catch(showProblem);
  };
}

async function showSessions() {
  const { sessions } = await ask("/api/sessions");
  const title = make("input", { placeholder: "title", name: "title" });
  const form = make(
    "form",
    {},
    title,
    make("button", { className: "main" }, "New session"),
  );
  form.onsubmit = guarded(async () => {
    const made = await ask("/api/sessions", "POST", { title: title.value });
    location.href = `/s/${made.id}`;
  });
  const rows = sessions.map((each) =>
    make(
      "tr",
      {},
      make("td", {}, make("a", { href: `/s/${each.id}` }, each.title || each.id)),
      make("td", {}, each.state),
      make("td", {}, String(each.events)),
      make("td", {}, new Date(each.last_activity * 1000).toLocaleString()),
      make("td", {}, deletion(each)),
    )
  );
  const head = make(
    "tr",
    {},
    ...["session", "state", "events", "last activity", ""].map((each) => make("th", {}, each)),
  );
  const list = rows.length
    ? make("table", {}, head, ...rows)
    : make("p", { className: "quiet" }, "There are no sessions yet.");
  view.replaceChildren(make("h1", {}, "Sessions"), form, list);
}

function deletion(session) {
  const button = make("button", { type: "button" }, "delete");
  button.onclick = guarded(async () => {
    if (!confirm(`Delete ${session.title || session.id} with its events and files?`)) return;
    await ask(`/api/sessions/${session.id}`, "DELETE");
    await showSessions();
  });
  return button;
}

async function showSession(sid) {
  const session = await ask(`/api/sessions/${sid}`);
  const events = make("div");
  const code = make("textarea", { placeholder: "echo hello", spellcheck: false });
  const kind = make(
    "select",
    { ariaLabel: "language" },
    make("option", { value: "run" }, "bash"),
    make("option", { value: "run_ipython" }, "python"),
    make("option", { value: "message" }, "message to the agent"),
  );
  const stop = make("button", { type: "button" }, "Interrupt");
  stop.onclick = guarded(() => ask(`/api/sessions/${sid}/interrupt`, "POST"));
  const form = make("form", {}, code, kind, make("button", { className: "main" }, "Send"), stop);
  form.onsubmit = guarded(async () => {
    await ask(`/api/sessions/${sid}/actions?wait=false`, "POST", makeAction(kind.value, code.value));
    code.value = "";
  });
  code.onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  };
  view.replaceChildren(make("h1", {}, session.title || session.id), events, form);
  follow(sid, events);
}

function makeAction(kind, text) {
  const field = { run: "command", run_ipython: "code", message: "content" }[kind];
  return { action: kind, args: { [field]: text } };
}

function follow(sid, events) {
  const source = new EventSource(`/api/sessions/${sid}/events`);
  source.onopen = () => (connection.textContent = "connected");
  source.onerror = () => (connection.textContent = "connection lost, trying again");
  source.onmessage = (message) => {
    const bottom = innerHeight + scrollY >= document.body.scrollHeight - 80;
    events.append(makeCard(JSON.parse(message.data)));
    if (bottom) scrollTo(0, document.body.scrollHeight);
  };
}

function makeCard(event) {
  if (event.status !== undefined || event.observation === "agent_state_changed") {
    const state = event.extras?.agent_state;
    return make("div", { className: "quiet" }, state ? `agent: ${state}` : event.content);
  }
  const kind = event.action ?? event.observation ?? "";
  const args = event.args ?? {};
  const text = event.action ? args.command ?? args.code ?? args.content ?? event.message : event.content;
  const failed = event.observation === "error" || event.extras?.metadata?.exit_code > 0;
  const card = make("div", {
    className: `event ${event.action ? "action" : ""} ${failed ? "error" : ""}`,
  });
  card.append(make("div", { className: "head" }, `#${event.id} ${event.source ?? ""} ${kind}`));
  if (text) card.append(make("pre", {}, text));
  return card;
}

const sid = location.pathname.startsWith("/s/") ? location.pathname.slice(3) : "";
(sid ? showSession(decodeURIComponent(sid)) : showSessions()).catch((error) => {
  view.replaceChildren();
  showProblem(error);
});
