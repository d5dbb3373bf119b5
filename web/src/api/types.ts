// deno-fmt-ignore-file
/** What the server's routes take and answer; `make fmt` writes this file, see scripts/page_types.py. */

/** Execute an action; the answer is its observation, as an event. */
export interface Act {
  verb: "act";
  event: Record<string, unknown>;
}

/** A new session, and the tokens to clone its repository with, which are not kept. */
export interface Beginning {
  title?: string;
  runtime?: string | null;
  repository?: string | null;
  branch?: string | null;
  agent?: string | null;
  model?: string | null;
  initial_message?: string | null;
  instructions?: string;
  max_iterations?: number | null;
  env?: Record<string, string>;
  sandbox?: SandboxWish | null;
  git_provider_tokens?: Record<string, string>;
}

/** Data that the server has taken in. */
export interface BlobReceipt {
  name: string;
  size: number;
}

/** One call; sent again with the same key, it goes on with the same call. */
export interface CallRequest {
  key: string;
  call: RunCode | Act | Complete | CheckComplete | Inspect | Install | Reset | Unload | SetEnv | ListLanguages | ShowInfo | ReadFile | WriteFile | ListFiles | Remove | MakeFolder | Upload | Download | TakeMark | ShowDiff | Save;
  place?: string | null;
  after?: number;
  known?: string;
}

/** Whether code is complete. */
export interface CheckComplete {
  verb: "is_complete";
  code: string;
  language?: string;
}

/** What may be chosen. */
export interface Choices {
  runtimes: string[];
  agents: string[];
  models: ModelChoice[];
  languages: string[];
  security_analyzers: string[];
  mcp_servers: string[];
  a2a_servers: string[];
  defaults: Defaults;
}

/** Some code, and where the cursor is in it. */
export interface CodeQuestion {
  code: string;
  cursor?: number | null;
  language?: "python" | "bash" | "javascript" | "typescript" | "ruby" | "php" | "lua" | "r" | "perl" | "scheme" | "sql";
}

/** Completions at the cursor. */
export interface Complete {
  verb: "complete";
  code: string;
  cursor?: number | null;
  language?: string;
}

/** Whether code is complete, or needs more lines. */
export interface Completeness {
  status: "complete" | "incomplete" | "invalid";
  indent?: string;
  count?: number | null;
}

/** Completions to insert between `start` and `end` of the code. */
export interface Completion {
  matches: string[];
  start: number;
  end: number;
}

/** The answer to a question about an action. */
export interface Confirmation {
  confirm: boolean;
}

/** A token, which cannot be shown again. */
export interface CreatedToken {
  name: string;
  token: string;
}

/** What holds for sessions that say nothing else. */
export interface Defaults {
  runtime: string;
  agent: string;
  model: string | null;
  max_iterations: number;
  timeout: number;
  confirmation_mode: boolean;
  security_analyzer: string | null;
  plugins: string[];
  allow_net: string[];
}

/** What changed in a folder: `str(diff)` is a patch for `git apply`, and `diff` is false if nothing changed. */
export interface Diff {
  patch: string;
  files: FileChange[];
  complete?: boolean;
}

/** Copy a file or folder out of the sandbox; it comes after, as an archive. */
export interface Download {
  verb: "download";
  path: string;
}

/** Some events, in the order that was asked for. */
export interface EventPage {
  events: Record<string, unknown>[];
  has_more: boolean;
}

/** One file that changed. */
export interface FileChange {
  path: string;
  status: "added" | "changed" | "deleted";
  added?: number | null;
  deleted?: number | null;
  left_out?: string | null;
}

/** A file or a folder. */
export interface FileView {
  path: string;
  /** `file`, `dir`, `link` or `other` */
  kind: string;
  size: number;
  modified: number;
}

/** What was found, and by which rule. */
export interface FindingView {
  rule: string;
  reason: string;
  decision: string;
  risk: string;
  excerpt: string;
  advice: string;
}

