/** Redirects and stops of a loop that nobody runs, and while somebody does (SPEC section 8). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { holdRunLock } from "../../../src/adapters/store/run-lock.ts";
import { accepted } from "../../../src/core/problem.ts";
import { watchRequests } from "../../../src/adapters/store/requests.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import { aot, aotJson, documentOf, projectWith, type Ran } from "../../support/aot.ts";
import { lookOn } from "../../support/detached.ts";
import { LOOP } from "../../support/loop-fixture.ts";

describe("a loop that nobody runs", () => {
  test("SPEC 8: a base case as YAML, as JSON, from a file; what does not fit is refused with its place", async () => {
    const { dir, state } = projectWith();
    const baseCase = async (): Promise<unknown> =>
      ((await aotJson(["state", "show"], { cwd: dir })).json["objective"] as { base_case: unknown }).base_case;
    expect(
      (await aot(["redirect", "set", "base_case", "{type: command, value: npm test}", "--force"], { cwd: dir })).code,
    ).toBe(0);
    expect(await baseCase()).toEqual({ type: "command", value: "npm test" });
    for (const glob of ["test/a.js", "t/**", "t/**"]) await aot(["redirect", "allow-changed", glob], { cwd: dir });
    expect(await baseCase()).toMatchObject({ value: "npm test", allow_changed: ["test/a.js", "t/**"] });
    writeFileSync(
      join(dir, "base.json"),
      JSON.stringify({ checklist: [{ item: "x", check: { type: "file", value: "y" } }] }),
    );
    expect((await aot(["redirect", "set", "base_case", "@base.json"], { cwd: dir })).code).toBe(0);
    expect(await baseCase()).toEqual({ checklist: [{ item: "x", check: { type: "file", value: "y" } }] });
    const before = readFileSync(state, "utf8");
    const bad = await aotJson(["redirect", "set", "base_case", "checklist: []"], { cwd: dir });
    expect(bad).toMatchObject({ code: 2, json: { errors: [{ code: "empty_list", line: 1 }] } });
    expect((await aotJson(["redirect", "set", "base_case", "{type: comand, value: x}"], { cwd: dir })).code).toBe(2);
    expect(await aotJson(["redirect", "set", "base_case", "{{"], { cwd: dir })).toMatchObject({
      code: 2,
      json: { errors: [{ code: "yaml_syntax" }] },
    });
    expect(readFileSync(state, "utf8")).toBe(before);
  });

  test("SPEC 6: a base case of one check may be written as for `aot align --check`", async () => {
    const { dir } = projectWith();
    expect(await aot(["redirect", "set", "base_case", "command: ls a.txt"], { cwd: dir })).toMatchObject({ code: 0 });
    expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
      objective: { base_case: { type: "command", value: "ls a.txt" } },
    });
    const mistyped = await aot(["redirect", "set", "base_case", "comand: ls a.txt"], { cwd: dir });
    expect(mistyped).toMatchObject({ code: 2, err: expect.stringContaining("did you mean `command: ls a.txt`?") });
    const untyped = await aot(["redirect", "set", "base_case", "ls a.txt"], { cwd: dir });
    expect(untyped).toMatchObject({ code: 2, err: expect.stringContaining("write `command: ls a.txt`") });
  });

  test("SPEC 2, 8: an atom's own done and its probe are given with it, changed and taken away", async () => {
    const { dir } = projectWith();
    const b1 = async (): Promise<unknown> =>
      ((await aotJson(["state", "show"], { cwd: dir })).json["atoms"] as { id: string }[]).find(
        ({ id }) => id === "B1",
      );
    const call = async (words: string, ...more: readonly string[]): Promise<void> =>
      expect(await aot([...words.split(" "), ...more], { cwd: dir })).toMatchObject({ code: 0 });
    await call("atom add B1 --description d --probe", "--criteria", "command: npm test");
    expect(await b1()).toMatchObject({ probe: true, criteria: "command: npm test" });
    await call("redirect change B1 --probe no --yes", "--criteria", "it works");
    expect(await b1()).toMatchObject({ criteria: "it works" });
    expect(await b1()).not.toHaveProperty("probe");
    await call("redirect change B1 --probe yes --yes", "--criteria", "");
    expect(await b1()).toMatchObject({ probe: true });
    expect(await b1()).not.toHaveProperty("criteria");
    await call("redirect add B2 --description d --probe --yes");
    expect(JSON.stringify((await aotJson(["state", "show"], { cwd: dir })).json["corrections"])).toContain(
      "B1.criteria",
    );
  });

  test("SPEC 8: a revert that a redirect asks for is noted for the next run", async () => {
    const resolved = LOOP.replace('"Signed tokens"\n    status: pending', '"Signed tokens"\n    status: resolved');
    const { dir } = projectWith(resolved);
    const ran = await aotJson(["redirect", "choose", "token_method", "A4_alt"], { cwd: dir });
    expect(ran.json).toMatchObject({ success: true, via: "file", revert: ["A4"] });
    expect(ran.err).toContain("the next run takes out what A4 had integrated");
    const journal = readFileSync(join(dir, ".claude", "aot-loop", "journal.jsonl"), "utf8");
    expect(journal).toContain('"event":"revert_due","atoms":["A4"]');
  });

  test("SPEC 8: stop sets the flag of a running loop, and says so of one that does not run", async () => {
    const { dir, state } = projectWith();
    expect((await aotJson(["stop", "lunch"], { cwd: dir })).json).toMatchObject({ success: true, via: "file" });
    expect(readFileSync(state, "utf8")).toContain("stop_requested: true");
    expect(readFileSync(state, "utf8")).toContain("lunch");
    const halted = projectWith(LOOP.replace("status: running", "status: stopped"));
    expect(await aot(["stop"], { cwd: halted.dir })).toMatchObject({ code: 1 });
  });
});

/** `aot` while this very process holds the loop: it has to go on answering. */
const aotBeside = (args: readonly string[], cwd: string): Promise<Ran> => lookOn(cwd, args).ended();

