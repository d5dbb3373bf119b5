// A client of an agent for the tests, made with the official library for JavaScript.
// `node javascript_client.js CARD TOKEN BINDING cancel|talk TEXT...` prints what it hears, a line of JSON for each thing.
// `talk` sends the first text, and the next one whenever it is asked; `cancel` cancels as soon as there is an artifact.
import { CancelTaskRequest, GetTaskRequest, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";

const [card, token, binding, what, ...texts] = process.argv.slice(2);

const fetchImpl = (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return fetch(url, { ...init, headers });
};
const transport = binding === "JSONRPC" ? JsonRpcTransportFactory : RestTransportFactory;
const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new transport({ fetchImpl })],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
});
options.preferredTransports = [binding];

const tell = (value) => console.log(JSON.stringify(value));
const client = await new ClientFactory(options).createFromUrl(card, "");
let task;
let asks = true;
let cancelled = false;
while (texts.length && asks) {
  asks = false;
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: texts.shift() }], taskId: task };
  for await (const response of client.sendMessageStream(SendMessageRequest.fromJSON({ message }))) {
    const heard = StreamResponse.toJSON(response);
    tell(heard);
    task ??= heard.task?.id;
    asks ||= heard.statusUpdate?.status.state === "TASK_STATE_INPUT_REQUIRED";
    if (what === "cancel" && heard.artifactUpdate && !cancelled) {
      cancelled = true;
      await client.cancelTask(CancelTaskRequest.fromJSON({ id: task }));
    }
  }
}
tell({ last: Task.toJSON(await client.getTask(GetTaskRequest.fromJSON({ id: task }))) });
