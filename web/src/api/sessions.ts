/** Sessions, and what one does with them. */

import type { WireEvent } from "../events/wire.ts";
import { ask } from "./client.ts";
import type { Beginning, Choices, SessionPage, SessionView } from "./types.ts";

export const listSessions = (search = "", offset = 0, signal?: AbortSignal) =>
  ask<SessionPage>("/sessions", { query: { search: search || undefined, offset: offset || undefined }, signal });
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
