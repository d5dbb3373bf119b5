/** The names of the shell's commands, for programs that look for them in /usr/bin. */

import { CATALOG } from "../catalog.ts";

/** Commands of the shell itself. */
export const SHELL_COMMANDS =
  (`arch awk base64 basename bash bc cat chmod cksum clear cmp column comm cp cut dash date dd
diff dirname du echo egrep env expand expr false fgrep file find fold gawk getconf git grep groups gunzip gzip head hexdump
hostname html-to-markdown id install ionice join jq link ln locale logname ls mawk md5sum mkdir mktemp mv nawk nice nl
nohup nproc od paste patch printenv printf pwd readlink realpath reset rev rg rm rmdir sed seq setsid sh sha1sum sha256sum
sha384sum sha512sum shuf sleep sort split sqlite3 stat stdbuf strings stty sudo sum sync tac tail tar tee time timeout
touch tput tr tree true truncate tty uname unexpand uniq unlink unzip uptime wc which whoami xan xargs xxd yes yq zcat
zip`).split(/\s+/);

/** Words that the shell answers, but that no program should find: they only say what a sandbox does not have. */
export const ABSENT_COMMANDS = (`alias apk apt apt-get brew dnf docker help history mkfifo ssh systemctl unalias
yum`).split(/\s+/);

/** Commands that need the sandbox around the shell. */
const SANDBOX_COMMANDS = ["curl", "df", "free", "npx", "pip", "pip3", "wget"];

/** Every command that is always there. */
export const COMMAND_NAMES: ReadonlySet<string> = new Set([
  ...SHELL_COMMANDS,
  ...SANDBOX_COMMANDS,
  ...Object.values(CATALOG).flatMap(({ commands, packageTools = [] }) => [...commands, ...packageTools]),
]);
