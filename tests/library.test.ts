/** The library as its users have it: the built package, imported by its name. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as Library from "../src/index.ts";
import { readCorpus } from "./fixtures/transcripts/corpus.mjs";
import { stagePackage } from "./support/staged-package.ts";

const folders: string[] = [];
let built: string;
beforeAll(() => {
  built = stagePackage();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "aot-library-"));
  folders.push(folder);
  return folder;
}

/** Runs a program of `examples/` in a folder where `aot-loop` is installed as a link to what was just built. */
function example(name: string, ...args: readonly string[]): string {
  const folder = temporary();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(built, join(folder, "node_modules", "aot-loop"), "junction");
  const program = join(folder, name);
  copyFileSync(join("examples", name), program);
  return execFileSync(process.execPath, [program, ...args], { encoding: "utf8", timeout: 60_000 });
}

function repository(): string {
  const folder = temporary();
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@localhost", ...args], { cwd: folder });
  };
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "nothing yet");
  return folder;
}

test("SPEC 10: everything the CLI does is reachable without it: create, edit, plan, run, read", () => {
  const folder = repository();
  const told = JSON.parse(example("library.mjs", folder)) as {
    readonly plan: { readonly iterations: number };
    readonly exit_code: number;
    readonly report: {
      readonly outcome: string;
      readonly merged: boolean;
      readonly verdict: { readonly passed: boolean };
    };
    readonly events: readonly string[];
    readonly status: string;
    readonly bindings: Readonly<Record<string, { readonly summary: string }>>;
  };
  expect(told.plan.iterations).toBe(5);
  expect(told).toMatchObject({
    exit_code: 0,
    status: "completed",
    report: { outcome: "verified", merged: true, verdict: { passed: true } },
    bindings: { en: { summary: "wrote en.txt" }, de: { summary: "wrote de.txt" } },
  });
  expect(told.events.filter((event) => event === "atom_resolved")).toHaveLength(2);
  expect(readFileSync(join(folder, "de.txt"), "utf8")).toBe("Hello");
});

test("SPEC 6, 10: whoever embeds a run can ask what `aot verify` says of protected files, in the run's own root", async () => {
  const library = (await import(pathToFileURL(join(built, "dist", "lib", "index.js")).href)) as typeof Library;
  const root = repository();
  const stateFile = join(temporary(), "loop.md");
  const aligned_commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const objective = {
    goal: "g",
    base_case: { type: "file", value: "x" },
    background_intent: "",
    deliverables: "",
    definition_of_done: "",
    constraints: library.DEFAULT_CONSTRAINTS,
    protected: ["tests/**"],
    aligned_commit,
  } as const;
  expect(await library.tamperedIn(stateFile, objective, root)).toEqual({ ok: true, value: [] });
  mkdirSync(join(root, "tests"));
  writeFileSync(join(root, "tests", "new.ts"), "");
  expect(await library.tamperedIn(stateFile, objective, root)).toEqual({ ok: true, value: ["tests/new.ts"] });
  const { tampered, notes } = await library.tamperingTold(stateFile, objective, root);
  expect(tampered).toEqual(["tests/new.ts"]);
  expect(notes).toEqual([expect.stringContaining("A run would stop as tampered")]);
});

test("SPEC 12: guard rules as a library: a file's text, an action, what fires", async () => {
  const { matchRules, readRule, toolSubject } = (await import(
    pathToFileURL(join(built, "dist", "lib", "index.js")).href
  )) as typeof Library;
  const read = readRule("---\nevent: bash\npattern: (a+)+$\naction: block\n---\nno", ".claude/hookify.slow.local.md");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const on = (command: string) => matchRules([read.value.rule], toolSubject("Bash", { command }));
  expect(await on("AAA")).toEqual([{ rule: read.value.rule, decided: true }]);
  // The second engine is there, too.
  expect(await on(`${"a".repeat(60)}!`)).toEqual([]);
});

test("SPEC 12: transcripts as a library: from a folder to a rule's file", async () => {
  const library = (await import(pathToFileURL(join(built, "dist", "lib", "index.js")).href)) as typeof Library;
  const folder = temporary();
  const [corrected] = readCorpus("tuned");
  writeFileSync(join(folder, "s.jsonl"), (corrected?.lines ?? []).join("\n"));
  const choice = { paths: [folder], everywhere: false };
  const analyzed = await library.analyzeTranscripts(choice, { cwd: folder, env: {} });
  const [first] = analyzed.ok ? analyzed.value.findings : [];
  if (first?.proposed == null) throw new Error(JSON.stringify(analyzed));
  const text = library.ruleText(library.wantedRule(first.proposed.proposal, true));
  expect(text.ok && library.writeNewRule({ owner: "project", dir: folder }, "no-npm", text.value, false).ok).toBe(true);
  const [file] = await library.loadRules([{ owner: "project", dir: folder }]);
  const replayed = await library.replayRules(
    file?.rule == null ? [] : [file.rule],
    choice,
    { cwd: folder, env: {} },
    { keep: 1 },
  );
  expect(replayed).toMatchObject({
    ok: true,
    value: { rules: [{ caught: 1, catches: [{ text: "npm install lodash" }] }] },
  });
});
