/** The server's settings: what is configured, what the rules say, who has a token, which tools there are. */

import { ask } from "./client.ts";
import type {
  CreatedToken,
  PolicyQuestion,
  PolicyView,
  RemoteAgentListing,
  Settings,
  TokenView,
  ToolListing,
  VerdictView,
} from "./types.ts";

export const listSettings = (signal?: AbortSignal) => ask<Settings>("/config/settings", { signal });
export const showPolicy = (signal?: AbortSignal) => ask<PolicyView>("/policy", { signal });
export const tryPolicy = (given: PolicyQuestion) => ask<VerdictView>("/policy", { body: given });
export const listTokens = (signal?: AbortSignal) => ask<TokenView[]>("/tokens", { signal });
export const createToken = (name: string, readOnly: boolean) =>
  ask<CreatedToken>("/tokens", { body: { name, read_only: readOnly } });
export const revokeToken = (name: string) => ask<null>(`/tokens/${encodeURIComponent(name)}`, { method: "DELETE" });
export const listTools = (sid: string, signal?: AbortSignal) => ask<ToolListing>(`/sessions/${sid}/tools`, { signal });
export const listRemoteAgents = (sid: string, signal?: AbortSignal) =>
  ask<RemoteAgentListing>(`/sessions/${sid}/remote_agents`, { signal });
