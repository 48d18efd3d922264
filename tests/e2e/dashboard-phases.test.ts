/** SPEC 11: a phase run in a real browser: it is seen running, and its gate is answered there. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aotProcess } from "../support/aot.ts";
import { addressOf, ended, start } from "../support/beside.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { violationsOn } from "./browser.ts";
import { LIMIT_MS, missing, pageOf } from "./dashboard-stage.ts";

const LOOP = {
  id: "letters",
  version: "1.0.0",
  phases: [
    { name: "DRAFT", skills: ["write"], required: true },
    { name: "POST", skills: ["send"], required: true },
  ],
  gates: [{ id: "review", afterPhase: "DRAFT", required: true, approvalType: "human", deliverables: ["NOTES.md"] }],
  defaults: { mode: "m" },
};

test.skipIf(missing !== null)(
  "SPEC 11: a run that waits at a gate is sent back and approved from the page, and goes on by itself to its end",
  { timeout: 4 * LIMIT_MS },
  async () => {
    const [dir, signs] = [temporaryFolder(), temporaryFolder()];
    const agent = join(signs, "agent.mjs");
    writeFileSync(
      agent,
      `import { appendFileSync, existsSync } from "node:fs";
      const look = () => {
        if (!existsSync(${JSON.stringify(join(signs, "go"))})) return setTimeout(look, 20);
        appendFileSync("NOTES.md", process.env.AOT_ATOM + "\\n");
        console.log(JSON.stringify({ success: true, summary: "did it", artifacts: [] }));
      };
      look();`,
    );
    writeFileSync(join(dir, "loop.json"), JSON.stringify(LOOP));
    expect(aotProcess(["phases", "init", "loop.json"], { cwd: dir }).code).toBe(0);
    const words = ["phases", "run", "--wait", "--dashboard", "--set=planner=none"];
    const run = start(dir, ...words, "--agent", `command:"${process.execPath}" "${agent}"`);
    const [over, own] = [ended(run), addressOf(run)];
    const work = join(dir, ".claude", "loops", "letters", "01-DRAFT.md");
    await eventually("the phase is worked", () => existsSync(work), LIMIT_MS);
    expect((await fetch(await own)).status).toBe(200);
    const { page, wrong } = await pageOf(await addressOf(start(dir, "dashboard")));
    const loops = page.getByRole("navigation", { name: "Loops" });
    // The loop that works the phase is a page of its own.
    await loops.getByRole("button", { name: "letters 01-DRAFT" }).click();
    await page.locator('[data-atom="write"][data-standing="running"]').first().waitFor();
    await loops.getByRole("button", { name: "letters", exact: true }).click();
    await page.locator(".card.is-running", { hasText: "DRAFT" }).waitFor();
    expect(await page.getByRole("button", { name: "Approve review" }).count()).toBe(0);
    writeFileSync(join(signs, "go"), "");

    await page.getByRole("button", { name: "Send back review" }).click();
    await page.getByLabel("Why").fill("say it twice");
    await page.getByRole("button", { name: "Send back", exact: true }).last().click();
    await page.getByText("phase DRAFT is worked by 01-DRAFT.2.md").waitFor();
    await page
      .getByText(/gate review failed by .*say it twice/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Approve review" }).click();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Approve", exact: true }).last().click();
    await page.getByText("phase POST is complete").waitFor();
    expect(await over).toBe(0);
    expect(readFileSync(join(dir, "NOTES.md"), "utf8")).toBe("write\nwrite.2\nsend\n");
    await page.locator(".card.gate.is-resolved").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(wrong).toEqual([]);
  },
);
