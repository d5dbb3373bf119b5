/** A browser has no way to return memory. */

export function collectGarbage(): void {}

export class IdleCollector {
  noteActivity(): void {}
}
