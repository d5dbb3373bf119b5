import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  addDependencies,
  deleteFields,
  getFields,
  initProject,
  makeLock,
  type Project,
  removeDependencies,
  setFields,
} from "./npm_project.ts";

Deno.test("a new project is what npm makes of its folder, and keeps what it had", () => {
  const made = initProject("/workspace/My App", { version: "2.0.0", extra: 1 });
  deepStrictEqual(Object.keys(made).join(), "name,version,description,main,scripts,keywords,author,license,type,extra");
  deepStrictEqual([made.name, made.version, made.type], ["my-app", "2.0.0", "commonjs"]);
});

Deno.test("fields are read, set and deleted by their paths", () => {
  const project: Project = { name: "a", scripts: { test: "x" }, list: [1, { b: 2 }] };
  deepStrictEqual(getFields(project, ["scripts.test"]), "x");
  deepStrictEqual(getFields(project, ["name", "list[1].b", "none"]), { name: "a", "list[1].b": 2 });
  deepStrictEqual(getFields(project, ["none"]), {});
  strictEqual(setFields(project, ["scripts.build=tsc -p .", "list[]=3", "deep.new.field=1"], false), undefined);
  strictEqual(setFields(project, ["private=true", "n=5"], true), undefined);
  deepStrictEqual(project, {
    name: "a",
    scripts: { test: "x", build: "tsc -p ." },
    list: [1, { b: 2 }, "3"],
    deep: { new: { field: "1" } },
    private: true,
    n: 5,
  });
  strictEqual(setFields(project, ["alone"], false), "npm pkg set expects a key=value pair of args.");
  strictEqual(typeof setFields(project, ["a=text"], true), "string");
  strictEqual(setFields(project, ["__proto__.x=1"], false), "the key __proto__ cannot be set");
  deleteFields(project, ["scripts.test", "list[0]", "none.at.all"]);
  deepStrictEqual([project.scripts, project.list], [{ build: "tsc -p ." }, [{ b: 2 }, "3"]]);
});

Deno.test("what is installed is recorded as npm records it", () => {
  const project: Project = { devDependencies: { b: "^1.0.0" } };
  const installed = new Map([["b", "2.1.0"], ["a@1.2.3", "1.2.3"], ["@s/c@~3.0.0", "3.0.9"], ["d@latest", "4.0.0"]]);
  addDependencies(project, installed, "dependencies", false);
  deepStrictEqual({ ...project }, { dependencies: { "@s/c": "~3.0.0", a: "^1.2.3", b: "^2.1.0", d: "^4.0.0" } });
  addDependencies(project, new Map([["a", "1.2.3"]]), "devDependencies", true);
  deepStrictEqual(project.devDependencies, { a: "1.2.3" });
  strictEqual(removeDependencies(project, ["a", "none"]), true);
  strictEqual(project.devDependencies, undefined);
});

Deno.test("the lock file lists what a project needs, and what that needs", () => {
  const known: Record<string, Project> = {
    a: { version: "1.0.0", dependencies: { b: "*" } },
    b: { version: "2.0.0", dependencies: { a: "*" } },
  };
  const lock = makeLock({ name: "p", version: "1.0.0", dependencies: { a: "^1.0.0" } }, (name) => known[name]);
  deepStrictEqual(JSON.parse(JSON.stringify(lock)), {
    name: "p",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "p", version: "1.0.0", dependencies: { a: "^1.0.0" } },
      "node_modules/a": { version: "1.0.0", dependencies: { b: "*" } },
      "node_modules/b": { version: "2.0.0", dependencies: { a: "*" } },
    },
  });
});
