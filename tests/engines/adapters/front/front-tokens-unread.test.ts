/** SPEC 13: a moment without a free file descriptor locks nobody out for longer. */
import type * as Fs from "node:fs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createTokenFile, makeToken } from "../../../../src/engines/adapters/front/front-tokens.ts";
import { tempFolder } from "../../../fixtures/programs.ts";

const exhausted = vi.hoisted(() => ({ now: false }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof Fs>();
  const readFileSync = (...args: Parameters<typeof Fs.readFileSync>): unknown => {
    if (exhausted.now) throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    return real.readFileSync(...args);
  };
  return { ...real, readFileSync };
});

test("SPEC 13: tokens that cannot be read at the moment they change are read as soon as they can be, and that is said once (T3)", () => {
  const path = join(tempFolder(), "tokens");
  const { token, line } = makeToken("anna", "steer");
  writeFileSync(path, `${line}\nno client\n`);
  const reported: string[] = [];
  const file = createTokenFile(path, (problem) => reported.push(problem));
  exhausted.now = true;
  for (let time = 0; time < 3; time++) expect(file.clientOf(`Bearer ${token}`)).toBeNull();
  expect(reported).toEqual([expect.stringContaining("EMFILE")]);
  exhausted.now = false;
  for (let time = 0; time < 3; time++) expect(file.clientOf(`Bearer ${token}`)?.name).toBe("anna");
  expect(reported.slice(1), "what is wrong with it is not lost").toEqual([expect.stringContaining(`${path}:2`)]);
});
