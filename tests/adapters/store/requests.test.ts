import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import {
  submitRequest,
  watchRequests,
  type RequestAnswer,
  type RequestWatch,
} from "../../../src/adapters/store/requests.ts";
import { accepted } from "../../../src/core/problem.ts";
import { processIdentity, self } from "../../../src/host/liveness.ts";
import { bundleFixture, eventually, startProgram, startWorker, temporaryFolder } from "../../support/bundle.ts";

let program = "";
beforeAll(async () => {
  program = await bundleFixture("store/request-worker.ts");
});

function newDir(): string {
  return join(temporaryFolder(), "aot-loop", "requests");
}

function watchDir(dir: string, onRequest: (body: unknown) => Promise<object>): RequestWatch {
  const watch = watchRequests(dir, { read: accepted, carryOut: onRequest, refused: () => {} });
  if (!watch.ok) throw new Error(watch.problems[0]?.message);
  onTestFinished(() => watch.value.close());
  return watch.value;
}

const echo = (body: unknown): Promise<object> => Promise.resolve({ echo: body });

/** A request as somebody else would have written it. */
function put(dir: string, name: string, from: string, age_ms = 0): void {
  const file = join(dir, `${name}.request.json`);
  writeFileSync(file, JSON.stringify({ from, body: name }));
  utimesSync(file, (Date.now() - age_ms) / 1000, (Date.now() - age_ms) / 1000);
}

async function deadIdentity(): Promise<string> {
  const child = startProgram([process.execPath, "-e", ""]);
  await child.ended();
  return self().replace(/^\d+\/\d*/, `${child.pid}/1`);
}

test("a request is answered with what the runner says, and leaves nothing", async () => {
  const dir = newDir();
  watchDir(dir, echo);
  const answers = await Promise.all([1, 2, 3].map((n) => submitRequest(dir, { n }, { timeout_ms: 10_000 })));
  expect(answers).toEqual([1, 2, 3].map((n) => ({ ok: true, value: { echo: { n } } })));
  await eventually("the folder is empty", () => readdirSync(dir).length === 0);
});

test("a request that waited for a runner is carried out when one comes", async () => {
  const dir = newDir();
  const answer = submitRequest(dir, { early: true }, { timeout_ms: 10_000 });
  watchDir(dir, echo);
  expect(await answer).toEqual({ ok: true, value: { echo: { early: true } } });
});

test("5 processes asking at once: each request is carried out exactly once, one at a time", async () => {
  const dir = newDir();
  const done: unknown[] = [];
  let inside = 0;
  watchDir(dir, async (body) => {
    expect(++inside).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
    done.push(body);
    return { count: done.length };
  });
  const workers = Array.from({ length: 5 }, (_, who) => startWorker(program, dir, String(who), "20"));
  await Promise.all(workers.map((worker) => worker.ended()));
  expect(done).toHaveLength(100);
  expect(new Set(done.map((body) => JSON.stringify(body))).size).toBe(100);
  await eventually("the folder is empty", () => readdirSync(dir).length === 0);
}, 60_000);

test("requests are carried out in the order of asking", async () => {
  const dir = newDir();
  const order: unknown[] = [];
  await submitRequest(dir, {}, { timeout_ms: 0 });
  for (const name of ["000000000000003-1-a", "000000000000001-1-a", "000000000000002-1-a"]) put(dir, name, self());
  watchDir(dir, (body) => {
    order.push(body);
    return Promise.resolve({});
  });
  await eventually("all are done", () => order.length === 3);
  expect(order).toEqual(["000000000000001-1-a", "000000000000002-1-a", "000000000000003-1-a"]);
});

test("what the handler rejects with is reported to the asker, and the next request is served", async () => {
  const dir = newDir();
  watchDir(dir, (body) => (JSON.stringify(body) === "{}" ? Promise.reject(new Error("no such atom: A9")) : echo(body)));
  expect(await submitRequest(dir, {}, { timeout_ms: 10_000 })).toMatchObject({
    ok: false,
    code: "failed",
    message: "no such atom: A9",
  });
  expect(await submitRequest(dir, { n: 1 }, { timeout_ms: 10_000 })).toMatchObject({ ok: true });
});

test("without a runner the request is withdrawn and says so", async () => {
  const dir = newDir();
  const answer = await submitRequest(dir, {}, { timeout_ms: 50 });
  expect(answer).toMatchObject({ ok: false, code: "withdrawn", message: expect.stringContaining("nothing was done") });
  expect(await submitRequest(dir, {}, { timeout_ms: 1e9, runnerAlive: () => false })).toMatchObject({
    ok: false,
    code: "withdrawn",
  });
  expect(readdirSync(dir)).toEqual([]);
});

test("a request that was taken but not answered in time says that it may have been carried out", async () => {
  const dir = newDir();
  let finish = (): void => {};
  watchDir(dir, () => new Promise((resolve) => (finish = () => resolve({}))));
  const answer: RequestAnswer = await submitRequest(dir, {}, { timeout_ms: 600 });
  expect(answer).toMatchObject({ ok: false, code: "unanswered", message: expect.stringContaining("may have") });
  finish();
});

