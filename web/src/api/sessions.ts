/** Sessions, and what one does with them. */

import type { WireEvent } from "../events/wire.ts";
import { ask } from "./client.ts";
import type { Beginning, Choices, SessionPage, SessionView } from "./types.ts";

/** How many sessions the server lists at once. */
const PAGE = 500;

/** The `count` sessions that were used last, of those that fit the search. */
export async function listSessions(search = "", count = 100, signal?: AbortSignal): Promise<SessionPage> {
  const found = new Map<string, SessionView>();
  let has_more = true;
  for (let offset = 0; has_more && offset < count; offset += PAGE) {
    const query = { search: search || undefined, limit: Math.min(PAGE, count - offset), offset: offset || undefined };
    const page = await ask<SessionPage>("/sessions", { query, signal });
    for (const session of page.sessions) found.set(session.id, session);
    has_more = page.has_more;
  }
  return { sessions: [...found.values()], has_more };
}

export const beginSession = (given: Beginning) => ask<SessionView>("/sessions", { body: given });
export const showSession = (sid: string, signal?: AbortSignal) => ask<SessionView>(`/sessions/${sid}`, { signal });
export const renameSession = (sid: string, title: string) =>
  ask<SessionView>(`/sessions/${sid}`, { method: "PATCH", body: { title } });
export const deleteSession = (sid: string) => ask<null>(`/sessions/${sid}`, { method: "DELETE" });
export const stopSession = (sid: string) => ask<SessionView>(`/sessions/${sid}/stop`, { method: "POST" });
export const forkSession = (sid: string, at?: number) => ask<SessionView>(`/sessions/${sid}/fork`, { body: { at } });
export const listChoices = (signal?: AbortSignal) => ask<Choices>("/choices", { signal });

export const sendMessage = (sid: string, content: string) => ask(`/sessions/${sid}/messages`, { body: { content } });
export const changeState = (sid: string, state: "running" | "paused" | "stopped") =>
  ask(`/sessions/${sid}/state`, { body: { state } });
export const confirmAction = (sid: string, confirm: boolean) =>
  ask(`/sessions/${sid}/confirmations`, { body: { confirm } });
export const interruptAction = (sid: string) => ask(`/sessions/${sid}/interrupt`, { method: "POST" });
export const sendAction = (sid: string, event: object) =>
  ask<WireEvent>(`/sessions/${sid}/actions`, { body: event, query: { wait: false } });