/** What is in a folder, folders first; with the folders below it, level by level. */
export interface FolderListing {
  path: string;
  entries: FileView[];
  truncated: boolean;
}

/** Where a fork began. */
export interface ForkOrigin {
  session: string;
  event: number;
}

/** Where a session is forked. */
export interface Forking {
  at?: number | null;
}

/** The state of the server. */
export interface Health {
  status: string;
  sessions: number;
}

/** The answer to a question. */
export interface InputAnswer {
  number: number;
  line: string | null;
}

/** The signature and docstring at the cursor. */
export interface Inspect {
  verb: "inspect";
  code: string;
  cursor?: number | null;
  language?: string;
}

/** What is known of the name at the cursor. */
export interface Inspection {
  text: string | null;
}

/** Install packages by name, or wheels of the sandbox by path; no URL is opened. */
export interface Install {
  verb: "install";
  packages: string[];
  language?: string;
  upgrade?: boolean;
}

/** What to install, as the language's own tool names it: `rich`, `attrs>=23`, `lodash@4`. */
export interface Installation {
  packages: string[];
  language?: "python" | "javascript" | "typescript" | "ruby" | "php" | "lua" | "r" | "perl";
  upgrade?: boolean;
}

/** Whether there was anything to stop. */
export interface Interrupted {
  interrupted: boolean;
}

/** A language as a sandbox sees it. */
export interface LanguageState {
  name: string;
  version: string;
  engine: string;
  size: number;
  fetched: boolean;
  loaded: boolean;
  memory: number;
}

/** What is in a folder. */
export interface ListFiles {
  verb: "files";
  path: string;
  recursive?: boolean;
}

/** Every language and its state. */
export interface ListLanguages {
  verb: "languages";
}

/** Make a folder. */
export interface MakeFolder {
  verb: "mkdir";
  path: string;
}

/** A model that is configured. */
export interface ModelChoice {
  name: string;
  model: string | null;
}

/** What is moved or renamed. */
export interface Move {
  path: string;
  destination: string;
  overwrite?: boolean;
}

/** A folder to make, with its parents. */
export interface NewFolder {
  path: string;
}

/** A user who is to get a token. */
export interface NewToken {
  name: string;
  read_only?: boolean;
}

/** Some packages. */
export interface PackageList {
  packages: PackageView[];
}

/** An installed package. */
export interface PackageView {
  name: string;
  version: string;
  language: string;
}

/** Code to judge. */
export interface PolicyQuestion {
  command: string;
  language?: "python" | "bash" | "javascript" | "typescript" | "ruby" | "php" | "lua" | "r" | "perl" | "scheme" | "sql";
  cwd?: string | null;
  policy?: string | null;
}

/** The rules of the configuration, in their order; the first that fits a fact decides about it. */
export interface PolicyView {
  file: string | null;
  verdict: string;
  risk: string;
  rules: RuleView[];
}

/** An error, as clients get it. */
export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  id: string;
  fix?: string;
  instance?: string;
}

/** The bytes of a file. */
export interface ReadFile {
  verb: "read";
  path: string;
  limit: number;
}

/** A file that was not taken. */
export interface Refusal {
  name: string;
  reason: string;
}

/** What the card of an agent says. */
export interface RemoteAgentCard {
  name: string;
  description: string;
  skills: Record<string, unknown>[];
  more_skills?: number;
}

/** The agents, and the servers that cannot be used. */
export interface RemoteAgentListing {
  agents: RemoteAgentCard[];
  failures: Record<string, string>;
}

/** Remove a file or a folder. */
export interface Remove {
  verb: "remove";
  path: string;
  recursive?: boolean;
}

/** A new title. */
export interface Renaming {
  title: string;
}

/** Replace an interpreter by a fresh one. */
export interface Reset {
  verb: "reset";
  language?: string;
}

/** A rule: what it is about, and what it decides. */
export interface RuleView {
  id: string;
  when: Record<string, unknown>;
  verdict: string;
  risk: string;
  reason: string;
  advice: string;
}

