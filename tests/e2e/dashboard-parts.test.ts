/** SPEC 10: the parts of the dashboard in a real browser: large graphs, attempts, plans, resuming, notifications, the link that only reads. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createStateText } from "../../src/statefile/create.ts";
import type { Atom, State } from "../../src/core/state.ts";
import { aotProcess } from "../support/aot.ts";
import { addressOf, start } from "../support/beside.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { stateOfAtoms } from "../support/states.ts";
import { violationsOn } from "./browser.ts";
import { AGENT, atom, browser, LIMIT_MS, loopProject, missing, pageOf } from "./dashboard-stage.ts";

/** A folder with that state, and its dashboard. */
async function served(state: State, ...flags: readonly string[]): Promise<URL> {
  const file = join(temporaryFolder(), ".claude", "aot-loop-state.md");
  mkdirSync(dirname(file));
  writeFileSync(file, createStateText(state, "as typed"));
  return await addressOf(start(dirname(dirname(file)), "dashboard", ...flags));
}

/** Forty containers of 22, and loose atoms; the first half is resolved, three run. */
function packages(): State {
  const base = stateOfAtoms(120);
  const atoms: Atom[] = base.atoms.length === 0 ? [] : [];
  const decompositions: State["decompositions"][number][] = [];
  const add = (id: string, depends_on: readonly string[], status: Atom["status"]): void => {
    const binding = status === "resolved" ? { binding: { summary: "did it", artifacts: [] } } : {};
    atoms.push({ id, description: `Work on ${id}`, status, depends_on, ...binding });
  };
  for (let number = 1; number <= 40; number++) {
    const name = `P${number}`;
    const isDone = number <= 20;
    add(name, [], isDone ? "resolved" : "pending");
    const children = Array.from({ length: 22 }, (_, child) => `${name}.${child + 1}`);
    decompositions.push({ parent: name, children, reason: "too large for one" });
    children.forEach((id, child) => {
      const before = children[child - 5];
      const runs = number === 21 && child < 3;
      add(id, before === undefined ? [] : [before], isDone ? "resolved" : runs ? "in_progress" : "pending");
    });
  }
  for (let number = 1; number <= 80; number++) add(`L${number}`, [], number <= 40 ? "resolved" : "pending");
  return { ...base, atoms, decompositions };
}

/** In the page: boxes of the graph that lie within its stage, and all of them. */
const BOXES = `(() => {
  const stage = document.querySelector(".stage").getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".atom")].map((box) => box.getBoundingClientRect());
  const inside = (box) => box.left >= stage.left - 1 && box.right <= stage.right + 1 && box.top >= stage.top - 1 && box.bottom <= stage.bottom + 1;
  const meets = (box) => box.right > stage.left && box.left < stage.right && box.bottom > stage.top && box.top < stage.bottom;
  return { all: boxes.length, inside: boxes.filter(inside).length, seen: boxes.filter(meets).length };
})()`;

interface Boxes {
  readonly all: number;
  readonly inside: number;
  readonly seen: number;
}

const boxesOn = (page: Page): Promise<Boxes> => page.evaluate<Boxes>(BOXES);

describe.skipIf(missing !== null)("a graph of 1,000 atoms", () => {
  test(
    "what runs is drawn, and a list has all; search and standings narrow both; Enter goes from one to the next",
    async () => {
      const { page, wrong } = await pageOf(await served(packages()));
      for (const id of ["P21.1", "P21.2", "P21.3"]) await page.locator(`.atom${atom(id, "running")}`).waitFor();
      expect((await boxesOn(page)).all).toBe(3);
      expect(await page.locator(".row").count()).toBe(400);
      await page.getByText("More than 100 atoms").waitFor();
      expect(await violationsOn(page)).toEqual([]);

      const search = page.getByRole("searchbox", { name: "Search atoms" });
      await search.fill("P21.");
      await page.getByText("22 of 1000").waitFor();
      await expect.poll(async () => (await boxesOn(page)).all, { timeout: LIMIT_MS }).toBe(22);
      await search.press("Enter");
      await page.getByRole("heading", { name: "P21.1 running" }).waitFor();
      await search.press("Enter");
      await page.getByRole("heading", { name: "P21.2 running" }).waitFor();
      await search.fill("");
      const only = page.getByRole("group", { name: "Show only" });
      await only.getByRole("button", { name: "3 running" }).click();
      await expect.poll(async () => (await boxesOn(page)).all, { timeout: LIMIT_MS }).toBe(3);
      expect(await violationsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "List" }).click();
      expect(await page.locator(".row").count()).toBe(3);
      expect(wrong).toEqual([]);
    },
    2 * LIMIT_MS,
  );
});

/** Thirty atoms, one after the other; half of them are resolved, and the next one runs. */
function chain(): State {
  const base = stateOfAtoms(30);
  const atoms = Array.from({ length: 30 }, (_, index): Atom => {
    const status = index < 15 ? "resolved" : index === 15 ? "in_progress" : "pending";
    const binding = status === "resolved" ? { binding: { summary: "did it", artifacts: [] } } : {};
    const before = index === 0 ? [] : [`A${index}`];
    return { id: `A${index + 1}`, description: "A step of the work", status, depends_on: before, ...binding };
  });
  return { ...base, atoms };
}

