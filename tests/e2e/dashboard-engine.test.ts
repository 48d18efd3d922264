/** SPEC 10 and 13: the page of an engine in a real browser: its loops and workers, a loop opened, steered, and an engine that goes away. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePorts, restateProgram } from "../support/engines/restate.ts";
import { projectWithRemote, runAot, startAot, type Running } from "../support/engines/scene.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";
import { openBrowser, openWire, violationsOn, watchPage, whyNoBrowser, type Wire } from "./browser.ts";

const AGENT = join(import.meta.dirname, "..", "fixtures", "patient-agent.mjs");
const LIMIT_MS = Number(process.env["AOT_E2E_LIMIT"] ?? 60_000);
/** Where pictures of the page go, for looking at; empty: nowhere. */
const PICTURES = process.env["AOT_PICTURES"] ?? "";
const program = restateProgram();
const missing = whyNoBrowser() ?? (program === null ? "no Restate server: node scripts/install-engines.mjs" : null);
if (missing !== null) console.warn(`nothing of an engine's page is looked at: ${missing}`);

const standing = (id: string, how: string): string => `[data-atom="${id}"][data-standing="${how}"]`;

describe.skipIf(missing !== null)("an engine's page", () => {
  let browser: Browser;
  let wire: Wire;
  let engine: string;
  let wired: string;
  let address: URL;
  const gates = temporaryFolder();
  const running: Running[] = [];
  const go = (atom: string): void => writeFileSync(join(gates, atom), "go");

  const open = async (width = 1440): Promise<{ readonly page: Page; readonly wrong: readonly string[] }> => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    const wrong = watchPage(page);
    await page.goto(String(address));
    return { page, wrong };
  };
  const picture = async (page: Page, name: string): Promise<void> => {
    if (PICTURES !== "") await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  };
  /** A loop of two atoms that wait for their gates; its goal names it. */
  const submit = async (goal: string, prefix: string): Promise<string> => {
    const state = stateOf({ atoms: [{ id: `${prefix}1` }, { id: `${prefix}2`, depends_on: [`${prefix}1`] }] });
    const file = { item: "made", check: { type: "file", value: `${prefix}2.txt` } } as const;
    const said = { item: "is good", check: { type: "assertion", value: "it is good" } } as const;
    const base_case = { checklist: prefix === "N" ? [file, said] : [file] };
    const { root } = projectWithRemote({ ...state, objective: { ...state.objective, goal, base_case } });
    const agent = `command:"${process.execPath}" "${AGENT}" "${gates}"`;
    const seen = {
      passed: true,
      evidence: "I looked",
      quotes: [{ file: `${prefix}2.txt`, line: 1, text: `work on ${prefix}2` }],
    };
    const judge = `command:cat >/dev/null; echo '${JSON.stringify(seen)}'`;
    const words = ["submit", "--engine", engine, "--agent", agent, "--planner", "none", "--judge", judge];
    const ran = await runAot(words, { cwd: root });
    expect({ code: ran.code, err: ran.code === 0 ? "" : ran.err + JSON.stringify(ran.json) }).toEqual({
      code: 0,
      err: "",
    });
    return String(ran.json["loop"]);
  };

  beforeAll(async () => {
    browser = await openBrowser();
    const folder = temporaryFolder();
    const [port, admin, node] = (await freePorts(3)).map(String);
    engine = `restate://127.0.0.1:${port}`;
    const env = { AOT_RESTATE_SERVER: program ?? "" };
    const up = [
      "engine",
      "up",
      "--kind",
      "restate",
      "--port",
      `${port}`,
      "--admin-port",
      `${admin}`,
      "--node-port",
      `${node}`,
    ];
    running.push(await startAot(up, /signed/, { cwd: folder, env }));
    // Both are known; what is called is whoever registered last.
    for (const name of ["w-east", "w-west"]) {
      const place = ["--dir", join(folder, name), "--name", name, "--slots", "3"];
      const worker = ["worker", "--engine", engine, "--admin", `http://127.0.0.1:${admin}`, ...place];
      running.push(await startAot(worker, /is ready/, { cwd: folder }));
    }
    wire = await openWire(Number(port));
    wired = `restate://127.0.0.1:${wire.port}`;
    const dashboard = await startAot(["dashboard", "--engine", wired], /#\S+/, { cwd: temporaryFolder() });
    running.push(dashboard);
    address = new URL(/http:\/\/127\.0\.0\.1:\d+\/#\S+/.exec(dashboard.said())?.[0] ?? "");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    for (const id of ["L1", "L2", "M1", "M2", "N1", "N2"]) go(id);
    for (const one of running.toReversed()) await one.end();
    await wire?.close();
  });

  test(
    "SPEC 13: loops are listed with what is left and who works what; one is opened, watched, redirected, stopped, resumed; workers with their slots",
    async () => {
      const name = await submit("A parser and its command", "L");
      await submit("A page that explains it", "M");
      const { page, wrong } = await open();
      const row = page.locator(`[data-loop="${name}"]`);
      await row.getByText(/L1\.1 on w-/).waitFor();
      await row.getByText("2 left").waitFor();
      await page.locator('[data-worker="w-east"][data-state="takes work"]').waitFor();
      await page.locator('[data-worker="w-west"]').getByText("of 3").waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await picture(page, "engine-light");
      await page.getByRole("searchbox").fill("explains");
      await row.waitFor({ state: "detached" });
      await page.getByRole("searchbox").fill("");
      await page.getByRole("button", { name: "Waiting for somebody" }).click();
      await page.getByText("No such loop.").waitFor();
      await page.getByRole("button", { name: "All", exact: true }).click();

      await row.getByRole("button").click();
      await page.locator(standing("L1", "running")).waitFor();
      await page.locator('[data-task="L1.1"]').getByText(/on w-/).waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await picture(page, "loop-light");
      go("L1");
      await page.locator(standing("L1", "resolved")).waitFor();
      await page.locator(standing("L2", "running")).waitFor();
      await page.getByRole("tab", { name: "Journal" }).click();
      await page.getByRole("tabpanel").getByText(/L1/).first().waitFor();

      // What the loop refuses is refused here, with its reason; then it is done as it should be.
      await page.getByRole("button", { name: "Redirect" }).click();
      await page.locator('dialog [name="kind"]').selectOption("add");
      await page.locator('dialog [name="id"]').fill("L2");
      await page.locator('dialog [name="description"]').fill("Its handbook");
      await page.getByRole("button", { name: "Redirect", exact: true }).last().click();
      await page.getByRole("alert").filter({ hasText: "atom L2 already exists" }).waitFor();
      await page.locator('dialog [name="id"]').fill("L3");
      await page.getByRole("button", { name: "Redirect", exact: true }).last().click();
      await page.locator(".toast").filter({ hasText: "added L3" }).waitFor();
      await page.locator('[data-atom="L3"]').waitFor();

      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByLabel("Why (for the journal)").fill("lunch");
      await page.getByLabel(/End the agents/).check();
      expect(await violationsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Stop the loop" }).click();
      await page.locator(".status-stopped").waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.locator("dialog").getByRole("button", { name: "Resume" }).click();
      await page.locator(standing("L2", "running")).waitFor();
      for (const id of ["L2", "L3"]) go(id);
      await page.locator(".status-completed").waitFor();
      await page.locator(".banner.is-good").filter({ hasText: "The base case holds" }).waitFor();

      // Loaded anew it is the same loop; the way back is in the list on top.
      await page.reload();
      await page.locator(".status-completed").waitFor();
      await page.getByRole("navigation", { name: "Loops" }).getByRole("button").first().click();
      await page.locator(`[data-loop="${name}"][data-status="completed"]`).waitFor();
      expect(wrong).toEqual([]);
      await page.context().close();
    },
    4 * LIMIT_MS,
  );

  test(
    "SPEC 13: a loop that waits for a person's yes says so, and gets it from the page",
    async () => {
      for (const id of ["N1", "N2"]) go(id);
      const name = await submit("A text that is good", "N");
      const { page, wrong } = await open();
      const row = page.locator(`[data-loop="${name}"][data-status="stopped"]`);
      await row.getByText("a human or a judge has to decide").waitFor();
      await row.getByRole("button").click();
      await page.getByRole("button", { name: "Approve" }).click();
      expect(await violationsOn(page)).toEqual([]);
      await page.locator("dialog").getByRole("button", { name: "Approve" }).click();
      await page.locator(".status-completed").waitFor();
      expect(wrong).toEqual([]);
      await page.context().close();
    },
    3 * LIMIT_MS,
  );

  test(
    "SPEC 10: an engine that goes away is said to be away, on the list and on a loop, and is taken up again by itself; dark, light and on a phone",
    async () => {
      for (const width of [1440, 390]) {
        const { page, wrong } = await open(width);
        await page.locator("[data-loop]").first().waitFor();
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          expect({ width, colorScheme, found: await violationsOn(page) }).toEqual({ width, colorScheme, found: [] });
          await picture(page, `engine-${colorScheme}-${width}`);
          const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
          expect(await page.evaluate(beyond)).toBe(0);
        }
        wire.cut();
        await page.getByRole("alert").filter({ hasText: "The engine does not answer" }).waitFor();
        await page.locator("[data-loop]").first().waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await picture(page, `engine-away-${width}`);
        wire.mend();
        await page.getByRole("alert").waitFor({ state: "detached" });
        await page.locator('[data-status="running"]').first().getByRole("button").click();
        await page.locator('[data-task="M1.1"]').waitFor();
        await picture(page, `loop-dark-${width}`);
        wire.cut();
        await page.getByRole("alert").filter({ hasText: "The engine does not answer" }).waitFor();
        wire.mend();
        await page.getByRole("alert").waitFor({ state: "detached" });
        expect(wrong).toEqual([]);
        await page.context().close();
      }
    },
    4 * LIMIT_MS,
  );

  test(
    "SPEC 13: a worker that drains says so",
    async () => {
      const { page } = await open();
      await page.locator('[data-worker="w-east"][data-state="takes work"]').waitFor();
      running.find(({ said }) => said().includes("worker w-east is ready"))?.child.kill("SIGTERM");
      await page.locator('[data-worker="w-east"][data-state="drains"]').waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await page.context().close();
    },
    2 * LIMIT_MS,
  );
});
