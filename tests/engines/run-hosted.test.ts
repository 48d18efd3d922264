/** Watching a hosted run: whom it asks, and what it leaves open (SPEC section 13). */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createRestateEngine } from "../../src/engines/adapters/restate/restate-engine.ts";
import { pullView } from "../../src/engines/owned-loop.ts";
import { followHosted } from "../../src/engines/run-hosted.ts";
import { followHostedLog } from "../../src/engines/journal.ts";
import type { LoopLog } from "../../src/history/loop-log.ts";
import type { AnyLine, JournalLine } from "../../src/core/journal-line.ts";
import type { State } from "../../src/core/state.ts";
import type { Engine, LoopView } from "../../src/loop/engine.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { tempFolder, until } from "../fixtures/programs.ts";
import { NOW, stateOf } from "../support/loops.ts";

const NOTE = { time: NOW, run: "r", iteration: 7, event: "note" } as const;
const STOPPED: Partial<State["control"]> = { status: "stopped", outcome: "stop_requested", iteration: 7 };

function viewed(): LoopView {
  const state = stateOf({ atoms: [{ id: "A1" }] });
  const rest = { attempts: 0, cost_usd: 0, working: [], reruns: 0, refused: [], lines: 1 };
  return { loop: "x", engine: "", state: { ...state, control: { ...state.control, ...STOPPED } }, ...rest };
}

/** A state file whose loop that engine has. */
function ownedBy(engine: string): string {
  const file = join(tempFolder(), "state.md");
  const state = stateOf({ atoms: [{ id: "A1" }] });
  writeFileSync(file, createStateText({ ...state, control: { ...state.control, engine: `${engine}/x` } }, "Do it."));
  return file;
}

test("SPEC 13: a run that is looked at asks the engine that it was handed to, whatever the environment names", async () => {
  const stateFile = ownedBy("own://engine");
  const line: JournalLine = { ...NOTE, message: "hello" };
  const never = (): Promise<never> => Promise.reject(new Error("not asked"));
  const engine: Engine = {
    name: "own://engine",
    start: never,
    signal: never,
    view: () => Promise.resolve(viewed()),
    loops: never,
    journal: (_, from) => Promise.resolve(from === 0 ? [line] : []),
    close: () => Promise.resolve(),
  };
  const run = { owner: { engine: engine.name, loop: "x" }, place: "there", message: "", from: 0 };
  const seen: JournalLine[] = [];
  const watch = { line: (one: JournalLine): void => void seen.push(one) };
  const end = await followHosted({ engine, stateFile }, run, watch, { signal: new AbortController().signal });
  expect(end).toMatchObject({ ok: true, exit_code: 10, report: { outcome: "stop_requested", notes: ["hello"] } });
  expect(seen).toEqual([line]);
  expect(readFileSync(stateFile, "utf8")).toMatch(/iteration: 7[^]*engine: "?own:\/\/engine\/x/);
});

/** An engine that answers with the view, or with the lines that are asked for. */
async function standIn(
  lines: readonly JournalLine[] = [],
): Promise<{ readonly address: string; asked(): number; open(): number; served(): number }> {
  let [asked, open, served] = [0, 0, 0];
  const answered = (url: string, body: string): unknown => {
    if (!url.endsWith("/journal")) return { ...viewed(), lines: lines.length };
    const part = lines.slice(Number(body));
    served += part.length;
    return part;
  };
  const server = createServer((request, response) => {
    asked++;
    void text(request).then((body) => response.end(JSON.stringify(answered(request.url ?? "", body))));
  });
  // As Restate's: one that is idle stays open.
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => {
    open++;
    socket.on("close", () => open--);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, asked: () => asked, open: () => open, served: () => served };
}

test("SPEC 13: of a log that is followed each line is asked for once: what there is already comes first, whole", async () => {
  const lines = ["one", "two", "three"].map((message): JournalLine => ({ ...NOTE, message }));
  const { address, served } = await standIn(lines);
  const owner = { engine: `restate://${address}`, loop: "x" };
  const shown: unknown[] = [];
  const view = { each: (line: AnyLine): void => void shown.push(line), before: (log: LoopLog) => shown.push(log) };
  const { signal } = new AbortController();
  expect(await followHostedLog(owner, {}, view, { env: {}, signal })).toEqual({ ok: true, value: null });
  expect(shown).toEqual([{ lines, skipped: 0 }]);
  expect(served()).toBe(3);
});

test("SPEC 13: who brings the view up to date leaves no connection behind", async () => {
  const { address, asked, open } = await standIn();
  const stateFile = ownedBy(`restate://${address}`);
  for (let turn = 0; turn < 3; turn++) expect(await pullView(stateFile, {})).toMatchObject({ ok: true });
  expect(asked()).toBe(3);
  await until(() => open() === 0, "no connection");
});

test("SPEC 13: an engine that was asked and forgotten (a page's, an MCP server's command) keeps no connection for long", async () => {
  const { address, open } = await standIn();
  for (let turn = 0; turn < 3; turn++) await createRestateEngine({ url: `http://${address}` }).view("x");
  expect(open()).toBe(3);
  await until(() => open() === 0, "no connection", 30_000);
});
