import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gatherAgents, type RoleNames } from "../../src/run/role-agents.ts";
import { tempFolder } from "../fixtures/programs.ts";

const posix = process.platform !== "win32";

async function rolesOf(names: RoleNames): Promise<object> {
  const gathered = await gatherAgents(names, {});
  if (!gathered.ok) throw new Error(JSON.stringify(gathered.problems));
  const { worker, probe, planner, judge, roles } = gathered.value;
  const name = (agent: { readonly name: string } | null | undefined): string | null => agent?.name ?? null;
  return { worker: name(worker), probe: name(probe), planner: name(planner), judge: name(judge), roles };
}

test("SPEC 10: --agent works in every role that is not named", async () => {
  expect(await rolesOf({ agent: "command:a" })).toEqual({
    worker: "command:a",
    probe: "command:a",
    planner: "command:a",
    judge: "command:a",
    roles: null,
  });
  expect(await rolesOf({ agent: "command:a", worker: "command:b", judge: "command:c" })).toEqual({
    worker: "command:b",
    probe: "command:a",
    planner: "command:a",
    judge: "command:c",
    roles: "worker command:b, probe command:a, planner command:a, judge command:c",
  });
});

test("SPEC 10: without --agent the worker's works in the others; `none` is for planner and judge", async () => {
  expect(await rolesOf({ worker: "command:b", planner: "none", judge: "none" })).toEqual({
    worker: "command:b",
    probe: "command:b",
    planner: null,
    judge: null,
    roles: null,
  });
  expect(await gatherAgents({ worker: "none", agent: "command:a" }, {})).toMatchObject({ ok: false, unknown: true });
});

test("the same name in two roles is one agent: what rests in one rests in the other", async () => {
  const gathered = await gatherAgents({ agent: "command:a,command:b", judge: "command:c" }, {});
  if (!gathered.ok) throw new Error("refused");
  expect(gathered.value.worker).toBe(gathered.value.probe);
  expect(gathered.value.worker).not.toBe(gathered.value.judge);
});

test("SPEC 10: an agent that there is not is bad usage, in whichever role", async () => {
  expect(await gatherAgents({ agent: "command:a", probe: "gemina" }, {})).toMatchObject({
    ok: false,
    unknown: true,
    problems: [{ message: 'there is no agent "gemina"' }],
  });
});

test.runIf(posix)("SPEC 9: an agent that is not there is a state of the world; the role is named", async () => {
  const env = { PATH: tempFolder() };
  const gathered = await gatherAgents({ agent: "command:a", judge: "codex" }, { env });
  expect(gathered).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringMatching(/judge's agent codex .*npm install -g @openai\/codex/) }],
  });
  expect(gathered).not.toHaveProperty("unknown");
});

test.runIf(posix)(
  "SPEC 10: nobody named: the first that is installed; a list takes whoever is there, and tells it",
  async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "codex"), "#!/bin/sh\necho codex-cli 1.2.3\n");
    chmodSync(join(folder, "codex"), 0o755);
    const env = { PATH: `${folder}:/bin:/usr/bin` };
    const alone = await gatherAgents({}, { env });
    expect(alone).toMatchObject({ ok: true, value: { worker: { name: "codex" }, judge: { name: "codex" } } });
    const reported: string[] = [];
    const list = await gatherAgents({ agent: "claude,codex" }, { env, tell: (message) => void reported.push(message) });
    expect(list).toMatchObject({ ok: true, value: { worker: { name: "claude,codex" } } });
    expect(reported).toEqual([expect.stringMatching(/^claude cannot work, codex takes over: .*claude-code/)]);
  },
);

test("SPEC 4: what a call costs at most is known only where it is of everybody", async () => {
  const gathered = await gatherAgents({ agent: "command:a" }, {});
  expect(gathered.ok && gathered.value).not.toHaveProperty("max_call_usd");
});
