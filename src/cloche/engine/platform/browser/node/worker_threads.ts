import { missing } from "./missing.ts";

export class Worker {
  constructor() {
    missing("a worker")();
  }
}
