/** What every page has: its head with the ways to the others, the palette, the theme. */

import { type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../parts/button.tsx";
import { useCommands, useOwnCommands } from "./commands.ts";
import { Palette } from "./palette.tsx";
import { switchTheme } from "./theme.ts";

const PAGES = [["/", "Sessions"], ["/play", "Play"], ["/settings", "Settings"]] as const;

export function Frame({ children }: { children: ReactNode }) {
  const [place, go] = useLocation();
  useOwnCommands("Go to", PAGES.map(([address, label]) => ({ label, act: () => go(address) })));
  useOwnCommands("Page", [{ label: "Switch between light and dark", act: switchTheme }]);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      useCommands.setState(({ open }) => ({ open: !open }));
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  return (
    <div className="frame">
      <header className="frame-head">
        <Link href="/" className="brand">
          <img src="./icon.svg" alt="" width="20" height="20" />
          Cloche
        </Link>
        <nav aria-label="Pages">
          {PAGES.map(([address, label]) => (
            <Link key={address} href={address} aria-current={isHere(place, address) ? "page" : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <div className="grow" />
        <Button look="quiet" label="Commands" onClick={() => useCommands.setState({ open: true })}>
          <kbd>Ctrl K</kbd>
        </Button>
        <Button look="quiet" label="Switch between light and dark" onClick={switchTheme}>◐</Button>
      </header>
      <main>{children}</main>
      <Palette />
    </div>
  );
}

function isHere(place: string, address: string): boolean {
  return address === "/" ? place === "/" || place.startsWith("/s/") : place.startsWith(address);
}
