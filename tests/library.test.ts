/** The library as its users have it: the built package, imported by its name. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as Library from "../src/index.ts";
import { CORRECTED, linesOf } from "./support/transcript.ts";
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

async function imported(): Promise<typeof Library> {
  return (await import(pathToFileURL(join(built, "dist", "lib", "index.js")).href)) as typeof Library;
}

test("SPEC 10: what the CLI does is reachable without it: align, edit, plan, run, verify, read", () => {
  const folder = repository();
  const printed = JSON.parse(example("library.mjs", folder)) as {
    readonly plan: { readonly iterations: number };
    readonly events: readonly string[];
    readonly lines: readonly { readonly atom?: string }[];
  };
  expect(printed.plan.iterations).toBe(5);
  expect(printed).toMatchObject({
    exit_code: 0,
    status: "completed",
    passed: true,
    report: { outcome: "verified", merged: true, verdict: { passed: true } },
  });
  expect(printed.events.filter((event) => event === "atom_resolved")).toHaveLength(2);
  expect(printed.lines.length).toBeGreaterThan(0);
  expect(readFileSync(join(folder, "de.txt"), "utf8")).toBe("Hello");
});

test("SPEC 6, 10: a library aligns as `aot align` does: checks that prove nothing, and an unfinished loop, are refused", async () => {
  const { alignLoop } = await imported();
  const stateFile = join(repository(), ".claude", "loop.md");
  const proving = (value: string) => ({ goal: "g", base_case: { type: "command", value } }) as const;
  expect(await alignLoop(proving("true"), { stateFile })).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("already passes") }],
  });
  expect(existsSync(stateFile)).toBe(false);
  expect(await alignLoop(proving("test -f made.txt"), { stateFile })).toMatchObject({ ok: true });
  expect(await alignLoop(proving("test -f other.txt"), { stateFile })).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("unfinished loop") }],
  });
  expect(await alignLoop(proving("true"), { stateFile, force: true })).toMatchObject({
    ok: true,
    value: { backup: `${stateFile}.bak-1`, state: { objective: { goal: "g" } } },
  });
});

test("SPEC 6, 10: verifying names the protected files that changed since the alignment", async () => {
  const library = await imported();
  const root = repository();
  const stateFile = join(root, ".claude", "loop.md");
  const alignment = { goal: "g", base_case: { type: "file", value: "x" }, protected: ["tests/**"] } as const;
  expect(await library.alignLoop(alignment, { stateFile })).toMatchObject({ ok: true });
  expect(await library.verifyLoop(stateFile)).toMatchObject({ ok: true, value: { passed: false, tampered: [] } });
  mkdirSync(join(root, "tests"));
  writeFileSync(join(root, "tests", "new.ts"), "");
  expect(await library.verifyLoop(stateFile)).toMatchObject({ ok: true, value: { tampered: ["tests/new.ts"] } });
});

test("SPEC 12: guard rules as a library: a folder's rules, an action, what is blocked", async () => {
  const { judgeAction, loadRules, toolSubject } = await imported();
  const dir = temporary();
  const rule = "---\nname: slow\nenabled: true\nevent: bash\npattern: (a+)+$\naction: block\n---\nno";
  writeFileSync(join(dir, "hookify.slow.local.md"), rule);
  const files = await loadRules([{ owner: "project", dir }]);
  const on = (command: string) => judgeAction(files, toolSubject("Bash", { command }), "before");
  expect(await on("AAA")).toMatchObject({ block: expect.stringContaining("no"), fired: [{ decided: true }] });
  // The second engine for patterns is in the package, too.
  expect(await on(`${"a".repeat(60)}!`)).toMatchObject({ block: null, fired: [] });
});

test("SPEC 12: transcripts as a library: from a folder to a rule's file", async () => {
  const library = await imported();
  const folder = temporary();
  writeFileSync(join(folder, "s.jsonl"), linesOf(CORRECTED));
  const choice = { paths: [folder], everywhere: false };
  const rule = { name: "use-pnpm", words: "Use pnpm.", when: [{ field: "command", pattern: String.raw`^npm\b` }] };
  const analyzed = await library.analyzeTranscripts(choice, { cwd: folder, env: {} }, undefined, ([turn]) => {
    const [moment] = turn?.moments ?? [];
    if (turn === undefined || moment?.kind !== "call") throw new Error("there is no turn");
    const reading = { quote: turn.text, call: moment.call, severity: "medium" as const, rule };
    const agreed = [{ turn, quote: turn.text, call: moment.call, readings: [reading, reading] }];
    return Promise.resolve({ ok: true as const, value: { agreed, differing: 0 } });
  });
  const [first] = analyzed.ok ? analyzed.value.findings : [];
  if (first?.proposed == null) throw new Error(JSON.stringify(analyzed));
  const text = library.ruleText({ ...first.proposed.rule, shadow: true });
  expect(text.ok && library.writeNewRule({ owner: "project", dir: folder }, "no-npm", text.value, false).ok).toBe(true);
  const [file] = await library.loadRules([{ owner: "project", dir: folder }]);
  const replayed = await library.replayRules(
    file?.rule == null ? [] : [file.rule],
    choice,
    { cwd: folder, env: {} },
    { keep: 1 },
  );
  expect(replayed).toMatchObject({ ok: true, value: { rules: [{ caught: 1, catches: [{ text: "npm install x" }] }] } });
});
