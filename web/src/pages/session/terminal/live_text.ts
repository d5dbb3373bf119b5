/** What commands print while they run, in its order: of a flood only the end. */

/** Characters that are kept, and how many are left when there are more. */
const MOST = 200_000;
const LEFT = 20_000;
const NOTE = "\x1b[2m[much output: what came before this is in the events, when the command has ended]\x1b[0m\n";

export class LiveText {
  readonly #texts = new Map<number, string>();

  hear(action: number, text: string): void {
    const all = (this.#texts.get(action) ?? "") + text;
    this.#texts.set(action, all.length > MOST ? NOTE + all.slice(-LEFT) : all);
  }

  has(action: number): boolean {
    return this.#texts.has(action);
  }

  read(action: number): string {
    return this.#texts.get(action) ?? "";
  }

  /** Forgets what was printed by actions that have been answered. */
  keepOnly(action: number | undefined): void {
    for (const id of this.#texts.keys()) if (id !== action) this.#texts.delete(id);
  }
}
