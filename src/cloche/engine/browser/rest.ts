/** In a browser nobody can be told to give memory back. */

export class Rest {
  stir(): void {}
}
