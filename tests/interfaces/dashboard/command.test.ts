/** SPEC 10: `aot dashboard` and `aot run --dashboard` as processes. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson, aotProcess, projectWith } from "../../support/aot.ts";
import { addressOf, ended, start } from "../../support/beside.ts";
import { temporaryFolder } from "../../support/bundle.ts";

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
  const address = await addressOf(one);
  expect(address.hash).toMatch(/^#[\w-]{32}$/);
  expect((await addressOf(other)).hash).not.toBe(address.hash);
  expect(await isServed(address)).toBe(true);
  one.kill("SIGINT");
  expect(await ended(one)).toBe(0);
  expect(await isServed(address)).toBe(false);
});

test("with --until-eof it ends with its standard input; a port that is taken is an error with the next step", async () => {
  const { dir } = projectWith();
  const one = start(dir, "dashboard", "--until-eof");
  const { port } = await addressOf(one);
  const taken = aotProcess(["dashboard", "--port", port], { cwd: dir });
  expect(taken.code).toBe(1);
  expect(taken.err).toMatch(/cannot listen on that port.*\n.*--port/);
  one.stdin?.end();
  expect(await ended(one)).toBe(0);
});

test("--json is refused: it serves a page", async () => {
  const { dir } = projectWith();
  const ran = aotProcess(["dashboard", "--json"], { cwd: dir });
  expect(ran.code).toBe(2);
  expect(JSON.parse(ran.out)).toMatchObject({ success: false });
});

const WITH_PAGE = "--set planner=none --max-iterations 3 --dashboard".split(" ");

test("DASHBOARD-2: `aot run --dashboard` says the address; a page that is open stays behind the run's end, and nothing stays without one", async () => {
  const { dir } = projectWith();
  const gate = join(temporaryFolder(), "go");
  const agent = `command:while [ ! -e ${gate} ]; do sleep 0.1; done; echo '{"success": false, "summary": "no", "artifacts": []}'`;
  const run = start(dir, "run", ...WITH_PAGE, "--agent", agent);
  const address = await addressOf(run);
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
  await ended(run);
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
  const ran = await aotJson(["run", "--detach", ...WITH_PAGE, "--agent", agent], { cwd: dir });
  const address = new URL(String(ran.json["dashboard"]));
  expect(await isServed(address)).toBe(true);
  await aot(["stop", "--now"], { cwd: dir });
  await aot(["attach"], { cwd: dir });
  await expect.poll(() => isServed(address), { timeout: 30_000 }).toBe(false);
});
