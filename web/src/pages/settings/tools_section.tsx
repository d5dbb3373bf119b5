/** The MCP servers and A2A agents that are configured, and what those offer to a session that runs. */

import { useState } from "react";
import { listChoices, listSessions } from "../../api/sessions.ts";
import { listRemoteAgents, listTools } from "../../api/settings.ts";
import type { RemoteAgentListing, SessionView, ToolInfo, ToolListing } from "../../api/types.ts";
import { useAsk } from "../../api/use_ask.ts";
import { textAt } from "../../events/wire.ts";
import { Failure, Loading } from "../../parts/notice.tsx";

export function ToolsSection() {
  const choices = useAsk("choices", listChoices);
  const sessions = useAsk("sessions", (signal) => listSessions("", 500, signal));
  const running = (sessions.value?.sessions ?? []).filter(({ state }) => state !== "stored");
  const [wanted, setWanted] = useState("");
  const session = running.find(({ id }) => id === wanted) ?? running[0];
  const { mcp_servers = [], a2a_servers = [] } = choices.value ?? {};
  const none = mcp_servers.length + a2a_servers.length === 0;
  return (
    <>
      <h1>Tools and agents</h1>
      <p className="lead">
        Sessions can call the tools of MCP servers, and give tasks to agents that speak A2A. They are outside the
        sandbox.
      </p>
      {choices.problem && <Failure problem={choices.problem} again={choices.again} />}
      {choices.loading && !choices.value && <Loading />}
      {choices.value && (
        <dl className="known">
          <Servers label="MCP servers" names={mcp_servers} how="[mcp] shttp_servers, sse_servers or stdio_servers" />
          <Servers label="A2A servers" names={a2a_servers} how="[a2a] servers" />
        </dl>
      )}
      {!none && sessions.value && (
        session
          ? <OfSession running={running} session={session} choose={setWanted} />
          : <p className="faint nothing">Servers are connected when a session starts: none is running now.</p>
      )}
    </>
  );
}

function Servers({ label, names, how }: { label: string; names: string[]; how: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {names.map((name) => <code key={name} className="chip">{name}</code>)}
        {names.length === 0 && (
          <span className="faint">
            none: add to <code>{how}</code>
          </span>
        )}
      </dd>
    </div>
  );
}

function OfSession(
  { running, session, choose }: { running: SessionView[]; session: SessionView; choose(id: string): void },
) {
  const tools = useAsk(`tools ${session.id}`, (signal) => listTools(session.id, signal));
  const agents = useAsk(`agents ${session.id}`, (signal) => listRemoteAgents(session.id, signal));
  return (
    <>
      <label className="row">
        <h2>In the session</h2>
        <select value={session.id} onChange={(event) => choose(event.target.value)}>
          {running.map(({ id, title }) => <option key={id} value={id}>{title || id}</option>)}
        </select>
      </label>
      {tools.problem && <Failure problem={tools.problem} again={tools.again} />}
      {tools.loading && !tools.value && <Loading what="Asking the servers" />}
      {tools.value && <Tools listing={tools.value} />}
      {agents.problem && <Failure problem={agents.problem} again={agents.again} />}
      {agents.value && <Agents listing={agents.value} />}
    </>
  );
}

function Tools({ listing: { servers, tools } }: { listing: ToolListing }) {
  return servers.map(({ name, failure }) => {
    const own = tools.filter(({ server }) => server === name);
    return (
      <section key={name} className="server" aria-label={`MCP server ${name}`}>
        <h3>
          {name} <span className="badge">MCP</span>
        </h3>
        {failure && <p className="failure">{failure}</p>}
        {!failure && own.length === 0 && <p className="faint">It has no tools.</p>}
        {own.map((tool) => <Tool key={tool.name} tool={tool} />)}
      </section>
    );
  });
}

function Tool({ tool: { name, description, input_schema } }: { tool: ToolInfo }) {
  const properties = Object.keys((input_schema["properties"] ?? {}) as Record<string, unknown>);
  return (
    <details>
      <summary>
        <code>{name}({properties.join(", ")})</code> <span className="faint">{description.split("\n")[0]}</span>
      </summary>
      {description.includes("\n") && <p className="text">{description}</p>}
      <pre>{JSON.stringify(input_schema, undefined, 2)}</pre>
    </details>
  );
}

function Agents({ listing: { agents, failures } }: { listing: RemoteAgentListing }) {
  return (
    <>
      {Object.entries(failures).map(([place, why]) => <p key={place} className="failure">{place}: {why}</p>)}
      {agents.map(({ name, description, skills, more_skills = 0 }) => (
        <section key={name} className="server" aria-label={`Agent ${name}`}>
          <h3>
            {name} <span className="badge">A2A</span>
          </h3>
          <p className="text">{description}</p>
          <ul>
            {skills.map((skill, at) => (
              <li key={at}>
                <strong>{textAt(skill, "name")}</strong> <span className="faint">{textAt(skill, "description")}</span>
              </li>
            ))}
          </ul>
          {more_skills > 0 && <p className="faint">and {more_skills} more</p>}
        </section>
      ))}
    </>
  );
}
