/** What new sessions are made of: the defaults, and what else may be chosen. */

import { listChoices } from "../../api/sessions.ts";
import type { Choices, Defaults } from "../../api/types.ts";
import { useAsk } from "../../api/use_ask.ts";
import { Failure, Loading } from "../../parts/notice.tsx";

export function DefaultsSection() {
  const { value, problem, again } = useAsk("choices", listChoices);
  return (
    <>
      <h1>Defaults</h1>
      <p className="lead">
        What a new session is made of if nobody says otherwise. These are set in{" "}
        <code>config.toml</code>, or by variables of the environment that the server is started with.
      </p>
      {problem && <Failure problem={problem} again={again} />}
      {!value && !problem && <Loading />}
      {value && <Table defaults={value.defaults} />}
      {value && <Known choices={value} />}
    </>
  );
}

function Table({ defaults }: { defaults: Defaults }) {
  const rows: [label: string, value: string, setting: string][] = [
    ["Runtime", defaults.runtime, "[core] runtime"],
    ["Agent", defaults.agent, "[core] default_agent"],
    ["Model", defaults.model ?? "none", "[llm] model, [agent] llm_config"],
    ["Steps of an agent", defaults.max_iterations.toLocaleString("en"), "[core] max_iterations"],
    ["Time limit of an action", `${defaults.timeout} s`, "[sandbox] timeout"],
    ["Asks before actions", defaults.confirmation_mode ? "yes" : "no", "[security] confirmation_mode"],
    ["Security analyzer", defaults.security_analyzer ?? "none", "[security] security_analyzer"],
    ["Plugins", defaults.plugins.join(", ") || "none", "[sandbox] plugins"],
    ["Hosts that code may reach", defaults.allow_net.join(", ") || "none", "[sandbox] allow_net"],
  ];
  return (
    <table className="plain">
      <thead>
        <tr>
          <th>What</th>
          <th>Value</th>
          <th className="wide">Where it is set</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, value, setting]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td className="mono">{value}</td>
            <td className="wide faint mono">{setting}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Known({ choices }: { choices: Choices }) {
  const models = choices.models.map(({ name, model }) => name ? `${name}: ${model ?? "not named"}` : model ?? "");
  return (
    <>
      <h2>What may be chosen</h2>
      <dl className="known">
        <Names label="Models" names={models} none="No model is configured: set [llm] model." />
        <Names label="Agents" names={choices.agents} />
        <Names label="Runtimes" names={choices.runtimes} />
        <Names label="Languages" names={choices.languages} />
        <Names label="Security analyzers" names={choices.security_analyzers} />
      </dl>
    </>
  );
}

function Names({ label, names, none = "none" }: { label: string; names: string[]; none?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {names.length > 0
          ? names.map((name) => <code className="chip" key={name}>{name}</code>)
          : <span className="faint">{none}</span>}
      </dd>
    </div>
  );
}
