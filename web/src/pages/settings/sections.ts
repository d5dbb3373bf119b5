/** The sections of the settings, each with an address of its own. */

export const SECTIONS = [
  { name: "", address: "/settings", label: "Defaults" },
  { name: "config", address: "/settings/config", label: "Configuration" },
  { name: "policy", address: "/settings/policy", label: "Policy rules" },
  { name: "tokens", address: "/settings/tokens", label: "Tokens" },
  { name: "tools", address: "/settings/tools", label: "Tools and agents" },
] as const;

export type SectionName = (typeof SECTIONS)[number]["name"];
