/** The environment that every language starts with. */

export const ENVIRONMENT = {
  HOME: "/home/user",
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TMPDIR: "/tmp",
  PATH: "/usr/local/bin:/usr/bin:/bin",
};