/** `run`, `bash` and `stream`; the answer is a Result. */
export interface RunCode {
  verb: "run";
  code: string;
  language?: string;
  seconds?: number | null;
  stdin?: string | null;
  interactive?: boolean;
  profile?: boolean;
  args?: string[];
  file?: string | null;
  cwd?: string | null;
  setup?: boolean;
}

/** Options of a session's sandbox that a client may choose, within what the server allows; None: the server's. */
export interface SandboxWish {
  languages?: string[] | null;
  memory_mb?: number | null;
  output_limit?: number | null;
  allow_net?: string[] | null;
  auto_install?: boolean | null;
}

/** Save the sandbox; the file comes after. */
export interface Save {
  verb: "save";
  python?: boolean;
  files?: boolean;
}

/** A message for the agent. */
export interface Saying {
  content: string;
}

/** Some sessions, the most recently used first. */
export interface SessionPage {
  sessions: SessionView[];
  has_more: boolean;
}

/** What is told of a session. */
export interface SessionView {
  id: string;
  title: string;
  owner: string;
  state: string;
  runtime: string;
  repository: string | null;
  branch: string | null;
  agent: string;
  model: string | null;
  events: number;
  created: number;
  last_activity: number;
  clients: number;
  forked_from: ForkOrigin | null;
  status: string;
  workspace_kept: boolean;
}

/** Add environment variables. */
export interface SetEnv {
  verb: "set_env";
  env: Record<string, string>;
}

/** One setting, as it is in effect. */
export interface Setting {
  section: string;
  name: string;
  value: string | null;
  source: string;
  variable: string;
  about: string;
}

/** The settings in effect, and where they stand. */
export interface Settings {
  file: string | null;
  looked_for: string[];
  notes: string[];
  settings: Setting[];
}

/** What changed in a folder. */
export interface ShowDiff {
  verb: "diff";
  path: string;
  mark?: string | null;
}

/** What the sandbox is; with this a client also starts it. */
export interface ShowInfo {
  verb: "info";
}

/** Record the state of a folder. */
export interface TakeMark {
  verb: "mark";
  path: string;
}

/** A user, and what the token lets them do. */
export interface TokenView {
  name: string;
  scopes: string[];
  created: number;
}

/** What a tool is called with. */
export interface ToolCall {
  arguments?: Record<string, unknown>;
}

/** A tool that can be called. */
export interface ToolInfo {
  name: string;
  server: string;
  description: string;
  input_schema: Record<string, unknown>;
}

/** The servers, and the tools of those that are connected. */
export interface ToolListing {
  servers: ToolServer[];
  tools: ToolInfo[];
}

/** A configured MCP server. */
export interface ToolServer {
  name: string;
  failure: string;
}

/** Unload a language. */
export interface Unload {
  verb: "unload";
  language: string;
}

/** Whether the language was loaded. */
export interface Unloaded {
  unloaded: boolean;
}

/** Copy a file or folder into the sandbox; it went before, as an archive. */
export interface Upload {
  verb: "upload";
  path: string;
  blob: string;
}

/** What was brought in, and what was not. */
export interface UploadReport {
  uploaded: UploadedFile[];
  refused: Refusal[];
}

/** A file that was brought in. */
export interface UploadedFile {
  path: string;
  size: number;
}

/** The user of a token, and what it lets them do. */
export interface UserView {
  name: string;
  is_owner: boolean;
  may_run: boolean;
}

/** `allow`, `ask` or `deny`, and why; the first finding decided. */
export interface VerdictView {
  decision: string;
  risk: string;
  analyzer: string;
  findings: FindingView[];
}

/** What the agent shall do. */
export interface Wish {
  state: "awaiting_user_input" | "finished" | "paused" | "running" | "stopped";
}

/** Create or replace a file. */
export interface WriteFile {
  verb: "write";
  path: string;
  data?: string;
  blob?: string | null;
}
