/** SPEC 10: the dashboard in a real browser, while a real run is active. */
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
const runOf = (folder: string): readonly string[] => [
  "run",
  "--set=planner=none",
  "--agent",
  `command:"${process.execPath}" "${AGENT}" "${folder}"`,
];

import { describe, expect, test } from "vitest";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { aotProcess } from "../support/aot.ts";
import { addressOf, ended, start } from "../support/beside.ts";
import { openWire, violationsOn } from "./browser.ts";
import { AGENT, atom, browser, LIMIT_MS, loopProject, missing, pageOf } from "./dashboard-stage.ts";

describe.skipIf(missing !== null)("a live run", () => {
  test(
    "atoms turn, a choice is given up, a redirect is applied, a broken line is taken up again, a finished run is looked at again",
    async () => {
      const { dir, folder, go } = loopProject();
      const dashboard = start(dir, "dashboard");
      const address = await addressOf(dashboard);
      const wire = await openWire(Number(address.port));
      const run = start(dir, ...runOf(folder));
      const { page, wrong } = await pageOf(`http://127.0.0.1:${wire.port}/${address.hash}`);

      await page.locator(atom("A1", "running")).waitFor();
      expect(page.url()).not.toContain(address.hash);
      await page.locator(atom("W2", "not_selected")).waitFor();
      expect(await violationsOn(page)).toEqual([]);

      // What an attempt prints is seen while it prints.
      await page.locator('.atom[data-atom="A1"]').click();
      await page.getByRole("button", { name: "Log of A1.1" }).click();
      await page.getByText("waiting for A1").waitFor();
      await page.getByRole("button", { name: "Close" }).click();

      go("A1");
      await page.locator(atom("A1", "resolved")).waitFor();
      await page.locator(atom("W1", "running")).waitFor();
      go("W1", "fail");
      await page.locator(atom("W1", "failed")).waitFor();
      await page.locator(atom("W2", "running")).waitFor();

      // A redirect: refused with its reason first, then asked for as it should be.
      await page.getByRole("button", { name: "Redirect" }).click();
      await page.locator('dialog [name="kind"]').selectOption("add");
      await page.locator('dialog [name="id"]').fill("A3");
      await page.locator('dialog [name="description"]').fill("A page that explains it");
      await page.locator('dialog [name="depends-on"]').fill("A1");
      expect(await violationsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Redirect", exact: true }).last().click();
      await page.getByRole("alert").filter({ hasText: "atom A3 already exists" }).waitFor();
      await page.locator('dialog [name="id"]').fill("A4");
      await page.getByLabel("Why (for the journal)").fill("users asked");
      await page.getByRole("button", { name: "Redirect", exact: true }).last().click();
      await page.locator(".toast").filter({ hasText: "added A4" }).waitFor();
      await page.locator(atom("A4", "running")).waitFor();
      expect(aotProcess(["logs"], { cwd: dir }).out).toContain(
        "redirected: added A4: A page that explains it (users asked)",
      );

      // Of a long log the end is shown, and how much is not.
      const log = join(loopPaths(join(dir, ".claude", "aot-loop-state.md")).logs, "A1.1.log");
      const isCounted = async (more: string): Promise<void> => {
        appendFileSync(log, more);
        const counted = async (): Promise<number> =>
          Number.parseInt((await page.getByText("bytes before it are not shown").textContent()) ?? "", 10) +
          ((await page.getByRole("log").textContent()) ?? "").length;
        await expect.poll(counted, { timeout: LIMIT_MS }).toBe(statSync(log).size);
      };
      appendFileSync(log, "x\n".repeat(150_000));
      await page.locator('.atom[data-atom="A1"]').click();
      await page.getByRole("button", { name: "Log of A1.1" }).click();
      await isCounted("");
      await isCounted("y\n".repeat(100_000));

      // The line breaks; meanwhile things happen; it is taken up again by itself.
      wire.cut();
      await page.getByText("reconnecting").waitFor();
      go("W2");
      await expect.poll(() => aotProcess(["status"], { cwd: dir }).out, { timeout: LIMIT_MS }).toMatch(/A3\b/);
      wire.mend();
      await page.getByText("live", { exact: true }).waitFor();
      await page.locator(atom("W2", "resolved")).waitFor();
      await page.locator(atom("A3", "running")).waitFor();
      await isCounted("");
      await page.getByRole("button", { name: "Close" }).click();

      go("A4");
      go("A3");
      await page.locator(".status-completed").waitFor();
      expect(await ended(run)).toBe(0);
      await page.locator(".banner.is-good").filter({ hasText: "The base case holds" }).waitFor();
      await saysAsTheReport(page, dir);

      // What an atom changed.
      await page.locator('.atom[data-atom="W2"]').click();
      await page
        .getByRole("button", { name: "Changes of W2.2" })
        .or(page.getByRole("button", { name: "Changes of W2.1" }))
        .click();
      await page.locator(".patch").filter({ hasText: "+work on W2" }).waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await page.keyboard.press("Escape");

      await lookBack(page);
      expect(wrong).toEqual([]);
      await page.context().close();
      await wire.close();
      dashboard.kill("SIGINT");
      expect(await ended(dashboard)).toBe(0);
    },
    4 * LIMIT_MS,
  );

  /** Outcome, numbers, counts by standing, slots: word by word. */
  async function saysAsTheReport(page: Page, dir: string): Promise<void> {
    await page.getByRole("tab", { name: "Checks" }).click();
    const report = await page.context().newPage();
    await report.setContent(aotProcess(["report", "--output", "-"], { cwd: dir }).out);
    for (const part of [".banner", ".tiles", ".legend", ".lanes", ".timeline h2", ".checks", ".measure"])
      await expect
        .poll(() => page.locator(part).first().textContent(), { timeout: LIMIT_MS })
        .toBe(await report.locator(part).first().textContent());
    await report.close();
  }

  /** From the end to the beginning and back, by keyboard and by mouse. */
  async function lookBack(page: Page): Promise<void> {
    const slider = page.getByLabel("Moment that is shown");
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByText("Looking back at").waitFor();
    for (const id of ["A1", "W1"]) await page.locator(`${atom(id, "ready")}, ${atom(id, "waiting")}`).waitFor();
    // What came later is not there yet.
    expect(await page.locator('[data-atom="A4"]').count()).toBe(0);
    expect(await slider.getAttribute("aria-valuetext")).toContain("before the first event");
    for (let times = 0; times < 6; times++) {
      await page.keyboard.press("ArrowRight");
      expect(await slider.getAttribute("aria-valuetext")).not.toContain("{");
    }
    await page.keyboard.press("Home");
    const next = page.getByRole("button", { name: "One event on" });
    while ((await page.locator(atom("A1", "running")).count()) === 0) await next.click();
    while ((await page.locator(atom("W1", "failed")).count()) === 0) await next.click();
    while ((await page.locator(atom("W2", "not_selected")).count()) > 0) await next.click();
    expect(await page.locator(atom("W1", "failed")).count()).toBe(1);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.locator(atom("A3", "resolved")).waitFor();
    await page.getByRole("button", { name: "Play the run from the beginning" }).click();
    await page.getByText("Looking back at").waitFor();
    await page.getByText("Looking back at").waitFor({ state: "detached" });
    await page.locator(atom("A4", "resolved")).waitFor();
  }

  test(
    "a run is stopped from the page",
    async () => {
      const { dir, folder, go } = loopProject();
      const address = await addressOf(start(dir, "dashboard"));
      const run = start(dir, ...runOf(folder));
      const { page } = await pageOf(address);
      await page.locator(atom("A1", "running")).waitFor();

      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByLabel("Why (for the journal)").fill("lunch");
      await page.getByRole("button", { name: "Stop the loop" }).click();
      await page.getByText("A stop is requested").waitFor();
      go("A1");
      expect(await ended(run)).toBe(10);
      await page.locator(".status-stopped").waitFor();
      expect(aotProcess(["logs"], { cwd: dir }).out).toContain("stop requested: lunch");

      // Nothing is asked for on the look of the past.
      await page.getByRole("button", { name: "Redirect" }).waitFor();
      await page.getByLabel("Moment that is shown").focus();
      await page.keyboard.press("Home");
      await page.getByText("Looking back at").waitFor();
      expect(await page.getByRole("button", { name: "Redirect" }).count()).toBe(0);
      await page.keyboard.press("End");
      await page.getByRole("button", { name: "Redirect" }).waitFor();
    },
    4 * LIMIT_MS,
  );
});

describe.skipIf(missing !== null)("every way to look at it", () => {
  test(
    "light and dark, wide and on a phone, every tab: no violation, nothing wider than the screen",
    async () => {
      const { dir, folder, go } = loopProject();
      for (const id of ["A1", "W2", "A3"]) go(id);
      go("W1", "fail");
      expect(aotProcess(runOf(folder), { cwd: dir }).code).toBe(0);
      const address = await addressOf(start(dir, "dashboard"));
      for (const width of [1440, 390]) {
        const { page, wrong } = await pageOf(address, width);
        await page.locator(atom("A3", "resolved")).waitFor();
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          for (const tab of ["Atom", "Checks", "Trail", "Cost", "Journal"]) {
            await page.getByRole("tab", { name: tab }).click();
            expect({ tab, width, colorScheme, found: await violationsOn(page) }).toEqual({
              tab,
              width,
              colorScheme,
              found: [],
            });
          }
          const beyond = await page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
          );
          expect(beyond).toBe(0);
        }
        expect(wrong).toEqual([]);
        await page.context().close();
      }
    },
    4 * LIMIT_MS,
  );

  test(
    "the graph is walked by keyboard",
    async () => {
      const { dir } = loopProject();
      const { page } = await pageOf(await addressOf(start(dir, "dashboard")));
      await page.locator('.atom[data-atom="A1"]').focus();
      await page.keyboard.press("ArrowRight");
      const focused = (): Promise<string> => page.evaluate("document.activeElement.dataset.atom ?? ''");
      await expect.poll(focused, { timeout: LIMIT_MS }).toMatch(/^W[12]$/);
      await page.keyboard.press("Enter");
      await page.getByRole("tab", { name: "Atom", selected: true }).waitFor();
      await page
        .getByText(/With a (table|tree)/)
        .last()
        .waitFor();
      await page.keyboard.press("ArrowLeft");
      await expect.poll(focused, { timeout: LIMIT_MS }).toBe("A1");
    },
    2 * LIMIT_MS,
  );
});