describe("a loop that a run works", () => {
  test("SPEC 8: edits are refused and name the run; stop and redirect reach it; a dead run holds nothing", async () => {
    const { dir, state } = projectWith();
    const lock = holdRunLock(state);
    if (!lock.ok) throw new Error(lock.message);
    const bodies: unknown[] = [];
    const watched = watchRequests(loopPaths(state).requests, {
      read: accepted,
      carryOut: async (body) => {
        bodies.push(body);
        return bodies.length === 1 ? { ok: true, message: "stopping" } : { ok: false, message: "not now" };
      },
      refused: () => {},
    });
    if (!watched.ok) throw new Error("no requests");
    try {
      for (const line of [
        ["atom", "update", "A1", "resolved"],
        ["state", "set-status", "stopped"],
        ["align", "g", "--check", "file: x", "--yes", "--force"],
      ]) {
        const refused = await aotBeside(line, dir);
        expect(refused.code).toBe(1);
        expect(refused.err).toContain(`pid ${process.pid}`);
        expect(refused.err).toContain("aot redirect");
      }
      const stopped = await aotBeside(["stop", "enough", "--json"], dir);
      expect(documentOf(stopped)).toEqual({ success: true, message: "stopping", via: "runner" });
      const redirected = await aotBeside(["redirect", "limit", "max_iterations", "9", "--json"], dir);
      expect(redirected.code).toBe(1);
      expect(documentOf(redirected)).toMatchObject({ errors: [{ message: "not now" }] });
      expect(bodies).toEqual([
        { kind: "stop", reason: "enough" },
        { kind: "redirect", redirect: { kind: "limit", constraint: "max_iterations", value: 9, reason: "" } },
      ]);
      expect(readFileSync(state, "utf8")).toBe(LOOP);
    } finally {
      await watched.value.close();
      lock.release();
    }
    expect((await aot(["atom", "update", "A1", "resolved"], { cwd: dir })).code).toBe(0);
  });

  test("SPEC 8: stop works when the run does not answer: the flag is in the file", async () => {
    const { dir, state } = projectWith();
    const lock = holdRunLock(state);
    if (!lock.ok) throw new Error(lock.message);
    try {
      const stopped = await aotBeside(["stop", "--json"], dir);
      expect(documentOf(stopped)).toMatchObject({ success: true, via: "file" });
      expect(readFileSync(state, "utf8")).toContain("stop_requested: true");
    } finally {
      lock.release();
    }
  });
});
