import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openJournal, type Journal } from "../../../src/adapters/store/journal.ts";
import { entriesOf, readJournal } from "../../../src/adapters/store/journal-reader.ts";
import { createLineReader, type ReadLine } from "../../../src/adapters/store/journal-reader.ts";
import { bundleFixture, chance, startWorker, temporaryFolder } from "../../support/bundle.ts";
import { fieldsOf } from "../../support/lines.ts";
import { canMount, smallDisk } from "../../support/small-disk.ts";

if (!canMount) console.warn("SKIPPED: the journal on a full disk: mounting one needs Linux and root");

let appender = "";
beforeAll(async () => {
  appender = await bundleFixture("store/journal-worker.ts");
});

function open(path: string, max_bytes?: number): Journal {
  const journal = openJournal(path, max_bytes === undefined ? {} : { max_bytes });
  if (!journal.ok) throw new Error(journal.problems[0]?.message);
  onTestFinished(() => {
    journal.value.close();
  });
  return journal.value;
}

function newPath(): string {
  return join(temporaryFolder(), "deep", "journal.jsonl");
}

function all(path: string): ReadLine[] {
  return [...readJournal(path)];
}

function brief(lines: Iterable<ReadLine>): unknown[] {
  return [...lines].map((line) => (line.kind === "entry" ? line.value : `${line.line}: ${line.why}`));
}

test("SPEC 8: what was appended is read back in order; unknown types are kept as they are", async () => {
  const path = newPath();
  expect(all(path)).toEqual([]);
  const journal = open(path);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), async (objects) => {
      const before = all(path).length;
      expect(journal.append(objects).ok).toBe(true);
      // As JSON has it: no -0, no __proto__.
      expect(brief(all(path)).slice(before)).toEqual(objects.map((object) => JSON.parse(JSON.stringify(object))));
    }),
    { numRuns: 40 },
  );
  expect(brief(all(path).filter((line) => line.kind === "skipped"))).toEqual([]);
});

test("however the bytes are cut into chunks, the lines are the same", () => {
  const piece = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.string(),
    fc.constant('{"type":"ü€😀"}'),
    fc.constant(""),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(50)), fc.boolean(), (pieces, cuts, closed) => {
      const bytes = Buffer.from(pieces.join("\n") + (closed ? "\n" : ""));
      const whole = createLineReader("f", 60);
      const expected = [...whole.push(bytes), ...whole.end()];
      const cut = createLineReader("f", 60);
      const lines: ReadLine[] = [];
      const reused = Buffer.alloc(51);
      let from = 0;
      for (const size of [...cuts, ...Array.from({ length: bytes.length }, () => 50)]) {
        const length = bytes.copy(reused, 0, from, from + size);
        lines.push(...cut.push(reused.subarray(0, length)));
        from += length;
      }
      expect([...lines, ...cut.end()]).toEqual(expected);
    }),
  );
});

test("SPEC 8: a half-written last line is tolerated, ended by the next append, and counted with its number", async () => {
  const path = newPath();
  open(path).append([{ n: 1 }]);
  appendFileSync(path, '{"n":2,"half');
  expect(brief(all(path))).toEqual([{ n: 1 }, "2: unfinished"]);
  open(path).append([{ n: 3 }, { n: 4 }]);
  expect(brief(all(path))).toEqual([{ n: 1 }, "2: corrupt", { n: 3 }, { n: 4 }]);
});

test("SPEC 8: the same for a fragment that another process leaves while we have the journal open", async () => {
  const path = newPath();
  const journal = open(path);
  journal.append([{ n: 1 }]);
  appendFileSync(path, '{"n":2,"half');
  journal.append([{ n: 3 }]);
  journal.append([{ n: 4 }]);
  expect(brief(all(path))).toEqual([{ n: 1 }, "2: corrupt", { n: 3 }, { n: 4 }]);
});

