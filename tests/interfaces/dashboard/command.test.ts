/** SPEC 10: `aot dashboard` and `aot run --dashboard` as processes. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { aot, aotJson, aotPath, aotProcess, cleanEnv, projectWith } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
});

interface Started {
  readonly child: ChildProcess;
  said(): string;
  address(): Promise<URL>;
  ended(): Promise<number | null>;
}

function start(cwd: string, ...args: readonly string[]): Started {
  const child = spawn(process.execPath, [aotPath(), ...args], {
    cwd,
    env: cleanEnv(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  const found = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/.exec(text)?.[0];
  return {
    child,
    said: () => text,
    address: async () => {
      await eventually("an address", () => found() !== undefined || child.exitCode !== null, 30_000);
      const address = found();
      if (address === undefined) throw new Error(`ended with ${child.exitCode}, no address in: ${text}`);
      return new URL(address);
    },
    ended: () =>
      new Promise((resolve) => (child.exitCode === null ? child.on("exit", resolve) : resolve(child.exitCode))),
  };
}

async function isServed(address: URL): Promise<boolean> {
  const headers = { authorization: `Bearer ${address.hash.slice(1)}` };
  return await fetch(new URL("/api/loops", address), { headers }).then(
    ({ ok }) => ok,
    () => false,
  );
}

test("an address with a token is printed, served until Ctrl-C, and not longer; each start has a token of its own", async () => {
  const { dir } = projectWith();
  const [one, other] = [start(dir, "dashboard"), start(dir, "dashboard")];
  const address = await one.address();
  expect(address.hash).toMatch(/^#[\w-]{32}$/);
  expect((await other.address()).hash).not.toBe(address.hash);
  expect(await isServed(address)).toBe(true);
  one.child.kill("SIGINT");
  expect(await one.ended()).toBe(0);
  expect(await isServed(address)).toBe(false);
});

test("with --until-eof it ends with its standard input; a port that is taken is an error with the next step", async () => {
  const { dir } = projectWith();
  const one = start(dir, "dashboard", "--until-eof");
  const { port } = await one.address();
  const taken = aotProcess(["dashboard", "--port", port], { cwd: dir });
  expect(taken.code).toBe(1);
  expect(taken.err).toMatch(/cannot listen on that port.*\n.*--port/);
  one.child.stdin?.end();
  expect(await one.ended()).toBe(0);
});

test("--json is refused: it serves a page", async () => {
  const { dir } = projectWith();
  const ran = aotProcess(["dashboard", "--json"], { cwd: dir });
  expect(ran.code).toBe(2);
  expect(JSON.parse(ran.out)).toMatchObject({ success: false });
});

test("DASHBOARD-2: `aot run --dashboard` says the address; a page that is open stays behind the run's end, and nothing stays without one", async () => {
  const { dir } = projectWith();
  const gate = join(temporaryFolder(), "go");
  const agent = `command:while [ ! -e ${gate} ]; do sleep 0.1; done; echo '{"success": false, "summary": "no", "artifacts": []}'`;
  const run = start(
    dir,
    "run",
    "--in-place",
    "--max-iterations",
    "3",
    "--planner",
    "none",
    "--dashboard",
    "--agent",
    agent,
  );
  const address = await run.address();
  expect(await isServed(address)).toBe(true);
  const headers = { authorization: `Bearer ${address.hash.slice(1)}` };
  const listed = (await (await fetch(new URL("/api/loops", address), { headers })).json()) as {
    readonly loops: readonly { readonly key: string }[];
  };
  const page = new AbortController();
  const events = await fetch(new URL(`/api/loops/${listed.loops[0]?.key ?? ""}/events`, address), {
    headers,
    signal: page.signal,
  });
  writeFileSync(gate, "");
  await run.ended();
  expect(existsSync(gate)).toBe(true);
  await readUntil(events, "halted");
  expect(await isServed(address)).toBe(true);
  page.abort();
  await expect.poll(() => isServed(address), { timeout: 30_000 }).toBe(false);
});

/** Reads a stream of events until that word is in it. */
async function readUntil({ body }: Response, word: string): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.includes(word)) return;
  }
  throw new Error(`the stream ended without ${word}`);
}

test("SPEC 10: a detached run with a page says where it is", async () => {
  const { dir } = projectWith();
  const agent = "command:sleep 2; exit 1";
  const line = [
    "run",
    "--detach",
    "--in-place",
    "--planner",
    "none",
    "--max-iterations",
    "3",
    "--dashboard",
    "--agent",
    agent,
  ];
  const ran = await aotJson(line, { cwd: dir });
  const address = new URL(String(ran.json["dashboard"]));
  expect(await isServed(address)).toBe(true);
  await aot(["stop", "--now"], { cwd: dir });
  await aot(["attach"], { cwd: dir });
  await expect.poll(() => isServed(address), { timeout: 30_000 }).toBe(false);
});
