/** Whether somebody changed the person's checkout while the loop ran (CHECKOUT-WATCH-1 to 3). */
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

const HOW = { accept: false, reachable: true, deciding: "", written: [] };

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
    watch: (change) => watchCheckout({ ...found.value, ...HOW, own, dir, loop: "l", ...change }),
  };
}

test("CHECKOUT-WATCH-1: a change is seen by every later run of the loop until a person accepts it, or it was forgotten", async () => {
  const { write, watch } = await checkout();
  await watch();
  write("ignored/lib.js", "2");
  for (let run = 0; run < 2; run++) expect(await (await watch()).changes()).toEqual(["ignored/lib.js"]);
  expect((await watch({ deciding: "filter.x.smudge" })).resettled).toBe(true);
  // Another loop has not seen it otherwise, nor one whose checks cannot look there.
  for (const how of [{ reachable: false }, { loop: "other" }, { accept: true }])
    expect(await (await watch(how)).changes()).toEqual([]);
  write("ignored/lib.js", "3");
  const changed = await watch();
  expect(await changed.changes()).toEqual(["ignored/lib.js"]);
  changed.forget();
  expect(await (await watch()).changes()).toEqual([]);
});

test("CHECKOUT-WATCH-2: a file that is written anew as it was committed has not changed; a mode has", async () => {
  const { root, write, git, watch } = await checkout();
  const watched = await watch();
  write("a.txt", "b\n");
  expect(await watched.changes()).toEqual(["a.txt"]);
  git("checkout", "--", "a.txt");
  expect(await watched.changes()).toEqual([]);
  if (process.platform === "win32") return;
  chmodSync(join(root, "a.txt"), 0o755);
  expect(await watched.changes()).toEqual(["a.txt"]);
});

test("a file that a set-up links has not changed, one that was written has", async () => {
  const { root, write, watch } = await checkout();
  const watched = await watch();
  linkSync(join(root, "ignored/lib.js"), join(root, "linked.js"));
  expect(await watched.changes()).toEqual(["linked.js"]);
  write("ignored/lib.js", "three");
  expect(await watched.changes()).toEqual(["ignored/lib.js", "linked.js"]);
});

test("of the git directory its settings, hooks and info count, and what every command writes does not", async () => {
  const { write, git, watch } = await checkout();
  const watched = await watch();
  git("branch", "other");
  git("update-index", "--assume-unchanged", "a.txt");
  git("gc", "-q");
  expect(await watched.changes()).toEqual([]);
  git("config", "core.autocrlf", "true");
  write(".git/hooks/pre-commit", "exit 1");
  write(".git/objects/info/alternates", "/elsewhere\n");
  expect(await watched.changes()).toEqual([".git/config", ".git/hooks/pre-commit", ".git/objects/info/alternates"]);
});

test("CHECKOUT-WATCH-3: no loop's files count, nor those that the run writes", async () => {
  const { root, write, watch } = await checkout();
  const watched = await watch({ written: [join(root, "report.json")] });
  for (const file of (
    ".claude/aot-loop/journal.jsonl .claude/aot-loop-state.md .claude/worktrees/x/a.txt .claude/two.md " +
    ".claude/two.md.lock .claude/two.md.aot-loop/journal.jsonl report.json"
  ).split(" "))
    write(file, "x");
  expect(await watched.changes()).toEqual([]);
});
