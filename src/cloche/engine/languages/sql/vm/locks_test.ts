import { strictEqual } from "node:assert/strict";
import { Locks } from "./locks.ts";

Deno.test("many may read, one may be about to write, and it waits until the others have read", () => {
  const locks = new Locks();
  const [a, b] = [{ level: 0 }, { level: 0 }];
  strictEqual(locks.raise("/db", a, 1), true);
  strictEqual(locks.raise("/db", b, 1), true);
  strictEqual(locks.raise("/db", a, 2), true);
  strictEqual(locks.raise("/db", b, 2), false);
  strictEqual(locks.isReserved("/db"), true);
  strictEqual(locks.raise("/db", a, 4), false);
  locks.lower("/db", b, 0);
  strictEqual(locks.raise("/db", b, 1), false, "nobody begins to read while one waits to write");
  strictEqual(locks.raise("/db", a, 4), true);
  locks.lower("/db", a, 0);
  strictEqual(locks.isReserved("/db"), false);
  strictEqual(locks.raise("/db", b, 1), true);
  strictEqual(locks.raise("/other", a, 4), true);
});
