/** In a browser nobody can be told to give memory back. */

export function collectGarbage(): void {}

export class IdleCollector {
  noteActivity(): void {}
}
