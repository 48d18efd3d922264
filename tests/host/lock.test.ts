import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { self } from "../../src/host/liveness.ts";
import { acquireLockSync, holderOf, tryLockSync, type Holder, type Lock } from "../../src/host/lock.ts";
import { bundleFixture, chance, startProgram, startWorker, temporaryFolder, type Worker } from "../support/bundle.ts";

const linux = process.platform === "linux";
const root = process.getuid?.() === 0;
let program = "";
beforeAll(async () => {
  program = await bundleFixture("host/lock-worker.ts");
});

function take(path: string, timeout_ms = 10_000): Lock {
  const answer = acquireLockSync(path, { what: "the test", timeout_ms });
  if (!answer.ok) throw new Error(answer.message);
  return answer;
}

function holder(change: Partial<Holder> = {}): Holder {
  const start = self().slice(self().indexOf("/") + 1);
  return {
    pid: process.pid,
    start,
    host: hostname(),
    nonce: "abc-mf3k2j1a-0123456789",
    what: "a test",
    since: "2026-01-02T03:04:05.678Z",
    ...change,
  };
}

/** A process that lived a moment ago: dead for sure. */
async function deadHolder(change: Partial<Holder> = {}): Promise<Holder> {
  const child = startProgram([process.execPath, "-e", ""]);
  await child.ended();
  const start = linux
    ? self()
        .slice(self().indexOf("/") + 1)
        .replace(/^\d+/, "1")
    : "";
  return holder({ pid: child.pid, start, ...change });
}

test("a free lock is taken, answers who holds it, and leaves nothing once released", () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.lock");
  const lock = take(path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(lock.holder);
  expect(holderOf(path)).toEqual(lock.holder);
  expect(lock).toMatchObject({ taken_over: false, holder: { pid: process.pid, what: "the test" } });
  lock.release();
  lock.release();
  expect(holderOf(path)).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});

test.each(["", "no-links"])(
  "SPEC 2: 8 processes at once are never inside together (%s)",
  async (links) => {
    const folder = temporaryFolder();
    const counter = join(folder, "counter");
    writeFileSync(counter, "0");
    const workers = Array.from({ length: 8 }, () =>
      startWorker(program, join(folder, "a.lock"), "count", counter, "40", links),
    );
    await Promise.all(workers.map((worker) => worker.ended()));
    expect(readFileSync(counter, "utf8")).toBe("320");
    expect(readdirSync(folder)).toEqual(["counter"]);
  },
  60_000,
);

test("SPEC 2: a live holder's lock is never taken, however old, and even when its process is stopped", async () => {
  const path = join(temporaryFolder(), "a.lock");
  const worker = startWorker(program, path, "hold");
  expect(await worker.line()).toBe("held");
  utimesSync(path, 1, 1);
  worker.kill("SIGSTOP");
  for (const answer of [tryLockSync(path, { what: "x" }), acquireLockSync(path, { what: "x", timeout_ms: 60 })]) {
    expect(answer).toMatchObject({ ok: false, code: "held", holder: { pid: worker.pid, what: "hold" } });
    if (!answer.ok) expect(answer.message).toContain(`pid ${worker.pid}`);
  }
  worker.kill("SIGCONT");
  worker.say("release");
  await worker.ended();
  take(path).release();
});

test("SPEC 2: whoever waits is not refused while the lock goes from hand to hand, however long that takes", async () => {
  const path = join(temporaryFolder(), "a.lock");
  const worker = startWorker(program, path, "relay", "40");
  expect(await worker.line()).toBe("held");
  take(path, 1_500).release();
  await worker.ended();
});

