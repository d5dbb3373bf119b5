/** What an action was and what came of it, by its kind. */

import { lazy, Suspense } from "react";
import { kindOf } from "../../../events/kinds.ts";
import { textAt, type WireEvent } from "../../../events/wire.ts";
import { AgentList, RemoteTask, TaskState } from "./a2a.tsx";
import { BrowserActions, OpenedPage, PageAddress } from "./browse.tsx";
import { BodyGuard } from "./body_guard.tsx";
import { Changes } from "./changes.tsx";
import { CodeOutput, GivenCode } from "./code.tsx";
import { CommandOutput, GivenCommand } from "./command.tsx";
import { Delegation, DelegationEnd, Finish, Rejection, Tasks, Thought } from "./conversation.tsx";
import { ErrorText, Refusal } from "./error.tsx";
import { EditResult, FileText, GivenEdit, GivenFile, GivenText } from "./file.tsx";
import { FileList, FolderPath, MovedPaths, Uploads } from "./folder.tsx";
import { LiveText } from "./live_text.tsx";
import { Message } from "./message.tsx";
import type { Part, PartProps } from "./part.ts";
import { ResultText } from "./result_text.tsx";
import { SandboxCall, ToolCall, ToolResult } from "./tool.tsx";
import { UnknownEvent } from "./unknown.tsx";
import "./cards.css";

const Markdown = lazy(() => import("../../../outputs/markdown.tsx"));

/** Nothing to show besides what the action says itself. */
const Silent: Part = () => null;

const ACTIONS: Record<string, Part> = {
  run: GivenCommand,
  run_ipython: GivenCode,
  run_code: GivenCode,
  read: GivenFile,
  write: GivenText,
  edit: GivenEdit,
  mkdir: FolderPath,
  rmdir: FolderPath,
  rm: FolderPath,
  copy_to: FolderPath,
  copy_from: FolderPath,
  list_files: FolderPath,
  move: MovedPaths,
  upload: Uploads,
  message: Message,
  think: Thought,
  finish: Finish,
  reject: Rejection,
  delegate: Delegation,
  task_tracking: Tasks,
  call_tool_mcp: ToolCall,
  sandbox_call: SandboxCall,
  a2a_list_remote_agents: Silent,
  a2a_send_task: RemoteTask,
  a2a_cancel_task: RemoteTask,
  browse: PageAddress,
  browse_interactive: BrowserActions,
};

const OBSERVATIONS: Record<string, Part> = {
  run: CommandOutput,
  run_ipython: CodeOutput,
  run_code: CodeOutput,
  read: FileText,
  write: ResultText,
  edit: EditResult,
  mkdir: Silent,
  rmdir: Silent,
  rm: Silent,
  move: Silent,
  copy_from: Silent,
  think: Silent,
  null: Silent,
  success: ResultText,
  list_files: FileList,
  delegate: DelegationEnd,
  task_tracking: Silent,
  mcp: ToolResult,
  sandbox_call: ResultText,
  a2a_list_remote_agents: AgentList,
  a2a_send_task: TaskState,
  a2a_cancel_task: TaskState,
  browse: OpenedPage,
  download: ResultText,
  condense: ResultText,
  error: ErrorText,
  user_rejected: Refusal,
};

export function CardBody(props: Omit<PartProps, "event">) {
  const { event, answer, live } = props.card;
  const Given = findPart(event);
  const Result = answer && findPart(answer);
  const thought = event.action === "think" || event.action === "finish" ? "" : textAt(event.args, "thought");
  return (
    <div className="card-body">
      <BodyGuard key={answer?.id ?? event.id} event={answer ?? event}>
        {thought && (
          <div className="card-part">
            <Suspense fallback={<p className="plain">{thought}</p>}>
              <Markdown source={thought} breaks />
            </Suspense>
          </div>
        )}
        <Given {...props} event={event} />
        {!answer && live && <LiveText live={live} open={props.open} />}
        {answer && Result && <Result {...props} event={answer} />}
        {answer && <Changes sid={props.sid} answer={answer} shown={answer.observation === "edit"} />}
      </BodyGuard>
    </div>
  );
}

function findPart(event: WireEvent): Part {
  const known = event.action === undefined ? OBSERVATIONS : ACTIONS;
  const kind = kindOf(event);
  return (Object.hasOwn(known, kind) ? known[kind] : undefined) ?? UnknownEvent;
}
