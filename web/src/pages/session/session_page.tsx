/** One session: its stream on the left, its files, terminal and outputs on the right. */

import { Suspense, useEffect, useState } from "react";
import { showSession } from "../../api/sessions.ts";
import { useAsk } from "../../api/use_ask.ts";
import { SessionStore } from "../../events/session_store.ts";
import { Failure, Loading } from "../../parts/notice.tsx";
import { Composer } from "./composer/composer.tsx";
import { SessionHead } from "./session_head.tsx";
import { Stream } from "./stream/stream.tsx";
import { type TabName, TABS } from "./tabs.ts";
import "./session.css";

export default function SessionPage({ sid }: { sid: string }) {
  const [store, setStore] = useState<SessionStore>();
  useEffect(() => {
    const opened = new SessionStore(sid);
    setStore(opened);
    return () => opened.close();
  }, [sid]);
  return store ? <OpenSession store={store} /> : <Loading />;
}

function OpenSession({ store }: { store: SessionStore }) {
  const view = useAsk(`session ${store.sid}`, (signal) => showSession(store.sid, signal));
  const [tab, setTab] = useState<TabName | "">(() => matchMedia("(max-width: 900px)").matches ? "" : "Files");
  const title = view.value?.title || store.sid.slice(0, 8);
  useEffect(() => {
    document.title = `${title} · Cloche`;
  }, [title]);
  if (view.problem && !view.value) {
    return (
      <div className="session-gone">
        <Failure problem={view.problem} again={view.again} />
      </div>
    );
  }
  const Body = tab ? TABS[tab] : undefined;
  return (
    <div className={`session ${tab ? "with-tab" : ""}`}>
      <SessionHead store={store} view={view.value} changed={view.again} />
      <section className="session-stream" aria-label="Events">
        <Stream store={store} />
        <Composer store={store} view={view.value} />
      </section>
      <section className="session-side" aria-label="Workspace">
        <div className="tabs" role="tablist">
          <button type="button" role="tab" className="only-narrow" aria-selected={!tab} onClick={() => setTab("")}>
            Events
          </button>
          {(Object.keys(TABS) as TabName[]).map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={name === tab}
              onClick={() => setTab(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <div className="tab-body" role="tabpanel" aria-label={tab || "Events"}>
          <Suspense fallback={<Loading />}>{Body && <Body store={store} />}</Suspense>
        </div>
      </section>
    </div>
  );
}
