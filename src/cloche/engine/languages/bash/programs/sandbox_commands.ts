/** All programs that a sandbox's shell has without packages: the shell's own, and those that need what is around it. */

import type { Command as JustBashCommand } from "just-bash";
import type { Tree } from "../../../fs/tree.ts";
import { CATALOG, type Language, LANGUAGES } from "../../catalog.ts";
import { gitCommand } from "../git/command.ts";
import { allCommands } from "../just_bash/all_commands.ts";
import type { BashFiles } from "../just_bash/tree_files.ts";
import { jqCommand } from "../shell/commands/jq/command.ts";
import type { JqHost } from "../shell/commands/jq/jq.ts";
import { type Usage, usageCommands } from "../shell/commands/system/usage.ts";
import type { Command } from "../shell/processes/command.ts";
import { webCommands } from "../web/commands.ts";
import type { SendRequest } from "../web/web.ts";
import type { StartProgram } from "./language_programs.ts";
import { npmCommand } from "./npm_scripts.ts";
import { toolCommands } from "./package_managers.ts";
import { npxCommand, type Program } from "./package_programs.ts";
import { pipCommands } from "./pip.ts";

/** Names of languages beside those in the catalogue. */
const MORE: Partial<Record<Language, string[]>> = { ruby: ["irb"] };

/** What they need. */
export interface CommandServices {
  ask: SendRequest;
  /** Sends what was printed so far. */
  flush(): void;
  start: StartProgram;
  tree: Tree;
  files: BashFiles;
  isInterrupted(): boolean;
  openJq: JqHost["open"];
  /** The programs that packages of other languages than Python bring. */
  programs(): Program[];
  usage: Usage;
}

export function sandboxCommands(services: CommandServices): Command[] {
  const { ask, files, flush, isInterrupted, openJq, programs, start, tree, usage } = services;
  const languages = LANGUAGES.flatMap((language) =>
    [...CATALOG[language].commands, ...MORE[language] ?? []].map((name): Command => ({
      name,
      run: (context) => start(language, [name, ...context.argv.slice(1)], context),
    }))
  );
  const installers = toolCommands(ask, flush).map((each) => each.name === "npm" ? npmCommand(each) : each);
  const others: (Command | JustBashCommand)[] = [
    ...webCommands(ask),
    gitCommand({ ask, files }),
    jqCommand({ tree, isInterrupted, open: openJq }),
    ...pipCommands(ask, flush, start),
    ...installers,
    ...usageCommands(usage),
    npxCommand(programs, start),
  ];
  return allCommands([...languages, ...others]);
}
