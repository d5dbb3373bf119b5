/** Settings: what holds for new sessions, the configuration, rules, tokens, tools. */

import { type ComponentType, useEffect } from "react";
import { Link } from "wouter";
import { Empty } from "../../parts/notice.tsx";
import { ConfigSection } from "./config_section.tsx";
import { DefaultsSection } from "./defaults_section.tsx";
import { PolicySection } from "./policy_section.tsx";
import { type SectionName, SECTIONS } from "./sections.ts";
import { TokensSection } from "./tokens_section.tsx";
import { ToolsSection } from "./tools_section.tsx";
import "./settings.css";

const BODIES: Record<SectionName, ComponentType> = {
  "": DefaultsSection,
  config: ConfigSection,
  policy: PolicySection,
  tokens: TokensSection,
  tools: ToolsSection,
};

export default function SettingsPage({ section = "" }: { section?: string }) {
  const here = SECTIONS.find(({ name }) => name === section);
  useEffect(() => {
    document.title = `${here?.label ?? "Settings"} · Cloche`;
  }, [here]);
  const Body = here && BODIES[here.name];
  return (
    <div className="settings">
      <nav aria-label="Settings">
        {SECTIONS.map(({ name, address, label }) => (
          <Link key={name} href={address} aria-current={name === section ? "page" : undefined}>{label}</Link>
        ))}
      </nav>
      <div className="settings-body">
        {Body ? <Body /> : (
          <Empty title="There are no such settings">
            <Link href="/settings">Settings</Link>
          </Empty>
        )}
      </div>
    </div>
  );
}
