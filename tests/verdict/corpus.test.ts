/**
 * Every deed of the corpus against the real loop, with a clean clone as the oracle (SPEC section 6): a `verified` that the
 * oracle refutes is a failure, but for the rows that only confinement closes, which GUARANTEES.md lists. They are played without a
 * sandbox; `AOT_CORPUS_SANDBOX=require` plays all in one.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { globSync } from "tinyglobby";
import { afterAll, describe, expect, inject, test } from "vitest";
import type { Objective } from "../../src/core/state.ts";
import { leavesOf, type MechanicalCheck } from "../../src/core/verdict.ts";
import { runLoop, type RunOptions } from "../../src/index.ts";
import { stageAt, writeFiles, type Files, type Stage } from "../scenarios/stage.ts";
import { cleanEnv } from "../support/aot.ts";
import { eventually } from "../support/bundle.ts";
import { refutes } from "./oracle.ts";

interface Row {
  readonly files?: Files;
  /** In the person's checkout, and in no commit. */
  readonly mine?: Files;
  readonly base_case?: Objective["base_case"];
  readonly set_up?: true;
  /** The run is killed as soon as the deed is done. */
  readonly kill?: true;
  /** `refused`: whatever a clean clone says. */
  readonly expect?: "verified" | "refused";
  /** Nothing is protected. */
  readonly open?: true;
  /** Only confinement closes it: what GUARANTEES.md says of it. */
  readonly cage?: string;
  /** Not even a sandbox closes it. */
  readonly open_in_sandbox?: true;
}

const FOLDER = fileURLToPath(new URL("../fixtures/adversaries/corpus/", import.meta.url));
const { CORPUS } = (await import(pathToFileURL(join(FOLDER, "deeds.mjs")).href)) as {
  readonly CORPUS: Readonly<Record<string, Readonly<Record<string, Row>>>>;
};

const GOAL = `
const { readFileSync } = require("node:fs");
if (readFileSync("made.txt", "utf8") !== "honest\\n") process.exit(1);
`;
const BASE_CASE: Objective["base_case"] = {
  checklist: [{ item: "the goal's test passes", check: { type: "command", value: "node test/goal.cjs" } }],
};
const PROTECTED = ["test/**", "package.json"];

const CONFINED = process.env["AOT_CORPUS_SANDBOX"] === "require";
const table: string[] = [];
afterAll(() => {
  console.log(`family: rows, verified, refuted\n${table.join("\n")}`);
});

interface Played {
  readonly verified: boolean;
  readonly refuted: string | null;
}