test("what a dead runner had taken is answered with an error and never carried out again", async () => {
  const dir = newDir();
  const taker = startWorker(program, dir, "take-and-hang");
  await taker.line();
  const answer = submitRequest(dir, { n: 1 }, { timeout_ms: 20_000 });
  expect(await taker.line()).toBe('{"n":1}');
  taker.kill();
  await taker.ended();
  const carriedOut: unknown[] = [];
  watchDir(dir, (body) => {
    carriedOut.push(body);
    return Promise.resolve({});
  });
  expect(await answer).toMatchObject({
    ok: false,
    code: "failed",
    message: expect.stringContaining("may have been carried out"),
  });
  expect(carriedOut).toEqual([]);
});

test("requests of dead askers are dropped when older than 60 s; younger ones and those of the living are carried out", async () => {
  const dir = newDir();
  await submitRequest(dir, {}, { timeout_ms: 0 });
  const dead = await deadIdentity();
  put(dir, "1-old-dead", dead, 61_000);
  put(dir, "2-young-dead", dead);
  put(dir, "3-old-living", self(), 61_000);
  const order: unknown[] = [];
  watchDir(dir, (body) => {
    order.push(body);
    return Promise.resolve({});
  });
  await eventually("all are gone", () => readdirSync(dir).every((name) => !/request|taken/.test(name)));
  expect(order).toEqual(["2-young-dead", "3-old-living"]);
  // Nobody is left to fetch an answer of the dead.
  expect(readdirSync(dir)).toEqual(["3-old-living.answer.json"]);
});

test.each(["", "{", "42", '{"body":1}', '{"from":7,"body":1}'])(
  "a garbage request (%j) is answered with an error, kept and reported once",
  async (content) => {
    const dir = newDir();
    await submitRequest(dir, {}, { timeout_ms: 0 });
    writeFileSync(join(dir, "1.request.json"), content);
    const reported: string[] = [];
    const watch = watchRequests(dir, { read: accepted, carryOut: echo, refused: (message) => reported.push(message) });
    await eventually("it is told", () => reported.length > 0);
    expect(readdirSync(dir).sort()).toEqual(["1.answer.json", "1.refused.json"]);
    expect(readFileSync(join(dir, "1.refused.json"), "utf8")).toBe(content);
    if (watch.ok) await watch.value.close();
    expect(reported).toEqual([expect.stringContaining(join(dir, "1.refused.json"))]);
  },
);

test("a folder removed under the watcher does not end the service", async () => {
  const dir = newDir();
  watchDir(dir, echo);
  rmSync(dir, { recursive: true });
  expect(await submitRequest(dir, { n: 1 }, { timeout_ms: 10_000 })).toMatchObject({ ok: true });
});

test.runIf(process.platform === "linux")(
  "REQUESTS-4: of a sender that did not write it, of a dead one, and of an agent of this run a request is refused and kept",
  async () => {
    const dir = newDir();
    const refused: string[] = [];
    const server = {
      read: accepted,
      carryOut: echo,
      needsSender: () => true,
      refused: (said: string) => refused.push(said),
    };
    const watch = watchRequests(dir, server);
    if (!watch.ok) throw new Error(watch.problems[0]?.message);
    onTestFinished(() => watch.value.close());
    put(dir, "000-parent", processIdentity(process.ppid) ?? "");
    put(dir, "001-dead", await deadIdentity());
    const agent = startWorker(program, dir, "agent", "1");
    await agent.ended();
    await eventually("all are refused", () => refused.length === 3);
    expect(refused.map((said) => /did not write it|nobody who lives|an agent or a check/.exec(said)?.[0])).toEqual([
      "did not write it",
      "nobody who lives",
      "an agent or a check",
    ]);
    expect(await submitRequest(dir, { mine: true }, { timeout_ms: 10_000 })).toMatchObject({ ok: true });
  },
);

test("close waits for the request in hand and takes no other", async () => {
  const dir = newDir();
  let finish = (): void => {};
  const watch = watchDir(dir, () => new Promise((resolve) => (finish = () => resolve({ n: 1 }))));
  const first = submitRequest(dir, {}, { timeout_ms: 10_000 });
  await eventually("it is taken", () => readdirSync(dir).some((name) => name.includes(".taken.")));
  const closing = watch.close();
  const second = submitRequest(dir, {}, { timeout_ms: 300 });
  finish();
  await closing;
  await watch.close();
  expect(await first).toEqual({ ok: true, value: { n: 1 } });
  expect(await second).toMatchObject({ ok: false, code: "withdrawn" });
});

test("SPEC 8: what a dead process had begun to write among the requests goes, what is young or a live one's stays", async () => {
  const dir = temporaryFolder();
  const dead = startProgram([process.execPath, "-e", ""]);
  await dead.ended();
  const old = ["1-1-a.answer.json", "1-1-b.request.json"].map((name) => join(dir, `${name}.${dead.pid}-0.tmp`));
  const kept = [join(dir, `1-1-c.answer.json.${process.pid}-0.tmp`), join(dir, `1-1-a.answer.json.${dead.pid}-1.tmp`)];
  for (const file of [...old, ...kept]) writeFileSync(file, "{");
  for (const file of [...old, ...kept.slice(0, 1)]) utimesSync(file, 1, 1);
  const watch = watchRequests(dir, { read: accepted, carryOut: () => Promise.resolve({}), refused: () => {} });
  if (!watch.ok) throw new Error(JSON.stringify(watch.problems));
  await watch.value.close();
  expect(readdirSync(dir).toSorted()).toEqual(kept.map((file) => basename(file)).toSorted());
});
