/** A browser has no way to give memory back. */

export function collectGarbage(): void {}

export class IdleCollector {
  noteActivity(): void {}
}