test("SPEC 2: a killed holder's lock goes to the next, who is reported", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.lock");
  const worker = startWorker(program, path, "hold");
  await worker.line();
  worker.kill();
  await worker.ended();
  expect(holderOf(path)).toBeNull();
  const lock = take(path);
  expect(lock.taken_over).toBe(true);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test("SPEC 2: of 8 contenders exactly one takes over a dead holder's lock", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.lock");
  const workers = Array.from({ length: 8 }, () => startWorker(program, path, "contend"));
  await Promise.all(workers.map((worker) => worker.line()));
  const ask = async (what: string): Promise<{ ok: boolean; taken_over?: boolean; message?: string }[]> => {
    for (const worker of workers) worker.say(what);
    return Promise.all(workers.map(async (worker) => JSON.parse(await worker.line())));
  };
  for (let round = 0; round < 40; round++) {
    writeFileSync(path, JSON.stringify(await deadHolder({ nonce: `abc-mf3k2j1a-${String(round).padStart(10, "0")}` })));
    const answers = await ask("try");
    expect(answers.filter((answer) => answer.ok)).toEqual([expect.objectContaining({ taken_over: true })]);
    await ask("release");
    expect(readdirSync(folder)).toEqual([]);
  }
}, 60_000);

test("SPEC 2: contenders killed at random, takeovers included, never let two in and never block the rest", async () => {
  const seed = Date.now() % 1_000_000;
  console.log(`chance seed ${seed}`);
  const random = chance(seed);
  const folder = temporaryFolder();
  const path = join(folder, "a.lock");
  const start = (): Worker => startWorker(program, path, "mill", join(folder, "inside"));
  const workers = Array.from({ length: 4 }, start);
  for (let kills = 0; kills < 60; kills++) {
    const victim = Math.floor(random() * workers.length);
    await workers[victim]?.line();
    await new Promise((resolve) => setTimeout(resolve, random() * 20));
    workers[victim]?.kill();
    // A worker that saw another one inside ended by itself, with an error: this rejects.
    await workers[victim]?.ended();
    workers[victim] = start();
  }
  for (const worker of workers) {
    await worker.line();
    worker.kill();
    await worker.ended();
  }
  take(path).release();
  // Killed before it wrote its name, a temporary file is left alone for a minute.
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1);
  await takeOverOnce(path);
  expect(readdirSync(folder).filter((name) => name !== "inside")).toEqual([]);
}, 120_000);

/** A takeover sweeps. */
async function takeOverOnce(path: string): Promise<void> {
  writeFileSync(path, JSON.stringify(await deadHolder()));
  take(path).release();
}

test("SPEC 2: a holder on another machine is never taken over; the refusal names it", async () => {
  const path = join(temporaryFolder(), "a.lock");
  writeFileSync(path, JSON.stringify(await deadHolder({ host: "elsewhere", start: "1.00000000.1.another" })));
  utimesSync(path, 1, 1);
  const answer = tryLockSync(path, { what: "x" });
  expect(answer).toMatchObject({ ok: false, code: "held", holder: { host: "elsewhere" } });
  if (!answer.ok)
    expect(`${answer.message}; ${answer.hint}`).toMatch(
      /pid \d+ on host elsewhere, since 2026-01-02T03:04:05.678Z.*delete .*a\.lock/,
    );
});

test.skipIf(!linux || !root)(
  "SPEC 2: from inside a sandbox (pid namespace) a live holder outside is not taken for dead",
  async () => {
    const path = join(temporaryFolder(), "a.lock");
    const lock = take(path);
    const inside = startProgram([
      "unshare",
      "--pid",
      "--fork",
      "--mount-proc",
      "--kill-child",
      process.execPath,
      program,
      path,
      "contend",
    ]);
    await inside.line();
    inside.say("try");
    expect(JSON.parse(await inside.line())).toMatchObject({ ok: false, code: "held", holder: { pid: process.pid } });
    lock.release();
    inside.say("try");
    expect(JSON.parse(await inside.line())).toMatchObject({ ok: true });
    expect(tryLockSync(path, { what: "x" })).toMatchObject({ ok: false, code: "held" });
    inside.kill();
    await inside.ended();
    // Ending the outer `unshare` kills the inner process a moment later.
    take(path).release();
  },
);