test.skipIf(missing !== null)(
  "DASHBOARD-GUARD-3: a page of another origin can neither act, nor read, nor frame it, even with the token",
  async () => {
    const { dir } = loopProject();
    const address = await addressOf(start(dir, "dashboard"));
    const token = address.hash.slice(1);
    const key = await fetch(new URL("/api/loops", address), { headers: { authorization: `Bearer ${token}` } })
      .then((answer) => answer.json() as Promise<{ readonly loops: readonly { readonly key: string }[] }>)
      .then(({ loops }) => loops[0]?.key ?? "");
    const elsewhere = createServer((_, response) =>
      response.setHeader("Content-Type", "text/html").end("<h1>Elsewhere</h1>"),
    );
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const context = await browser.newContext();
    const page = await context.newPage();
    const answers: (readonly [string, number])[] = [];
    page.on("response", (response) => answers.push([response.url(), response.status()]));
    await page.goto(`http://127.0.0.1:${port}/`);
    const action = `${address.origin}/api/loops/${key}/actions`;
    const request = JSON.stringify({ command: "stop", args: { reason: "taken over" } });
    const attempts = [
      `fetch("${action}", { method: "POST", mode: "no-cors", body: ${JSON.stringify(request)} })`,
      `fetch("${action}", { method: "POST", headers: { Authorization: "Bearer ${token}", "Content-Type": "application/json" }, body: ${JSON.stringify(request)} })`,
      `fetch("${address.origin}/api/loops", { headers: { Authorization: "Bearer ${token}" } }).then((answer) => answer.text())`,
      `fetch("${address.origin}/api/loops", { mode: "no-cors" }).then((answer) => answer.text())`,
    ];
    for (const attempt of attempts)
      expect(await page.evaluate(`${attempt}.then((got) => typeof got === "string" ? got : "", () => "")`)).toBe("");
    await page.evaluate(
      `new Promise((done) => { const frame = document.createElement("iframe"); frame.onload = done; frame.onerror = done; frame.src = "${address.href}"; document.body.append(frame); })`,
    );
    // A browser that refuses to frame it shows a page of its own in its place.
    expect(page.frames().map((frame) => new URL(frame.url()).protocol)).toEqual(["http:", "chrome-error:"]);
    expect(answers.filter(([url, status]) => url.includes("/api/") && status < 400)).toEqual([]);
    expect(readFileSync(join(dir, ".claude", "aot-loop-state.md"), "utf8")).toContain("stop_requested: false");
    await context.close();
    await new Promise<void>((resolve) => elsewhere.close(() => resolve()));
  },
);

test.skipIf(missing !== null)("an address without its token shows what to do, and nothing else", async () => {
  const { dir } = loopProject();
  const address = await addressOf(start(dir, "dashboard"));
  const { page } = await pageOf(address.origin);
  await page.getByRole("heading", { name: "This address lacks its token" }).waitFor();
  expect(await page.getByText("A parser and its command").count()).toBe(0);
});
