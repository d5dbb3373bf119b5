/** What is shown to those whom the server does not know: how to get a token, and where to put it. */

import { type FormEvent, useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { Problem } from "../../api/client.ts";
import { logIn } from "../../api/login.ts";
import { asProblem } from "../../api/use_ask.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/notice.tsx";
import "./login.css";

export function LoginPage() {
  const [place, go] = useLocation();
  const refused = useSearch().includes("refused");
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = "Log in · Cloche";
  }, []);
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    setBusy(true);
    try {
      await logIn(token);
      if (place === "/login") go("/", { replace: true });
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <form className="login" onSubmit={enter}>
      <h1>{refused ? "The token in the address is not valid" : "This page needs a token"}</h1>
      <p>
        Open the address that <code>cloche serve</code>{" "}
        has printed: the token is in it. Or put a token here. A token may have been revoked, and the owner's is another
        one each time the server starts, unless it was given with <code>--token</code>.
      </p>
      <label className="field">
        <span>Token</span>
        <input name="token" type="password" autoComplete="current-password" autoFocus required />
      </label>
      {problem && (
        problem.status === 401
          ? <p className="failure" role="alert">The server does not know this token.</p>
          : <Failure problem={problem} />
      )}
      <div className="row">
        <Button look="main" type="submit" disabled={busy}>{busy ? "Logging in …" : "Log in"}</Button>
        <span className="faint small">
          Users get one by <code>cloche token create NAME</code> on the server.
        </span>
      </div>
    </form>
  );
}
