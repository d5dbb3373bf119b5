/** What stands beside the stream of a session; each is loaded when it is first opened. */

import { type ComponentType, lazy } from "react";
import type { SessionStore } from "../../events/session_store.ts";

export type Tab = ComponentType<{ store: SessionStore }>;
export type TabName = keyof typeof TABS;

export const TABS = {
  Files: lazy<Tab>(() => import("./files/files_tab.tsx")),
  Terminal: lazy<Tab>(() => import("./terminal/terminal_tab.tsx")),
  Outputs: lazy<Tab>(() => import("./outputs/outputs_tab.tsx")),
  Raw: lazy<Tab>(() => import("./raw/raw_tab.tsx")),
};