test.skipIf(missing !== null)(
  "GRAPH-VISIBLE-1, 2: it begins where something runs; however it is zoomed and moved, there is graph to see, and nothing is smaller than the whole",
  async () => {
    const { page } = await pageOf(await served(chain()));
    await page.locator(`.atom${atom("A16", "running")}`).waitFor();
    const size = `parseFloat(getComputedStyle(document.querySelector('[data-atom="A16"] text')).fontSize) * new DOMMatrix(getComputedStyle(document.querySelector(".world")).transform).a`;
    expect(await page.evaluate<number>(size), "its text can be read").toBeGreaterThanOrEqual(9);
    const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator(".stage").boundingBox()) ?? {};
    for (let times = 0; times < 8; times++) await page.getByRole("button", { name: "Larger" }).click();
    for (const [dx, dy] of [
      [900, 700],
      [-900, 0],
      [-2_000, -2_000],
      [3_000, -3_000],
    ] as const) {
      await page.mouse.move(x + width / 2, y + height - 8);
      await page.mouse.down();
      await page.mouse.move(x + width / 2 + dx, y + height - 8 + dy, { steps: 4 });
      await page.mouse.up();
      expect((await boxesOn(page)).seen).toBeGreaterThan(0);
    }
    for (let times = 0; times < 30; times++) await page.getByRole("button", { name: "Smaller" }).click();
    expect((await boxesOn(page)).inside).toBe(30);
    await page.getByRole("button", { name: "Larger" }).click();
    await page.getByRole("button", { name: "Show the whole graph" }).click();
    await expect.poll(async () => (await boxesOn(page)).inside, { timeout: LIMIT_MS }).toBe(30);
  },
  2 * LIMIT_MS,
);

describe.skipIf(missing !== null)("a halted loop", () => {
  test(
    "attempts are read and compared over the whole width; the plan is edited, the loop resumed as it was run last; who asked is notified",
    async () => {
      const { dir, folder, go } = loopProject();
      const agent = `command:"${process.execPath}" "${AGENT}" "${folder}"`;
      go("A1");
      go("W1", "fail");
      go("W2", "fail");
      const first = aotProcess(["run", "--agent", agent, "--set=planner=none"], { cwd: dir });
      expect(first.code).toBe(14);
      const address = await addressOf(start(dir, "dashboard"));
      const { page, wrong } = await pageOf(address);
      await page.context().grantPermissions(["notifications"]);
      await page.addInitScript(
        "window.noticed = []; window.Notification = class { static permission = 'granted'; static requestPermission = async () => 'granted'; constructor(title) { window.noticed.push(title); } addEventListener() {} };",
      );
      await page.reload();
      await page.locator(".status-stopped").waitFor();
      await page.getByRole("button", { name: "Notify me when the loop halts" }).click();

      await page.locator('.atom[data-atom="W1"]').click();
      await page
        .getByRole("button", { name: /^Changes of W1/ })
        .first()
        .click();
      const viewer = page.getByRole("region", { name: /of W1/ });
      expect((await viewer.boundingBox())?.width).toBeGreaterThan(1_300);
      await viewer.getByText("failed", { exact: true }).first().waitFor();
      expect(await violationsOn(page)).toEqual([]);
      const compare = viewer.getByRole("button", { name: "Compare" });
      if ((await compare.count()) > 0) {
        await compare.click();
        expect(await page.locator(".compared > section").count()).toBe(2);
        expect(await violationsOn(page)).toEqual([]);
      }
      await page.getByRole("button", { name: "Close" }).click();

      // The plan gets a further way, in words; then the loop is taken up by a button, with the agent that it had.
      await page.getByRole("button", { name: "Redirect" }).click();
      await page.getByRole("button", { name: "Edit the plan" }).click();
      const plan = page.locator('dialog [name="plan"]');
      const shown = await plan.inputValue();
      expect(shown).toContain("A3");
      await plan.fill(shown.replace("goal: ", "goal: : broken"));
      await page.getByRole("button", { name: "Redirect", exact: true }).last().click();
      await page.getByRole("alert").filter({ hasText: /\S/ }).waitFor();
      await plan.fill(`${shown}  - id: W3\n    description: By hand\n    depends_on: [A1]\n    or_group: way\n`);
      expect(await violationsOn(page)).toEqual([]);
      await page.getByLabel("Why (for the journal)").fill("both ways failed");
      await page.getByRole("button", { name: "Redirect", exact: true }).last().click();
      await page.locator('[data-atom="W3"]').first().waitFor();
      go("W3");
      go("A3");
      await page.getByRole("button", { name: "Resume" }).click();
      await page.locator("dialog").getByRole("button", { name: "Resume" }).click();
      await page.locator(".status-completed").waitFor();
      await expect.poll(() => page.evaluate("window.noticed.length"), { timeout: LIMIT_MS }).toBeGreaterThan(0);
      expect(await page.title()).toContain("the base case holds");
      expect(readFileSync(join(dir, ".claude", "aot-loop", "run-words.json"), "utf8")).toContain("planner=none");
      await page.getByRole("tab", { name: "Cost" }).click();
      await page.getByRole("heading", { name: "Cost over time" }).waitFor();
      expect(wrong).toEqual([]);
    },
    3 * LIMIT_MS,
  );

  test(
    "the link at the foot of the page only reads",
    async () => {
      const address = await served(stateOfAtoms(20));
      const { page } = await pageOf(address);
      await page.locator(".atom").first().waitFor();
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy the address for looking on only" }).click();
      await page.getByText("Copied").waitFor();
      const link = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(link).not.toContain(address.hash);
      const guest = await (await browser.newContext()).newPage();
      await guest.goto(link);
      await guest.locator(".atom").first().waitFor();
      for (const name of ["Redirect", "Stop", "Resume", "Run"])
        expect(await guest.getByRole("button", { name, exact: true }).count()).toBe(0);
      await guest.getByText("for looking on only").waitFor();
      await guest.context().close();
    },
    2 * LIMIT_MS,
  );
});
