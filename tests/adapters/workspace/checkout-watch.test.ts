/** Whether somebody changed the person's checkout while the loop ran (CHECKOUT-WATCH-1 to 3). */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watchCheckout, type CheckoutWatch, type Watched } from "../../../src/adapters/workspace/checkout-watch.ts";
import { ownFiles } from "../../../src/adapters/workspace/own-files.ts";
import { findRepository } from "../../../src/adapters/workspace/repository.ts";

interface Checkout {
  readonly root: string;
  write(file: string, text: string): void;
  git(...args: string[]): string;
  watch(change?: Partial<Watched>): Promise<CheckoutWatch>;
}

async function checkout(): Promise<Checkout> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "aot-print-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]): string => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  git("init", "-q");
  write("a.txt", "a\n");
  write(".gitignore", "ignored/\n");
  write("ignored/lib.js", "1");
  git("add", "-A");
  git("-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "init");
  const found = await findRepository(root);
  if (!found.ok) throw new Error(found.problem.message);
  const dir = join(root, ".claude", "aot-loop");
  const own = ownFiles(root, join(root, ".claude", "aot-loop-state.md"), dir);
  return {
    root,
    write,
    git,
    watch: (change) =>
      watchCheckout({ ...found.value, own, dir, loop: "l", dirty: [], accept: false, written: [], ...change }),
  };
}

test("CHECKOUT-WATCH-1: a change is seen by every later run of the loop until a person accepts it, or it was forgotten", async () => {
  const { write, watch } = await checkout();
  await watch();
  write("ignored/lib.js", "2");
  for (let run = 0; run < 2; run++) {
    const again = await watch();
    expect(again.earlier).toBe(true);
    expect(await again.changes()).toEqual({ changed: ["ignored/lib.js"], harmless: [] });
  }
  // Another loop has not seen it otherwise.
  expect((await watch({ loop: "other" })).earlier).toBe(false);
  const accepted = await watch({ accept: true });
  expect(await accepted.changes()).toEqual({ changed: [], harmless: [] });
  accepted.forget();
  expect((await watch()).earlier).toBe(false);
});

test("CHECKOUT-WATCH-2: a file that is written anew as it was committed has not changed; a mode has", async () => {
  const { root, write, git, watch } = await checkout();
  const watched = await watch();
  write("a.txt", "b\n");
  expect((await watched.changes()).changed).toEqual(["a.txt"]);
  git("checkout", "--", "a.txt");
  expect((await watched.changes()).changed).toEqual([]);
  if (process.platform === "win32") return;
  chmodSync(join(root, "a.txt"), 0o755);
  expect((await watched.changes()).changed).toEqual(["a.txt"]);
});

test.each(["any", "shared"] as const)(
  "CHECKOUT-WATCH-2: a linked file has not changed, one that was written has: %s",
  async (linked) => {
    const { root, write, watch } = await checkout();
    if (linked === "shared") linkSync(join(root, "ignored/lib.js"), join(root, "ignored/same.js"));
    const watched = await watch({ linked });
    linkSync(join(root, "ignored/lib.js"), join(root, "linked.js"));
    const changes = async (): Promise<readonly string[]> =>
      (await watched.changes()).changed.filter((path) => path === "ignored/lib.js");
    expect(await changes()).toEqual([]);
    write("ignored/lib.js", "3");
    expect(await changes()).toEqual(["ignored/lib.js"]);
  },
);

test("a file that is put back with its size and its times is another one all the same", async () => {
  const { root, write, watch } = await checkout();
  const past = new Date("2026-01-01T00:00:00Z");
  utimesSync(join(root, "ignored/lib.js"), past, past);
  const watched = await watch();
  write("ignored/lib.js", "3");
  utimesSync(join(root, "ignored/lib.js"), past, past);
  expect((await watched.changes()).changed).toEqual(["ignored/lib.js"]);
});

test("of the git directory its settings, hooks and info count, and what every command writes does not", async () => {
  const { root, write, git, watch } = await checkout();
  const watched = await watch();
  git("branch", "other");
  git("update-index", "--assume-unchanged", "a.txt");
  git("gc", "-q");
  expect((await watched.changes()).changed).toEqual([]);
  git("config", "core.autocrlf", "true");
  write(".git/hooks/pre-commit", "exit 1");
  appendFileSync(join(root, ".git", "info", "exclude"), "x\n");
  write(".git/objects/info/alternates", "/elsewhere\n");
  expect((await watched.changes()).changed).toEqual([
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/info/exclude",
    ".git/objects/info/alternates",
  ]);
});

test("CHECKOUT-WATCH-3: caches are distinguished; the loop's own files and those that the run writes are none of it", async () => {
  const { root, write, watch } = await checkout();
  const watched = await watch({ written: [join(root, "report.json")] });
  for (const file of [
    ".claude/aot-loop/journal.jsonl",
    ".claude/aot-loop-state.md",
    ".claude/worktrees/x/a.txt",
    "report.json",
  ])
    write(file, "x");
  expect(await watched.changes()).toEqual({ changed: [], harmless: [] });
  const caches = [
    ".claude/settings.local.json",
    ".pytest_cache/v",
    "node_modules/.cache/b",
    "venv/lib/site-packages/p/__pycache__/p.pyc",
    "x.log",
  ];
  for (const file of caches) write(file, "x");
  const sources = ["node_modules/p/index.js", "src/__pycache__/m.pyc", "venv/lib/site-packages/p/__init__.py"];
  for (const file of sources) write(file, "x");
  const changes = await watched.changes();
  expect(changes.changed.toSorted()).toEqual(sources.toSorted());
  expect(changes.harmless.toSorted()).toEqual(caches.toSorted());
});
