/** A dashboard in a real browser: loops to look at, processes to serve them, pages to open; all of it ends with the file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { createStateText } from "../../src/statefile/create.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { commitAll } from "../support/git.ts";
import { stateOf } from "../support/loops.ts";
import { openBrowser, watchPage, whyNoBrowser } from "./browser.ts";

export const AGENT = join(import.meta.dirname, "..", "fixtures", "patient-agent.mjs");
export const LIMIT_MS = 60_000;
export const missing = whyNoBrowser();
if (missing !== null) console.warn(`nothing of the dashboard is looked at: ${missing}`);

export let browser: Browser;

beforeAll(async () => {
  if (missing === null) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

/** A repository with a loop: A1, then one of two ways, then A3. */
export function loopProject(): {
  readonly dir: string;
  readonly go: (atom: string, how?: string) => void;
  readonly folder: string;
} {
  const dir = temporaryFolder();
  const folder = temporaryFolder();
  writeFileSync(join(dir, "README.md"), "# Project\n");
  commitAll(dir);
  const state = stateOf({
    atoms: [
      { id: "A1", description: "The parser" },
      { id: "W1", description: "With a table", depends_on: ["A1"] },
      { id: "W2", description: "With a tree", depends_on: ["A1"] },
      { id: "A3", description: "The command", depends_on: ["W1"] },
    ],
    groups: [{ name: "way", choices: ["W1", "W2"] }],
    constraints: { max_parallel_agents: 2 },
  });
  const objective = {
    ...state.objective,
    goal: "A parser and its command",
    base_case: { type: "file", value: "A3.txt" } as const,
  };
  mkdirSync(join(dir, ".claude"));
  writeFileSync(join(dir, ".claude", "aot-loop-state.md"), createStateText({ ...state, objective }, "A parser"));
  return { dir, folder, go: (atom, how = "go") => writeFileSync(join(folder, atom), how) };
}

export async function pageOf(
  address: URL | string,
  width = 1440,
): Promise<{ readonly page: Page; readonly wrong: readonly string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const wrong = watchPage(page);
  await page.goto(String(address));
  return { page, wrong };
}

export const atom = (id: string, standing: string): string => `[data-atom="${id}"][data-standing="${standing}"]`;