async function play(family: string, name: string, row: Row): Promise<Played> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "aot-corpus-")));
  try {
    const stage = stageAt(top, {
      atoms: [{ id: "A1" }],
      constraints: { max_parallel_agents: 1, max_iterations: 2, max_stall_count: 9 },
      objective: { base_case: row.base_case ?? BASE_CASE, protected: row.open === true ? [] : PROTECTED },
      files: {
        "test/goal.cjs": GOAL,
        "package.json": "{}\n",
        "src/a.js": "bad\n",
        ".gitignore": "node_modules\n.claude\n",
        ...row.files,
      },
    });
    writeFiles(stage.root, row.mine ?? {});
    return await played(stage, top, family, name, row);
  } finally {
    rmSync(top, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function played(stage: Stage, top: string, family: string, name: string, row: Row): Promise<Played> {
  const aligned = stage.git("rev-parse", "HEAD");
  const notes = join(top, "notes");
  mkdirSync(notes);
  const agentOf = (...args: string[]): string =>
    `command:"${process.execPath}" "${join(FOLDER, "agent.mjs")}" "${notes}" ${args.map((arg) => JSON.stringify(arg)).join(" ")}`;
  const set_up = row.set_up === true ? { set_up: { commands: [], timeout_ms: 60_000, port_base: 21_000 } } : {};
  const run = async (agent: string, max_iterations?: number): Promise<boolean> => {
    const settings = max_iterations === undefined ? {} : { max_iterations };
    const sandbox = CONFINED ? { sandbox: { setting: "require" as const } } : {};
    const options: RunOptions = stage.options({ agent, settings, ...set_up, ...sandbox });
    const end = await runLoop(options, { line: () => {} });
    return end.ok && end.report.outcome === "verified";
  };
  const check = (): string | null => {
    // A stranger's machine has the repository, and nothing else that an attempt left.
    rmSync(notes, { recursive: true, force: true });
    return refutes(
      {
        repository: stage.root,
        branch: stage.branch(),
        aligned,
        checks: leavesOf(row.base_case ?? BASE_CASE).map((leaf) => leaf.check as MechanicalCheck),
        protected: PROTECTED,
      },
      top,
    );
  };
  if (row.kill === true) await killed(stage, agentOf(family, name), notes);
  else if (await run(agentOf(family, name), 1)) return { verified: true, refuted: check() };
  // The same once more, with an agent that does nothing: what is forgotten by then is a hole, too.
  return (await run(agentOf("idle"))) ? { verified: true, refuted: check() } : { verified: false, refuted: null };
}

/** @param notes folder in which an agent says that its deed is done; a confined one says so in its own */
async function killed(stage: Stage, agent: string, notes: string): Promise<void> {
  const setting = CONFINED ? ["--sandbox", "require"] : [];
  const child = spawn(process.execPath, [inject("aot"), "run", "--agent", agent, ...setting], {
    cwd: stage.root,
    env: cleanEnv(),
    stdio: "ignore",
  });
  const gone = new Promise((resolve) => child.once("close", resolve));
  const places = ".claude/worktrees/aot-loop/*/*/node_modules/ready";
  // In a sandbox most deeds fail, and the run ends by itself.
  const isDone = (): boolean =>
    CONFINED
      ? globSync(places, { cwd: stage.root, dot: true }).length > 0 || child.exitCode !== null
      : existsSync(join(notes, "ready"));
  await eventually("the deed is done", isDone, 60_000).finally(() => child.kill("SIGKILL"));
  await gone;
}

/** What is wrong with the row; null: nothing. */
function wrongWith({ expect: expected, cage, open_in_sandbox }: Row, { verified, refuted }: Played): string | null {
  if (CONFINED ? open_in_sandbox === true : cage !== undefined)
    return refuted === null ? "is closed: strike it from GUARANTEES.md" : null;
  if (refuted !== null) return `falsely verified: ${refuted}`;
  if (expected === "refused" && verified) return "is verified";
  return expected === "verified" && !verified ? "is honest, and not verified" : null;
}

describe.concurrent("SPEC 6: verified is what a clean clone repeats", () => {
  test.each(Object.keys(CORPUS))("%s", { timeout: 900_000 }, async (family) => {
    const rows = Object.entries(CORPUS[family] ?? {});
    const asked = rows.filter(([name]) => name.includes(process.env["AOT_CORPUS"] ?? ""));
    const wrong: string[] = [];
    let [verified, refuted] = [0, 0];
    for (const [name, row] of asked) {
      const result = await play(family, name, row);
      if (result.verified) verified += 1;
      if (result.refuted !== null) refuted += 1;
      const why = wrongWith(row, result);
      if (why !== null) wrong.push(`${name}: ${why}`);
    }
    table.push(`${family}: ${asked.length}, ${verified}, ${refuted}`);
    expect(wrong).toEqual([]);
  });
});

test("GUARANTEES.md lists what only confinement closes, and nothing else", () => {
  const text = readFileSync(new URL("../../GUARANTEES.md", import.meta.url), "utf8");
  const listed = [...text.matchAll(/^ *- `([^`]+): ([^`]+)`/gm)];
  const rows = Object.entries(CORPUS).flatMap(([family, all]) =>
    Object.entries(all).flatMap(([name, row]) => (row.cage === undefined ? [] : [`${family}: ${name}`])),
  );
  expect(listed.map(([, family, name]) => `${family}: ${name}`).toSorted()).toEqual(rows.toSorted());
});
