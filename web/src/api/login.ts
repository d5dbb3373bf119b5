/** Whose token this page has. */

import { create } from "zustand";
import { ask, Problem } from "./client.ts";
import { useReach } from "./reach.ts";
import type { UserView } from "./types.ts";

/** Who uses this page; undefined until the server has said so. */
export const useUser = create<{ user?: UserView }>(() => ({}));

/** What a header can hold. */
const PLAIN = /^[\x21-\x7e]+$/;

export async function findUser(): Promise<void> {
  useUser.setState({ user: await ask<UserView>("/login") });
}

/** Keeps the token in a cookie that scripts cannot read; throws Problem if the server does not know it. */
export async function logIn(token: string): Promise<void> {
  if (!PLAIN.test(token)) throw new Problem({ status: 401, detail: "This is no token." });
  const user = await ask<UserView>("/login", { method: "POST", headers: { authorization: `Bearer ${token}` } });
  useUser.setState({ user });
  useReach.setState({ needsToken: false });
}

/** Has this browser forget the token. */
export async function logOut(): Promise<void> {
  await ask("/login", { method: "DELETE" });
  useUser.setState({ user: undefined });
  useReach.setState({ needsToken: true });
}
