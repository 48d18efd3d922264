/** The README's moving picture: drawn from the recording beside it, and of a run that was verified. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Script {
  drawn(sent: readonly (readonly [number, string])[]): Promise<string>;
}

const images = join(process.cwd(), "docs", "images");

test("docs/images/run.svg is what scripts/moving-picture.mjs draws of docs/images/run.json, a verified run", async () => {
  const script: string = new URL("../scripts/moving-picture.mjs", import.meta.url).href;
  const { drawn } = (await import(script)) as Script;
  const sent = JSON.parse(readFileSync(join(images, "run.json"), "utf8")) as readonly (readonly [number, string])[];
  const svg = await drawn(sent);
  expect(readFileSync(join(images, "run.svg"), "utf8")).toBe(svg);
  const last = [...svg.matchAll(/<text class="k\d+ last"[^>]*>(.*)<\/text>/g)].map(([, text]) => text).join("\n");
  expect(last).toContain("Verified");
  // It is shown by a README, in an image element: nothing in it is loaded or run.
  expect(svg).not.toMatch(/<script|href=|url\(|@import/);
  expect(svg.length).toBeLessThan(200_000);
});