test.each(["", "{", "null", "17", '{"pid":1}', JSON.stringify({ ...holder(), nonce: "../../x" })])(
  "SPEC 2: a file that names no holder (%j) is taken over when older than 10 s, not before",
  (content) => {
    const folder = temporaryFolder();
    const path = join(folder, "a.lock");
    writeFileSync(path, content);
    expect(tryLockSync(path, { what: "x" })).toMatchObject({ ok: false, code: "held", holder: null });
    utimesSync(path, Date.now() / 1000 - 11, Date.now() / 1000 - 11);
    const lock = take(path);
    expect(lock.taken_over).toBe(true);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("release removes only what is its own", () => {
  const path = join(temporaryFolder(), "a.lock");
  const lock = take(path);
  const other = JSON.stringify(holder());
  writeFileSync(path, other);
  lock.release();
  expect(readFileSync(path, "utf8")).toBe(other);
});

test("SPEC 8: a lock that somebody deleted or garbled is put back by its holder; one that a living process has is not", async () => {
  const path = join(temporaryFolder(), "a.lock");
  const lock = take(path);
  const damages = [
    () => rmSync(path),
    () => writeFileSync(path, "mine"),
    () => writeFileSync(path, JSON.stringify(dead)),
  ];
  const dead = await deadHolder();
  for (const damage of damages) {
    damage();
    expect(lock.keep()).toBeNull();
    expect(holderOf(path)).toEqual(lock.holder);
  }
  const living = holder();
  writeFileSync(path, JSON.stringify(living));
  expect(lock.keep()).toEqual(living);
  expect(holderOf(path)).toEqual(living);
  rmSync(path);
  lock.release();
  expect(lock.keep(), "what was given back is not taken again").toBeNull();
  expect(existsSync(path)).toBe(false);
});

test("a takeover sweeps what dead processes left, and nothing else", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.lock");
  const dead = JSON.stringify(await deadHolder({ nonce: "abc-mf3k2j1a-00000000aa" }));
  const leftovers = [
    "a.lock.abc-mf3k2j1a-00000000bb.tmp",
    "a.lock.abc-mf3k2j1a-00000000cc",
    "a.lock.abc-mf3k2j1a-00000000cc.abc-mf3k2j1a-00000000dd.tmp",
    "a.lock.g-1abc-mf3k2j1a",
  ];
  for (const name of leftovers) writeFileSync(join(folder, name), dead);
  const kept = ["a.lock.backup", "a.lock.old.tmp", "b.lock.abc-mf3k2j1a-00000000bb.tmp", "a.md"];
  for (const name of kept) writeFileSync(join(folder, name), dead);
  const live = "a.lock.abc-mf3k2j1a-00000000ee.tmp";
  writeFileSync(join(folder, live), JSON.stringify(holder()));
  await takeOverOnce(path);
  expect(readdirSync(folder).toSorted()).toEqual([...kept, live].toSorted());
});

test("a thread that holds the lock is refused at once: it would wait for itself", () => {
  const path = join(temporaryFolder(), "a.lock");
  const lock = take(path);
  expect(acquireLockSync(path, { what: "x", timeout_ms: 1e9 })).toMatchObject({
    ok: false,
    code: "held",
    holder: lock.holder,
  });
  lock.release();
});

test("a folder that is missing is a value with the next step, and one in the lock's place is set aside in the end", () => {
  const folder = temporaryFolder();
  expect(tryLockSync(join(folder, "none", "a.lock"), { what: "x" })).toMatchObject({
    ok: false,
    code: "unwritable",
    hint: "create the folder first",
  });
  mkdirSync(join(folder, "b.lock"));
  const path = join(folder, "b.lock");
  expect(tryLockSync(path, { what: "x" })).toMatchObject({
    ok: false,
    code: "held",
    holder: null,
    hint: expect.stringContaining("taken over once it has not changed for 10 s"),
  });
  const longAgo = Date.now() / 1000 - 60;
  utimesSync(path, longAgo, longAgo);
  expect(take(path)).toMatchObject({ taken_over: true });
  expect(readdirSync(folder).sort()).toEqual(["b.lock", "b.lock.foreign-1"]);
  expect(existsSync(join(folder, "none"))).toBe(false);
});
