/** The package as it is published: what is in it, and that it works where nothing else is. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stagePackage } from "./support/staged-package.ts";

const ROOT = process.cwd();
const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
/** Types of Node are what a user of a Node library has. */
const settings = [
  ..."--strict --exactOptionalPropertyTypes --module nodenext --target es2023 --noEmit --types node".split(" "),
  "--typeRoots",
  join(ROOT, "node_modules", "@types"),
];
const folder = mkdtempSync(join(tmpdir(), "aot-package-"));
const installed = join(folder, "node_modules", "aot-loop");
/** Of the tarball, bytes: the command, the library with its types and its engines, the page of the dashboard. */
const LARGEST = 1_650_000;

let built: string;
let packed: { readonly filename: string; readonly size: number; readonly files: readonly { readonly path: string }[] };

/** Scripts are not run by `npm pack`: dist/ is what was just built. */
beforeAll(() => {
  built = stagePackage();
  const reported = JSON.parse(npm(built, "pack", "--json", "--ignore-scripts", "--pack-destination", folder)) as
    | readonly (typeof packed)[]
    | Readonly<Record<string, typeof packed>>;
  const [only] = Object.values(reported);
  if (only === undefined) throw new Error("npm pack made nothing");
  packed = only;
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true, "type": "module" }\n');
  npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", join(folder, packed.filename));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(cwd: string, ...args: readonly string[]): string {
  const shell = process.platform === "win32";
  return execFileSync("npm", args, {
    cwd,
    encoding: "utf8",
    shell,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 110_000,
  });
}

function node(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: 30_000 });
}

test("the tarball holds the built command, the library with its types, the schemas and the pages; nothing else", () => {
  const expected =
    /^(package\.json|schemas\/[\w.-]+\.schema\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/bin\.cjs|dist\/cli\/[\w-]+\.cjs|dist\/dashboard\/[\w-]+\.(html|js|css|svg)|dist\/lib\/[\w/-]+\.(js|d\.ts))$/;
  expect(packed.files.map((file) => file.path).filter((path) => !expected.test(path))).toEqual([]);
  expect(packed.files.map((file) => file.path)).toContain("schemas/aot.config.schema.json");
  expect(packed.size).toBeLessThan(LARGEST);
});

test("no file of the tarball names the machine that it was built on", () => {
  const naming = packed.files.filter((file) => {
    const bytes = readFileSync(join(installed, file.path));
    return [ROOT, built].some((place) => bytes.includes(place));
  });
  expect(naming).toEqual([]);
});

test("`npx aot` works there, and knows its version", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
  expect(npm(folder, "exec", "--offline", "--", "aot", "--help")).toContain("aot run");
  expect(npm(folder, "exec", "--offline", "--", "aot", "--version").trim()).toBe(version);
  expect(npm(folder, "exec", "--offline", "--", "aot-loop", "--version").trim()).toBe(version);
});

test('`import("aot-loop")` works there', () => {
  const script =
    'const { alignLoop, runLoop, EXIT_CODES } = await import("aot-loop"); console.log(typeof alignLoop, typeof runLoop, EXIT_CODES.tampered)';
  expect(node("--input-type=module", "-e", script).trim()).toBe("function function 18");
});

test("SPEC 10: the library draws there, with what the package depends on and nothing else", () => {
  const aot = join(installed, "dist", "bin.cjs");
  node(aot, "align", "draw it", "--check", "file: x", "--atom", "A1: one", "--yes", "--state-file", "draw.md");
  const script = `
    const { mermaidText, loopReport, readStateFile } = await import("aot-loop");
    const read = await readStateFile("draw.md");
    const report = await loopReport("draw.md");
    console.log(mermaidText(read.value.state).includes("A1: one"), report.value.html.includes("0 of 1 resolved"));`;
  expect(node("--input-type=module", "-e", script).trim()).toBe("true true");
});

test('SPEC 13: `import("aot-loop/engine")` works there without the library of the engine, and says what to install', () => {
  const script = `
    const { engineNamed, startWorker, submitLoop } = await import("aot-loop/engine");
    const engine = engineNamed("postgres://127.0.0.1:1/loops", {}).value;
    const wish = { engine: "postgres://127.0.0.1:1/loops", name: "w", slots: 1, dir: "w", warn() {} };
    const worker = await startWorker(wish);
    console.log(JSON.stringify([engine.name, typeof submitLoop, worker.problems[0].hint]));`;
  expect(JSON.parse(node("--input-type=module", "-e", script))).toEqual([
    "postgres://127.0.0.1:1/loops",
    "function",
    expect.stringContaining("npm install @dbos-inc/dbos-sdk"),
  ]);
});

test("SPEC 10: the command has the Agent Client Protocol built in; the library says what to install for it", () => {
  const aot = join(installed, "dist", "bin.cjs");
  node(aot, "align", "ask", "--check", "file: x", "--yes", "--state-file", "ask.md");
  const script = `
    const { runLoop } = await import("aot-loop");
    console.log(JSON.stringify(await runLoop({ stateFile: "ask.md", agent: "acp:x", judge: "none" })));`;
  expect(node("--input-type=module", "-e", script)).toContain("npm install @agentclientprotocol/sdk");
  const agent = `acp:"${process.execPath}" "${join(ROOT, "tests", "fixtures", "agents", "fake-acp.mjs")}"`;
  node(aot, "align", "a goal", "--check", "file: made.txt", "--yes");
  const run = node(aot, "run", "--json", "--agent", agent);
  expect(JSON.parse(run)).toMatchObject({ success: true, outcome: "verified", cost_usd: 0.25 });
});

test("its types resolve there, under the strictest settings", () => {
  writeFileSync(
    join(folder, "use.ts"),
    `import { readStateFile, runLoop, type JournalLine, type Outcome, type State } from "aot-loop";
     import { engineNamed, startWorker, submitLoop, type Engine, type LoopView, type SubmitOptions } from "aot-loop/engine";
     const read = await readStateFile("x.md");
     if (read.ok) { const state: State = read.value.state; const [goal]: string[] = [state.objective.goal]; void goal; }
     export const outcome = (end: Awaited<ReturnType<typeof runLoop>>): Outcome | null => (end.ok ? end.report.outcome : null);
     export type Kind = JournalLine["event"];
     const engine = engineNamed("postgres://127.0.0.1/aot", {});
     const view = async (one: Engine): Promise<LoopView | null> => await one.view("x");
     export const told = async (): Promise<LoopView | null> => (engine.ok ? await view(engine.value) : null);
     export const hand = async (wish: SubmitOptions): Promise<string> => { const done = await submitLoop(wish); return done.ok ? done.value.owner.loop : ""; };
     // @ts-expect-error a wish is needed
     startWorker();
     // @ts-expect-error a state file is needed
     runLoop();\n`,
  );
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...settings, "use.ts"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});
