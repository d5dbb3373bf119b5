// A remote agent for the tests, made with the official library for JavaScript; prints its port.
// `node javascript_agent.js BINDING STREAMING`
import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";

const [binding, streaming] = process.argv.slice(2);
const PATHS = { JSONRPC: "/a2a", "HTTP+JSON": "/rest" };

class Example {
  cancelled = new Set();

  /** Does what the first word of a message says. */
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    const say = (state, text) => {
      const parts = text === undefined ? [] : [{ text }];
      const message = { messageId: crypto.randomUUID(), role: "ROLE_AGENT", parts, taskId, contextId };
      const status = { state: `TASK_STATE_${state}`, message: parts.length ? message : undefined };
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status })));
    };
    const make = (artifactId, parts, append = false) => {
      const artifact = { artifactId, name: artifactId, parts };
      bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, artifact, append })));
    };
    const [word, ...rest] = userMessage.parts[0].content.value.split(" ");
    const begun = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
    bus.publish(AgentEvent.task(context.task ?? Task.fromJSON(begun)));
    say("WORKING");
    if (context.task) say("COMPLETED", `answered ${word}`);
    else await this.run(word, rest.join(" "), { taskId, say, make });
    bus.finished();
  }

  async run(word, rest, { taskId, say, make }) {
    if (word === "echo") {
      make("echo", [{ text: rest }]);
      say("COMPLETED", "said");
    } else if (word === "chunks") {
      for (let number = 0; number < Number(rest); number++) make("log", [{ text: `line ${number}\n` }], number > 0);
      say("COMPLETED", "counted");
    } else if (word === "kinds") {
      const raw = Buffer.from("\x89PNG\r\n", "latin1").toString("base64");
      make("all", [{ data: { n: 42, list: [1.5, null] } }, { raw, filename: "dot.png", mediaType: "image/png" }]);
      make("lines", [{ text: "a\u2028b\u0085c" }]);
      say("COMPLETED", "made");
    } else if (word === "ask") {
      say("INPUT_REQUIRED", "Which file?");
    } else if (word === "login") {
      say("AUTH_REQUIRED", "Log in at https://login.example");
    } else if (word === "fail") {
      say("FAILED", "out of paper");
    } else if (word === "reject") {
      say("REJECTED", "not my job");
    } else {
      say("WORKING", "waiting");
      while (!this.cancelled.has(taskId)) await new Promise((resolve) => setTimeout(resolve, 20));
      say("CANCELED");
    }
  }

  async cancelTask(taskId) {
    this.cancelled.add(taskId);
  }
}

const app = express();
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  const card = AgentCard.fromJSON({
    name: "example",
    description: "An agent for tests",
    version: "1",
    supportedInterfaces: [
      { url: `http://127.0.0.1:${port}${PATHS[binding]}`, protocolBinding: binding, protocolVersion: "1.0" },
    ],
    capabilities: { streaming: streaming === "true" },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "echo", name: "Echo", description: "Says it again", tags: ["test"], examples: ["echo hi"] }],
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Example());
  const userBuilder = UserBuilder.noAuthentication;
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/a2a", jsonRpcHandler({ requestHandler, userBuilder }));
  app.use("/rest", restHandler({ requestHandler, userBuilder }));
  console.log(port);
});
