/** The place of a task on a worker: what is left when it cannot be had (SPEC section 13). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Outbox } from "../../src/engines/blobs/outbox.ts";
import { shareLine } from "../../src/adapters/workspace/share-line.ts";
import { createPlaces } from "../../src/engines/place.ts";
import { termsOf } from "../../src/engines/terms.ts";
import { createLoop } from "../../src/core/loop.ts";
import { createProject, gitIn } from "../adapters/workspace/project.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { stateOf } from "../support/loops.ts";

test("SPEC 13: of a place that cannot be had nothing is left, however often it is tried", async () => {
  const project = await createProject({ "a.txt": "1\n" });
  onTestFinished(() => project.remove());
  const [remote, dir] = [join(tempFolder(), "shared.git"), tempFolder()];
  gitIn(dir, "init", "-q", "--bare", remote);
  expect(await shareLine(project.options(), remote)).toMatchObject({ ok: true });
  let begun = 0;
  const full: Outbox = {
    begin: () => Promise.reject(new Error(`no space left, ${++begun}`)),
    send: () => Promise.resolve(null),
    sendAll: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  };
  const crew = { agent: "command:true", judge: "none", planner: "none" };
  const limits = { timeout_ms: 60_000, max_wait_ms: 0 };
  const terms = termsOf({ remote, line: "demo", prefix: "", state_file: ".claude/aot-loop-state.md", crew, limits });
  const loop = createLoop(stateOf({ atoms: [{ id: "A1" }] }));
  const task = { id: "check_base_case#1", effect: { type: "check_base_case" } } as const;
  const places = createPlaces(dir, full, () => {});
  const { signal } = new AbortController();
  for (let run = 1; run <= 2; run++)
    await expect(places.open({ name: "x", task, loop, terms, run, signal })).rejects.toThrow(`no space left, ${run}`);
  const tasks = join(dir, "tasks");
  expect(existsSync(tasks) ? readdirSync(tasks) : []).toEqual([]);
  await places.close();
});
