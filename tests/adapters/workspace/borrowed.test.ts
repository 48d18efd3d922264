import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { borrowedFor } from "../../../src/adapters/workspace/borrowed.ts";
import { temporaryFolder } from "../../support/bundle.ts";

test("a package is borrowed that lies in a folder of the person alone", () => {
  const home = temporaryFolder();
  const put = (path: string, text = ""): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const site = ".local/lib/python3.11/site-packages";
  put("own/node_modules/adder/package.json");
  put("own/node_modules/@a/b/package.json");
  put("own/clone/src/node_modules/inner/package.json");
  put("own/clone/.venv/lib/python3.11/site-packages/venv_only.py");
  for (const name of ["yaml/__init__.py", "venv_only.py"]) put(`${site}/${name}`);
  put(`${site}/PyYAML-6.0.dist-info/RECORD`, "PyYAML-6.0.dist-info/RECORD,,\nyaml/__init__.py,,\n");
  vi.stubEnv("HOME", home);
  const top = join(home, "own", "clone");
  const found = (name: string, file: string) => borrowedFor(top, name, join(top, file));
  const packages = join(home, "own", "node_modules");
  expect(found("adder", "src/a.js")).toEqual({ folder: packages, names: [] });
  expect(found("@a/b", "a.ts")).toEqual({ folder: packages, names: [] });
  expect([found("inner", "src/a.js"), found("fs", "src/a.js")]).toEqual([null, null]);
  expect(found("yaml", "src/a.py")).toEqual({ folder: join(home, site), names: ["PyYAML"] });
  expect([found("venv_only", "a.py"), found("adder", "a.py")]).toEqual([null, null]);
});
