/** The report, in a real browser: light, dark, a phone's width, no request, no script, no accessibility violation. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aotProcess } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { openBrowser, violationsOn, watchPage, whyNoBrowser } from "./browser.ts";

const missing = whyNoBrowser();
if (missing !== null && process.env["CI"] === "true") throw new Error(missing);

let browser: Browser;
let dir: string;

/** A loop that was worked to its end, with an alternative that was given up and texts that look like markup. */
function workedLoop(): string {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "work.mjs"),
    `import { writeFileSync } from "node:fs";
    if (process.env.AOT_ATOM === "T1") { console.error("<b>no</b>"); process.exit(1); }
    writeFileSync("made.txt", "x");
    console.log(JSON.stringify({ success: true, summary: "<img src=http://example.invalid/x onerror=alert(1)>" }));`,
  );
  const atoms = Array.from({ length: 12 }, (_, n) => ({
    id: `A${n}`,
    description: `Part ${n} </text><script>alert(1)</script>`,
    depends_on: n < 3 ? [] : [`A${n - 3}`, ...(n % 4 === 3 ? ["T1"] : [])],
  }));
  const choices = ["T1", "T2"].map((id) => ({ id, description: `Way ${id}`, depends_on: [], or_group: "way" }));
  const loop = {
    goal: "Make a <report> & look at it",
    base_case: { checklist: [{ item: "made", check: { type: "file", value: "made.txt" } }] },
    atoms: [...atoms, ...choices],
    or_groups: { way: { choices: ["T1", "T2"] } },
  };
  writeFileSync(join(folder, "loop.json"), JSON.stringify(loop));
  const steps = [
    ["align", "--from", "loop.json", "--yes"],
    ["run", "--agent", `command:"${process.execPath}" work.mjs`],
    ["report", "--output", "report.html"],
  ];
  for (const words of steps) {
    const ran = aotProcess(words, { cwd: folder });
    if (ran.code !== 0) throw new Error(`${words.join(" ")}: ${ran.code}\n${ran.out}${ran.err}`);
  }
  return folder;
}

beforeAll(async () => {
  if (missing !== null) return;
  browser = await openBrowser();
  dir = workedLoop();
});
afterAll(async () => {
  await browser?.close();
});

interface Look {
  readonly name: string;
  readonly scheme: "light" | "dark";
  readonly width: number;
}
const LOOKS: readonly Look[] = [
  { name: "light", scheme: "light", width: 1200 },
  { name: "dark", scheme: "dark", width: 1200 },
  { name: "on a tablet", scheme: "light", width: 801 },
  { name: "on a phone", scheme: "light", width: 360 },
];

async function opened({ scheme, width }: Look): Promise<{ page: Page; wrong: () => readonly string[] }> {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const { href } = pathToFileURL(join(dir, "report.html"));
  const seen = watchPage(page);
  await page.goto(href);
  return { page, wrong: () => seen.filter((what) => what !== `asked ${href}`) };
}

describe.skipIf(missing !== null)(`in a browser${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  for (const look of LOOKS)
    test(`${look.name}: no violation, no request, nothing wider than the screen`, async () => {
      const { page, wrong } = await opened(look);
      expect(await violationsOn(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBeLessThanOrEqual(0);
      expect(await page.evaluate("document.scripts.length + document.images.length")).toBe(0);
      expect(await page.title()).toContain("Make a <report> & look at it");
      expect(wrong()).toEqual([]);
      await page.context().close();
    });

  test("on a tablet no word of a table is broken in two: each is on one line", async () => {
    const { page } = await opened({ name: "", scheme: "light", width: 801 });
    const broken = await page.evaluate<readonly string[]>(`[...document.querySelectorAll("th, td")].flatMap((cell) => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      const broken = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        for (const { index, 0: word } of node.data.matchAll(/(?<!\\S)[\\p{L}\\p{N}]{2,11}(?!\\S)/gu)) {
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (range.getClientRects().length > 1 && node.parentElement.tagName !== "CODE") broken.push(word);
        }
      return broken;
    })`);
    expect(broken).toEqual([]);
    await page.context().close();
  });
});