test("a last line that lacks only its newline is whole", async () => {
  const path = newPath();
  open(path).append([{ n: 1 }]);
  appendFileSync(path, '{"n":2}');
  expect(brief(all(path))).toEqual([{ n: 1 }, { n: 2 }]);
  open(path).append([{ n: 3 }]);
  expect(brief(all(path))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("corrupt, overlong and non-object lines in the middle are skipped and named", async () => {
  const path = newPath();
  const journal = open(path);
  journal.append([{ n: 1 }]);
  appendFileSync(path, `nonsense\n42\n[1]\nnull\n\n{"long":"${"x".repeat(17 * 1024 * 1024)}"}\n`);
  appendFileSync(path, Buffer.from([0x7b, 0xff, 0x00, 0x0a]));
  journal.append([{ n: 2 }]);
  const skipped = ["2: corrupt", "3: corrupt", "4: corrupt", "5: corrupt", "7: too_long", "8: corrupt"];
  expect(brief(all(path))).toEqual([{ n: 1 }, ...skipped, { n: 2 }]);
});

test("a journal that cannot be read at all is reported, not thrown", async () => {
  const folder = temporaryFolder();
  expect(all(folder)).toEqual([{ kind: "skipped", file: folder, line: 0, why: "unreadable" }]);
});

test("STORE-JOURNAL-4: a folder or a link in the journal's place is set aside, not written through", async () => {
  const path = newPath();
  mkdirSync(join(path, "..", "elsewhere"), { recursive: true });
  const elsewhere = join(path, "..", "elsewhere", "file");
  writeFileSync(elsewhere, "a person's\n");
  symlinkSync(elsewhere, path);
  const journal = open(path);
  journal.append([{ n: 1 }]);
  rmSync(path);
  mkdirSync(path);
  journal.append([{ n: 2 }]);
  expect(brief(all(path))).toEqual([{ n: 1 }, { n: 2 }]);
  expect(readFileSync(elsewhere, "utf8")).toBe("a person's\n");
  expect(readdirSync(join(path, "..")).filter((name) => name.includes("foreign"))).toHaveLength(2);
});

test.skipIf(process.platform === "win32")(
  "STORE-JOURNAL-4: a pipe in the journal's place keeps no reader waiting",
  async () => {
    const path = newPath();
    mkdirSync(join(path, ".."), { recursive: true });
    spawnSync("mkfifo", [path]);
    // Where somebody else has both ends, opening and reading would wait for them; else opening alone.
    const holder = spawn("/bin/sh", ["-c", 'exec 3<>"$0"; echo held; read line', path], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    const unreadable = [{ kind: "skipped", file: path, line: 0, why: "unreadable" }];
    expect(all(path)).toEqual(unreadable);
    holder.stdin.end();
    await once(holder, "close");
    expect(all(path)).toEqual(unreadable);
    open(path).append([{ n: 1 }]);
    expect(brief(all(path))).toEqual([{ n: 1 }]);
  },
);

test("SPEC 8: a full file goes on in a new one; all are read in order, by name as numbers", async () => {
  const path = newPath();
  const journal = open(path, 100);
  for (let n = 0; n < 60; n++) journal.append([{ n, pad: "x".repeat(40) }]);
  const lines = all(path);
  expect(lines.map((line) => (line.kind === "entry" ? fieldsOf(line.value)["n"] : line.why))).toEqual(
    Array.from({ length: 60 }, (_, n) => n),
  );
  const names = readdirSync(join(path, ".."));
  expect(names).toContain("journal.11.jsonl");
  expect(names).not.toContain("journal.jsonl.lock");
  for (const name of names) expect(statSync(join(path, "..", name)).size).toBeLessThan(200);
});

test("a rotation while a reader is under way hides no line and shows none twice", async () => {
  const path = newPath();
  const journal = open(path, 100);
  let next = 0;
  const append = (): void => {
    journal.append([{ n: next++, pad: "x".repeat(30) }]);
  };
  for (let i = 0; i < 20; i++) append();
  const seen: unknown[] = [];
  for (const line of readJournal(path)) {
    if (line.kind === "entry") seen.push(fieldsOf(line.value)["n"]);
    append();
  }
  expect(seen.length).toBeGreaterThanOrEqual(20);
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => n));
});

test("STORE-JOURNAL-4: a journal whose file was deleted or replaced goes on in the one of that name, with what it held", async () => {
  const path = newPath();
  const journal = open(path);
  journal.append([{ n: 1 }]);
  rmSync(path);
  expect(journal.append([{ n: 2 }]).ok).toBe(true);
  expect(brief(all(path))).toEqual([{ n: 1 }, { n: 2 }]);
  rmSync(path);
  writeFileSync(path, '{"forged":1}');
  journal.append([{ n: 3 }]);
  expect(brief(all(path))).toEqual([{ forged: 1 }, { n: 1 }, { n: 2 }, { n: 3 }]);
});

test("SPEC 8: 6 processes append and rotate at once: every line is there once, each process's own in order", async () => {
  const path = newPath();
  const workers = Array.from({ length: 6 }, (_, who) => startWorker(appender, path, String(who), "150", "3000"));
  await Promise.all(workers.map((worker) => worker.ended()));
  const lines = all(path);
  expect(lines.filter((line) => line.kind === "skipped")).toEqual([]);
  for (let who = 0; who < 6; who++) {
    const own = [...entriesOf(lines)]
      .filter((entry) => fieldsOf(entry)["who"] === who)
      .map((entry) => fieldsOf(entry)["n"]);
    expect(own).toEqual(Array.from({ length: 150 }, (_, n) => n));
  }
  expect(readdirSync(join(path, "..")).length).toBeGreaterThan(3);
}, 60_000);

test("SPEC 8: whatever was appended before a kill is there, in order, and the journal goes on", async () => {
  const seed = Date.now() % 1_000_000;
  console.log(`chance seed ${seed}`);
  const random = chance(seed);
  const path = newPath();
  for (let round = 0; round < 25; round++) {
    const worker = startWorker(appender, path, String(round), "1000000", "20000");
    let reported = Number(await worker.line());
    const wanted = reported + Math.floor(random() * 60);
    while (reported < wanted) reported = Number(await worker.line());
    worker.kill();
    await worker.ended();
    const own = [...entriesOf(readJournal(path))]
      .filter((entry) => fieldsOf(entry)["who"] === round)
      .map((entry) => fieldsOf(entry)["n"]);
    expect(own.length).toBeGreaterThan(reported);
    expect(own).toEqual(Array.from({ length: own.length }, (_, n) => n));
  }
}, 60_000);

test.skipIf(!canMount)(
  "SPEC 8: a full disk is a value; the journal stays readable and goes on when there is space",
  async () => {
    const folder = smallDisk("64k");
    const path = join(folder, "journal.jsonl");
    const ballast = join(folder, "ballast");
    writeFileSync(ballast, "x".repeat(32_768));
    const journal = open(path);
    let whole = 0;
    const lines = (n: number): object[] => [{ n, pad: "y".repeat(3000) }];
    let answer = journal.append(lines(whole));
    for (; answer.ok && whole < 100; answer = journal.append(lines(whole))) whole++;
    expect(answer).toMatchObject({
      ok: false,
      problems: [{ code: "file_unwritable", hint: expect.stringContaining("free some space") }],
    });
    expect([...entriesOf(all(path))].map((entry) => fieldsOf(entry)["n"])).toEqual(
      Array.from({ length: whole }, (_, n) => n),
    );
    rmSync(ballast);
    expect(journal.append([{ n: "after" }]).ok).toBe(true);
    expect([...entriesOf(all(path))].at(-1)).toEqual({ n: "after" });
    journal.close();
    expect(readFileSync(path, "utf8").endsWith('{"n":"after"}\n')).toBe(true);
  },
);

test("a journal of 200 MB is read in bounded memory", async () => {
  const path = newPath();
  const journal = open(path);
  const block = Array.from({ length: 1000 }, (_, n) => ({ n, pad: "z".repeat(1000) }));
  for (let i = 0; i < 200; i++) journal.append(block);
  const reader = startWorker(appender, path, "read");
  const { count, grown_mb } = JSON.parse(await reader.line()) as { count: number; grown_mb: number };
  await reader.ended();
  expect(count).toBe(200_000);
  expect(grown_mb).toBeLessThan(100);
}, 60_000);
