import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { namedIn, tryLockSync } from "../../src/host/lock.ts";
import { newHolder } from "../../src/host/lock-file.ts";
import { bundleFixture, eventually, startProgram, temporaryFolder, type Worker } from "../support/bundle.ts";
import { inContainer, needsContainers } from "../support/container.ts";

let program = "";
beforeAll(async () => {
  program = await bundleFixture("host/lock-worker.ts");
});
beforeEach(() => needsContainers());

/** A worker in a container of its own. */
function worker(host: string, ...args: readonly string[]): Worker {
  return startProgram(inContainer(host, [process.execPath, program, ...args]));
}

async function ask(contender: Worker): Promise<Record<string, unknown>> {
  contender.say("try");
  return JSON.parse(await contender.line()) as Record<string, unknown>;
}

test.each(["first", "second"])(
  "SPEC 2: a killed container's lock goes to the next one at once, whose host name is %s; a live one keeps it",
  async (host) => {
    const path = join(temporaryFolder(), "run.lock");
    const state = `${path}.state`;
    const holder = worker("first", path, "hold", "lasting", state);
    await holder.line();
    const next = worker(host, path, "contend", "lasting", state);
    await next.line();
    expect(await ask(next)).toMatchObject({ ok: false, code: "held", hint: "wait for it or end it" });
    holder.kill();
    await eventually("the killed container's lock is taken over", async () => (await ask(next))["ok"] === true);
    next.say("both");
    expect(JSON.parse(await next.line()), "what else it held").toMatchObject({ ok: true, taken_over: true });
    next.say("release");
    await next.line();
    next.kill();
  },
);

test("SPEC 2: containers at once are never inside together, some of them killed", async () => {
  const folder = temporaryFolder();
  const [path, counter] = [join(folder, "a.lock"), join(folder, "counter")];
  writeFileSync(counter, "0");
  const counting = [1, 2, 3].map((n) => worker(`c${n}`, path, "count", counter, "8", "lasting"));
  for (const n of [1, 2, 3]) {
    const killed = worker(`killed-${n}`, path, "hold", "lasting");
    await killed.line();
    killed.kill();
  }
  await Promise.all(counting.map((one) => one.ended()));
  await worker("last", path, "count", counter, "1", "lasting").ended();
  expect(readFileSync(counter, "utf8")).toBe("25");
  expect(readdirSync(folder)).toEqual(["counter"]);
});

test("LOCK-4: what the kernel does not hold cannot be judged from another container, and it is said how to decide", async () => {
  const path = join(temporaryFolder(), "a.lock");
  const holder = worker("first", path, "hold");
  await holder.line();
  const next = worker("second", path, "contend", "lasting");
  await next.line();
  holder.kill();
  await holder.ended();
  expect(await ask(next)).toMatchObject({
    ok: false,
    code: "held",
    hint: expect.stringMatching(/surely gone, delete/),
  });
  next.kill();
});

test("LOCK-4: a lock that was made without the program `flock` is not judged by it", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.lock");
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const without = ["env", `PATH=${bin}`, process.execPath, program];
  const holder = startProgram([...inContainer("first", []), ...without, path, "hold", "lasting"]);
  await holder.line();
  expect(namedIn(path)).toMatchObject({ liveness: "alive", holder: { pid: expect.any(Number) } });
  expect(namedIn(path)?.holder).not.toHaveProperty("device");
  const next = worker("second", path, "contend", "lasting");
  await next.line();
  expect(await ask(next)).toMatchObject({ ok: false, code: "held" });
  holder.kill();
  next.kill();
});

test("SPEC 2: a lock of this kernel under another host name is judged by its process; of another machine nothing is known", () => {
  const path = join(temporaryFolder(), "a.lock");
  const { start, ...rest } = newHolder("a test");
  const put = (change: object): void =>
    writeFileSync(path, JSON.stringify({ ...rest, start, host: "elsewhere", ...change }));
  put({});
  expect(namedIn(path)?.liveness).toBe("alive");
  put({ start: start.replace(/^\d+/, "1") });
  expect(namedIn(path)?.liveness).toBe("dead");
  const [ticks = "", , namespace = ""] = start.split(".");
  for (const device of [undefined, 1])
    put({ start: `${ticks}.00000000.${namespace}.another`, device, host: hostname() });
  expect(namedIn(path)?.liveness).toBe("unknown");
  expect(tryLockSync(path, { what: "x" })).toMatchObject({ ok: false, code: "held" });
});
