/** The tokens of users: create, show once, revoke. */

import { type FormEvent, useState } from "react";
import type { Problem } from "../../api/client.ts";
import { createToken, listTokens, revokeToken } from "../../api/settings.ts";
import type { CreatedToken, TokenView } from "../../api/types.ts";
import { asProblem, useAsk } from "../../api/use_ask.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy_button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure, Loading } from "../../parts/notice.tsx";
import { describeAge } from "../../parts/when.ts";
import { OwnersFailure } from "./owners_failure.tsx";

export function TokensSection() {
  const { value, problem, again } = useAsk("tokens", listTokens);
  const [created, setCreated] = useState<CreatedToken>();
  return (
    <>
      <h1>Tokens</h1>
      {problem && <OwnersFailure problem={problem} again={again} what="give tokens to users" />}
      {!value && !problem && <Loading />}
      {value && (
        <>
          <p className="lead">
            Each user has a token and sees their own sessions only. The server keeps hashes of tokens: a token is shown
            once.
          </p>
          <NewToken
            created={(token) => {
              setCreated(token);
              again();
            }}
          />
          {created && <Shown created={created} done={() => setCreated(undefined)} />}
          <TokenTable tokens={value} changed={again} />
        </>
      )}
    </>
  );
}

function NewToken({ created }: { created(token: CreatedToken): void }) {
  const [problem, setProblem] = useState<Problem>();
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    try {
      created(await createToken(String(given.get("name")).trim(), given.get("scope") === "read"));
      setProblem(undefined);
      form.reset();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <form className="row" onSubmit={create} aria-label="New token">
      <input name="name" aria-label="Name of the user" placeholder="Name of the user" required maxLength={100} />
      <select name="scope" aria-label="Scope">
        <option value="run">may run</option>
        <option value="read">may only read</option>
      </select>
      <Button look="main" type="submit">Create</Button>
      {problem && <Failure problem={problem} />}
    </form>
  );
}

function Shown({ created: { name, token }, done }: { created: CreatedToken; done(): void }) {
  return (
    <div className="new-token" role="status">
      <p>
        The token of <strong>{name}</strong>. Copy it now: it cannot be shown again.
      </p>
      <div className="row">
        <code className="grow clip">{token}</code>
        <CopyButton text={() => token} what="the token" />
        <Button onClick={done}>Done</Button>
      </div>
    </div>
  );
}

function TokenTable({ tokens, changed }: { tokens: TokenView[]; changed(): void }) {
  const [asked, setAsked] = useState<string>();
  const [problem, setProblem] = useState<Problem>();
  const revoke = (name: string) => {
    setAsked(undefined);
    revokeToken(name).then(() => setProblem(undefined), (error) => setProblem(asProblem(error))).finally(changed);
  };
  if (tokens.length === 0) return <p className="faint nothing">No user has a token yet.</p>;
  return (
    <>
      {problem && <Failure problem={problem} />}
      <table className="plain">
        <thead>
          <tr>
            <th>User</th>
            <th>May</th>
            <th className="wide">Created</th>
            <th>
              <span className="hidden-visually">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map(({ name, scopes, created }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{scopes.includes("run") ? "run" : "read only"}</td>
              <td className="wide faint">{describeAge(created)}</td>
              <td className="last">
                <Button look="danger" onClick={() => setAsked(name)} aria-label={`Revoke the token of ${name}`}>
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked !== undefined && (
        <Dialog title={`Revoke the token of ${asked}?`} close={() => setAsked(undefined)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              revoke(asked);
            }}
          >
            <p>
              It stops working at once. The sessions of {asked} stay, and a new token for the same name leads to them.
            </p>
            <div className="actions">
              <Button onClick={() => setAsked(undefined)}>Keep it</Button>
              <Button look="danger" type="submit">Revoke</Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
