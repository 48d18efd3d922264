/** `aot run` over MCP: started and left alone, or waited for with progress; cancelled, stopped, and ended with its server. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aotJson } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { letGo, loopWith, MAKING, pidsIn, waitingAgent } from "../../support/loop-at-work.ts";
import { calledOf, openSession } from "./session.ts";

const shown = async (dir: string): Promise<Readonly<Record<string, unknown>>> =>
  (await aotJson(["state", "show"], { cwd: dir })).json;

test("SPEC 9: waited for, its document is the run's report, and its lines are progress", async () => {
  const { dir, agent } = await loopWith(MAKING);
  const { client } = await openSession(dir);
  const lines: string[] = [];
  const steps: number[] = [];
  const result = await client.callTool(
    { name: "aot_run", arguments: { agent, wait: true } },
    {
      onprogress: ({ progress, message }) => {
        steps.push(progress);
        lines.push(message ?? "");
      },
    },
  );
  expect(calledOf(result)).toMatchObject({
    isError: false,
    json: { success: true, outcome: "verified", exit_code: 0 },
  });
  expect(lines.join("\n")).toMatch(/run \w+ started[^]*A1/);
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect(await shown(dir)).toMatchObject({ status: "completed" });
});

test("started it goes on when its client leaves; aot_status follows it, a second one learns who holds it", async () => {
  const signs = temporaryFolder();
  const { dir, agent } = await loopWith(waitingAgent(signs));
  const first = await openSession(dir);
  const started = await first.call("aot_run", { agent });
  expect(started).toMatchObject({ isError: false, json: { success: true, started: true } });
  const pid = Number(started.json["pid"]);
  await eventually("the agent works", () => pidsIn(signs).length > 0);
  await first.client.close();
  expect(isAlive(pid)).toBe(true);
  const second = await openSession(dir);
  expect(await second.call("aot_status")).toMatchObject({ json: { runner: { pid } } });
  const again = await second.call("aot_run", { agent });
  expect(again).toMatchObject({ isError: true, json: { errors: [{ code: "refused" }] } });
  expect(JSON.stringify(again.json)).toContain(`pid ${pid}`);
  letGo(signs);
  await eventually("the run ended", () => !isAlive(pid));
  expect(await shown(dir)).toMatchObject({ status: "completed", outcome: "verified" });
});

test("what cannot begin is reported at once", async () => {
  const { dir } = await loopWith(MAKING);
  const { call } = await openSession(dir);
  const called = await call("aot_run", { agent: "nobody" });
  expect(called).toMatchObject({ isError: true, json: { success: false } });
  expect(called.json).toEqual((await aotJson(["run", "--agent", "nobody"], { cwd: dir })).json);
});

test("RUN-PROCESS-1: a call that is cancelled before it said that the run was started stops it", async () => {
  const signs = temporaryFolder();
  const { dir, agent } = await loopWith(waitingAgent(signs), "--atom", "A1: first", "--atom", "A2: second <- A1");
  const { client } = await openSession(dir);
  const cancel = new AbortController();
  const call = client.callTool({ name: "aot_run", arguments: { agent } }, { signal: cancel.signal });
  const refused = expect(call).rejects.toThrow();
  await eventually("the run is being started", () => existsSync(join(dir, ".claude/aot-loop/detached.log")));
  cancel.abort();
  await refused;
  letGo(signs);
  await eventually("the loop stopped", async () => (await shown(dir))["outcome"] === "stop_requested");
});

test.skipIf(process.platform === "win32")("a cancelled call asks its run to stop, as Ctrl-C does", async () => {
  const signs = temporaryFolder();
  const { dir, agent } = await loopWith(waitingAgent(signs), "--atom", "A1: first", "--atom", "A2: second <- A1");
  const { client } = await openSession(dir);
  const cancel = new AbortController();
  const call = client.callTool({ name: "aot_run", arguments: { agent, wait: true } }, { signal: cancel.signal });
  const refused = expect(call).rejects.toThrow();
  await eventually("the agent works", () => pidsIn(signs).length > 0);
  cancel.abort();
  await refused;
  letGo(signs);
  await eventually("the loop stopped", async () => (await shown(dir))["outcome"] === "stop_requested");
  expect(await shown(dir)).toMatchObject({ status: "stopped", atoms: [{ status: "resolved" }, { status: "pending" }] });
});

test.skipIf(process.platform === "win32")(
  "a run that is waited for ends with its server, and its agents with it",
  async () => {
    const signs = temporaryFolder();
    const { dir, agent } = await loopWith(waitingAgent(signs));
    const { client } = await openSession(dir);
    const call = client.callTool({ name: "aot_run", arguments: { agent, wait: true } });
    const refused = expect(call).rejects.toThrow();
    await eventually("the agent works", () => pidsIn(signs).length > 0);
    const [pid = 0] = pidsIn(signs);
    await client.close();
    await refused;
    await eventually("the agent is gone", () => !isAlive(pid));
    await eventually("the loop stopped", async () => (await shown(dir))["status"] === "stopped");
  },
);
