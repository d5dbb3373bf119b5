import { refuseInBrowser } from "./missing.ts";

export class Worker {
  constructor() {
    refuseInBrowser("a worker")();
  }
}
