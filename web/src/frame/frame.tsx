/** What every page has: its head with the ways to the others, the palette, the theme, and what is wrong everywhere. */

import { type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { findUser, logOut, useUser } from "../api/login.ts";
import { useReach } from "../api/reach.ts";
import { LoginPage } from "../pages/login/login_page.tsx";
import { SECTIONS } from "../pages/settings/sections.ts";
import { Button } from "../parts/button.tsx";
import { findCommand, showOver, useCommands, useOwnCommands } from "./commands.ts";
import { Keys } from "./keys.tsx";
import { Palette } from "./palette.tsx";
import { switchTheme } from "./theme.ts";

const PAGES = [["/", "Sessions"], ["/play", "Play"], ["/settings", "Settings"]] as const;
/** Play runs in the browser alone: it needs no server. */
const ALONE = "/play";

export function Frame({ children }: { children: ReactNode }) {
  const [place, go] = useLocation();
  const { needsToken, away, round } = useReach();
  const user = useUser((state) => state.user);
  const alone = place.startsWith(ALONE);
  useOwnCommands("Go to", [
    ...PAGES.map(([address, label]) => ({ label, act: () => go(address) })),
    ...SECTIONS.slice(1).map(({ address, label }) => ({ label: `Settings: ${label}`, act: () => go(address) })),
  ]);
  useOwnCommands("Page", [
    { label: "Find a command", keys: "Ctrl K", hidden: true },
    { label: "Keyboard shortcuts", key: "?", act: () => showOver("keys") },
    { label: "Switch between light and dark", act: switchTheme },
    { label: "Log out", act: () => void logOut().catch(() => undefined) },
  ]);
  useKeys();
  useEffect(() => {
    if (!alone) void findUser().catch(() => undefined);
  }, [alone, needsToken, round]);
  const asks = (needsToken && !alone) || place === "/login";
  return (
    <div className="frame">
      <header className="frame-head">
        <Link href="/" className="brand">
          <img src="./icon.svg" alt="" width="20" height="20" />
          <span>Cloche</span>
        </Link>
        <nav aria-label="Pages">
          {PAGES.map(([address, label]) => (
            <Link key={address} href={address} aria-current={isHere(place, address) ? "page" : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <div className="grow" />
        {user && !user.is_owner && (
          <span className="badge" title={user.may_run ? "Logged in" : "This token may look, and change nothing"}>
            {user.name}
            {!user.may_run && " · read only"}
          </span>
        )}
        <Button look="quiet" label="Commands, Ctrl K" onClick={() => showOver("palette")}>
          <kbd>Ctrl K</kbd>
        </Button>
        <Button look="quiet" label="Keyboard shortcuts" className="only-wide" onClick={() => showOver("keys")}>
          ?
        </Button>
        <Button look="quiet" label="Switch between light and dark" onClick={switchTheme}>◐</Button>
      </header>
      <div className="away" role="status">
        {away && "The server does not answer. This page goes on by itself as soon as it does."}
      </div>
      <main>{asks ? <LoginPage /> : children}</main>
      <Palette />
      <Keys />
    </div>
  );
}

function useKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
        event.preventDefault();
        showOver(useCommands.getState().open === "palette" ? "" : "palette");
        return;
      }
      const command = findCommand(event);
      if (!command) return;
      event.preventDefault();
      command.act?.();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function isHere(place: string, address: string): boolean {
  return address === "/" ? place === "/" || place.startsWith("/s/") : place.startsWith(address);
}
