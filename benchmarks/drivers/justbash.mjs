// The peer "just-bash": answers each line, a command as JSON, with one line of JSON. Its own Python is switched on.
import { createInterface } from "node:readline";
import { Bash } from "just-bash";

const bash = new Bash({ python: true });
for await (const line of createInterface({ input: process.stdin })) {
  const { stdout, stderr, exitCode } = await bash.exec(JSON.parse(line));
  process.stdout.write(JSON.stringify({ stdout, stderr, exitCode }) + "\n");
}
