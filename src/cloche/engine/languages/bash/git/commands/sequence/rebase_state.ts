/** What a rebase that is under way keeps in `.git/rebase-merge`, in git's own files. */
import { GitError } from "../../options.ts";
import { parsePerson, type Person } from "../../repository/objects.ts";
import type { Repo } from "../../repository/repository.ts";
import { parseSteps, renderSteps, type Step } from "./todo.ts";

const FOLDER = "rebase-merge";

export class RebaseState {
  constructor(private readonly repo: Repo) {}

  static async isActive(repo: Repo): Promise<boolean> {
    return await repo.call.ctx.fs.exists(`${repo.gitdir}/${FOLDER}`);
  }

  static async open(repo: Repo): Promise<RebaseState> {
    if (!await RebaseState.isActive(repo)) throw new GitError("No rebase in progress?");
    return new RebaseState(repo);
  }

  async read(name: string): Promise<string | undefined> {
    return await this.repo.note(`${FOLDER}/${name}`);
  }

  async value(name: string): Promise<string> {
    return (await this.read(name) ?? "").trim();
  }

  async write(name: string, text: string): Promise<void> {
    await this.repo.call.ctx.fs.mkdir(`${this.repo.gitdir}/${FOLDER}`, { recursive: true });
    await this.repo.writeNote(`${FOLDER}/${name}`, text);
  }

  async remove(...names: string[]): Promise<void> {
    await this.repo.removeNotes(...names.map((name) => `${FOLDER}/${name}`));
  }

  async clear(): Promise<void> {
    await this.repo.removeNotes(FOLDER, "CHERRY_PICK_HEAD", "MERGE_MSG", "REBASE_HEAD", "AUTO_MERGE");
  }

  path(name: string): string {
    return `${this.repo.gitdir}/${FOLDER}/${name}`;
  }

  async steps(): Promise<Step[]> {
    return await parseSteps(this.repo, await this.read("git-rebase-todo") ?? "");
  }

  async writeSteps(steps: Step[]): Promise<void> {
    await this.write("git-rebase-todo", renderSteps(steps));
  }

  async doneCount(): Promise<number> {
    return (await this.read("done") ?? "").split("\n").filter(Boolean).length;
  }

  async setAuthor({ name, email, time, zone }: Person): Promise<void> {
    const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    await this.write(
      "author-script",
      `GIT_AUTHOR_NAME=${quote(name)}\nGIT_AUTHOR_EMAIL=${quote(email)}\nGIT_AUTHOR_DATE=${
        quote(`@${time} ${zone}`)
      }\n`,
    );
  }

  async author(): Promise<Person | undefined> {
    const text = await this.read("author-script");
    if (text === undefined) return undefined;
    const value = (name: string) =>
      (text.match(new RegExp(`^${name}='(.*)'$`, "m"))?.[1] ?? "").replaceAll("'\\''", "'");
    const date = value("GIT_AUTHOR_DATE").replace(/^@/, "");
    return parsePerson(`${value("GIT_AUTHOR_NAME")} <${value("GIT_AUTHOR_EMAIL")}> ${date}`);
  }
}
