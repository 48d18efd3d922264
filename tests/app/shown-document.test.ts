import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shownDocument } from "../../src/app/shown-document.ts";
import { showState } from "../../src/app/show-state.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { aot } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { stateOfAtoms } from "../support/states.ts";

const LARGE = 1_000;

function loopWith(count: number): { readonly file: string; readonly cache: string } {
  const folder = temporaryFolder();
  const file = join(folder, "state.md");
  mkdirSync(`${file}.aot-loop`);
  writeFileSync(file, createStateText(stateOfAtoms(count), "Do it."));
  return { file, cache: join(`${file}.aot-loop`, "cache", "state-show") };
}

async function shown(file: string, version = "1.0.0"): Promise<unknown> {
  const document = await shownDocument(file, version);
  return document.ok ? (JSON.parse(Buffer.from(document.value).toString()) as unknown) : document.problems[0]?.code;
}

const expected = (count: number): unknown =>
  JSON.parse(JSON.stringify({ success: true, ...showState(stateOfAtoms(count)) }));

test("SPEC 10: what is shown from the cache is what was shown without it", async () => {
  const { file, cache } = loopWith(LARGE);
  expect(existsSync(cache)).toBe(false);
  expect(await shown(file)).toEqual(expected(LARGE));
  expect(existsSync(cache)).toBe(true);
  expect(await shown(file)).toEqual(expected(LARGE));
});

test("SPEC 2: a cache is never a second truth: any change of the file is seen, an invalid one is named", async () => {
  const { file } = loopWith(LARGE);
  await shown(file);
  writeFileSync(file, createStateText(stateOfAtoms(LARGE + 1), "Do it."));
  expect(await shown(file)).toEqual(expected(LARGE + 1));
  writeFileSync(
    file,
    createStateText(stateOfAtoms(LARGE + 1), "Do it.").replace("status: pending\n", "status: pendin\n"),
  );
  expect(await shown(file)).toBe("unknown_value");
  writeFileSync(file, createStateText(stateOfAtoms(LARGE), "Do it."));
  expect(await shown(file)).toEqual(expected(LARGE));
});

test("a cache of another version, or a damaged one, is not shown", async () => {
  const { file, cache } = loopWith(LARGE);
  await shown(file, "1.0.0");
  expect(await shown(file, "2.0.0")).toEqual(expected(LARGE));
  writeFileSync(cache, "not a cache");
  expect(await shown(file, "2.0.0")).toEqual(expected(LARGE));
});

test("a small file is not cached, and a project without a loop stays untouched", async () => {
  const small = loopWith(3);
  expect(await shown(small.file)).toEqual(expected(3));
  expect(existsSync(small.cache)).toBe(false);
  const folder = temporaryFolder();
  const file = join(folder, "state.md");
  writeFileSync(file, createStateText(stateOfAtoms(LARGE), "Do it."));
  expect(await shown(file)).toEqual(expected(LARGE));
  expect(existsSync(`${file}.aot-loop`)).toBe(false);
});

test("SPEC 10: more atoms than a call takes arguments are shown in words, too", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "state.md"), createStateText(stateOfAtoms(130_000), "Do it."));
  const { code, out, err } = aot(["state", "show", "--state-file", "state.md"], { cwd: folder });
  expect([code, err]).toEqual([0, ""]);
  expect(out.split("\n").length).toBeGreaterThan(130_000);
});
