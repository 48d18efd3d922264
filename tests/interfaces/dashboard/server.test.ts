/** SPEC 10: the dashboard's server reads what a run writes, and does what the commands of the same names do. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { updateAtomIn } from "../../../src/edit/atoms.ts";
import { aot, projectWith } from "../../support/aot.ts";
import { builtPage, openServer, TOKENS, type OpenServer, type Reported } from "./open-server.ts";

let page = "";
const open: OpenServer[] = [];

beforeAll(async () => {
  page = await builtPage();
});
afterAll(async () => {
  for (const served of open) await served.close();
});

async function served(dir: string, more: Parameters<typeof openServer>[2] = {}): Promise<OpenServer> {
  const opened = await openServer(page, dir, more);
  open.push(opened);
  return opened;
}

const kinds = (reported: readonly Reported[]): readonly string[] => reported.map(({ event }) => event);

describe("what is served", () => {
  test("DASHBOARD-SERVER-2: the page comes with a policy that lets it load its own files and nothing else", async () => {
    const { get } = await served(projectWith().dir);
    const reply = await get("/", { authorization: "" });
    expect(reply.status).toBe(200);
    const policy = String(reply.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(reply.headers).toMatchObject({ "referrer-policy": "no-referrer", "cache-control": "no-store" });
    for (const [, path = ""] of reply.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(path).toMatch(/^\/[\w.]+$/);
      expect((await get(path, { authorization: "" })).status).toBe(200);
    }
    expect((await get("/../package.json")).status).toBe(404);
  });

  test("DASHBOARD-SERVER-3: whatever a request asks for is answered, and the server stays", async () => {
    const { address, get } = await served(projectWith().dir);
    const port = Number(new URL(address).port);
    const target = fc.oneof(
      fc.constantFrom("//[", "http://[", "*", "//", "/%", "/api/loops/%zz/events", "/api//", "\\\\x"),
      fc.stringMatching(/^[!-~]{1,60}$/),
    );
    const answered = async (path: string): Promise<string> => {
      const socket = connect(port, "127.0.0.1");
      socket.end(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
      let text = "";
      for await (const part of socket) text += String(part);
      return text;
    };
    await fc.assert(
      fc.asyncProperty(target, async (path) => {
        expect(await answered(path)).toMatch(/^HTTP\/1\.1 \d{3} /);
      }),
      { numRuns: 60 },
    );
    expect((await get("/")).status).toBe(200);
  });

  test("no file of the page names another host", async () => {
    const { get } = await served(projectWith().dir);
    for (const path of ["/", "/page.js", "/layout.js", "/page.css", "/icon.svg"]) {
      const { text } = await get(path);
      const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
      // Names of XML vocabularies, which nobody asks, and addresses in licences.
      expect(hosts.filter((host) => !/^(www\.w3\.org|github\.com|preactjs\.com)$/.test(host ?? ""))).toEqual([]);
    }
  });

  test("DASHBOARD-SERVER-1: without the token nothing of a loop is reported; another name of this machine reaches nothing", async () => {
    const { get, loop, act } = await served(projectWith().dir);
    const paths = ["/api/loops", `/api/loops/${loop().key}/events`, `/api/loops/${loop().key}/diff?attempt=A1.1`];
    for (const path of paths) {
      expect((await get(path, { authorization: "" })).status).toBe(401);
      expect((await get(path, { host: "loop.example.com" })).status).toBe(403);
      expect((await get(path, { origin: "http://loop.example.com" })).status).toBe(403);
    }
    const request = { command: "stop", args: { reason: "no" } };
    expect((await act(loop().key, request, { origin: "http://loop.example.com" })).status).toBe(403);
    expect((await act(loop().key, request, { authorization: `Bearer ${TOKENS.read}` })).status).toBe(403);
    expect((await get("/api/loops", { authorization: `Bearer ${TOKENS.read}` })).json).toMatchObject({
      can_act: false,
    });
    expect((await get("/api/loops")).json).toMatchObject({ can_act: true });
  });
});

describe("watching", () => {
  test("a page learns the loop's state, and then what changes of it", async () => {
    const { dir, state } = projectWith();
    const { events, loop } = await served(dir);
    let changed = false;
    const reported = await events(`/api/loops/${loop().key}/events`, (so) => {
      const isThere = so.some(({ event }) => event === "state") && so.some(({ event }) => event === "runner");
      if (isThere && !changed) {
        changed = true;
        void updateAtomIn(state, "A1", "resolved");
      }
      return so.some(({ event }) => event === "change") && so.filter(({ event }) => event === "lines").length > 1;
    });
    const change = reported.find(({ event }) => event === "change")?.value["change"];
    expect(change).toMatchObject({ atoms: [{ at: 0, status: "resolved" }] });
    const lines = reported.findLast(({ event }) => event === "lines")?.value["lines"];
    expect(lines).toMatchObject([{ event: "atom_resolved", atom: "A1" }]);
    expect(kinds(reported).filter((kind) => kind === "state")).toHaveLength(1);
  });

  test("a file that cannot be read is reported with the reason, and its repair as well", async () => {
    const { dir, state } = projectWith();
    const good = readFileSync(state, "utf8");
    writeFileSync(state, "no frontmatter\n");
    const { events, loop } = await served(dir);
    let mended = false;
    const reported = await events(`/api/loops/${loop().key}/events`, (so) => {
      const isBad = so.some(({ event, value }) => event === "problem" && typeof value["message"] === "string");
      if (isBad && !mended) {
        mended = true;
        writeFileSync(state, good);
      }
      return so.some(({ event }) => event === "state");
    });
    expect(reported.findLast(({ event }) => event === "problem")?.value["message"]).toBeNull();
  });

  test("several loops of a project are listed, phase loops with them", async () => {
    const { dir, state } = projectWith();
    const other = join(dir, ".claude", "other.md");
    writeFileSync(other, readFileSync(state));
    mkdirSync(`${other}.aot-loop`);
    writeFileSync(
      join(dir, "loop.json"),
      JSON.stringify({
        id: "ship",
        version: "1.0.0",
        phases: [{ name: "PLAN", required: true, skills: [] }],
        gates: [],
      }),
    );
    expect(await aot(["phases", "init", "loop.json"], { cwd: dir })).toMatchObject({ code: 0 });
    mkdirSync(join(dir, ".claude", "loops", "ship"));
    writeFileSync(join(dir, ".claude", "loops", "ship", "01-PLAN.md"), readFileSync(state));
    const { get } = await served(dir);
    const { json } = await get("/api/loops");
    expect((json["loops"] as readonly { kind: string; name: string }[]).map(({ kind, name }) => [kind, name])).toEqual([
      ["atoms", expect.any(String)],
      ["atoms", "other"],
      ["phases", "ship"],
      ["atoms", "ship 01-PLAN"],
    ]);
  });

  test("DASHBOARD-SERVER-3: more than so many pages at once are asked to come later", async () => {
    const opened = await served(projectWith().dir);
    const path = `${opened.address}/api/loops/${opened.loop().key}/events`;
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${TOKENS.act}` };
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(path, { headers, signal: stop.signal })));
    const statuses = answers.map(({ status }) => status);
    stop.abort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    expect(statuses.filter((status) => status === 503)).toHaveLength(8);
  });
});

describe("acting", () => {
  test("ACTIONS-1: stop and redirect are the commands' own: the state says so, and so does the journal", async () => {
    const { dir, state } = projectWith();
    const { act, loop } = await served(dir);
    const limit = {
      command: "redirect limit",
      args: { constraint: "max_iterations", value: "31" },
      flags: { reason: "more" },
    };
    expect(await act(loop().key, limit)).toMatchObject({ status: 200, json: { success: true, via: "file" } });
    expect(readFileSync(state, "utf8")).toContain("max_iterations: 31");
    expect((await aot(["logs"], { cwd: dir })).out).toContain("redirected: max_iterations: 20 -> 31 (more)");
    expect(await act(loop().key, { command: "stop", args: { reason: "lunch" } })).toMatchObject({ status: 200 });
    expect(readFileSync(state, "utf8")).toMatch(/stop_reason: "?lunch/);
  });

  test("ACTIONS-1: an edited plan is one redirect: what was changed of what was shown, and nothing that changed meanwhile", async () => {
    const { dir, state } = projectWith();
    const { act, get, loop } = await served(dir);
    const shown = String((await get(`/api/loops/${loop().key}/plan`)).json["text"]);
    const meanwhile = { command: "redirect limit", args: { constraint: "max_iterations", value: "31" } };
    expect(await act(loop().key, meanwhile)).toMatchObject({ status: 200 });
    const text = shown.replace(/^goal:.*$/m, "goal: Another goal");
    expect(text).not.toBe(shown);
    const edited = { command: "redirect", plan: { text, shown }, flags: { reason: "as agreed" } };
    expect(await act(loop().key, edited)).toMatchObject({ status: 200, json: { success: true } });
    expect(readFileSync(state, "utf8")).toContain(`goal: "Another goal"`);
    expect(readFileSync(state, "utf8")).toContain("max_iterations: 31");
  });

  test("ACTIONS-1: the page has asked: an item is confirmed, but for one that is not named in full", async () => {
    const { dir } = projectWith();
    const align = ["align", "A text", "--check", "assertion: it reads well", "--force", "--yes"];
    expect(await aot(align, { cwd: dir })).toMatchObject({ code: 0 });
    expect(await aot(["atom", "update", "A1", "resolved"], { cwd: dir })).toMatchObject({ code: 0 });
    const state = join(dir, ".claude", "aot-loop-state.md");
    const { act, loop } = await served(dir);
    const refused = await act(loop().key, { command: "confirm", args: { item: "well" } });
    expect(refused).toMatchObject({ status: 409, json: { text: expect.stringContaining("assertion: it reads well") } });
    const item = "assertion: it reads well";
    expect(await act(loop().key, { command: "confirm", args: { item } })).toMatchObject({ status: 200 });
    expect(readFileSync(state, "utf8")).toContain("confirmed by a human");
  });

  test("ACTIONS-1: what the command refuses is refused with its reason and hint, and changes nothing", async () => {
    const { dir, state } = projectWith();
    const before = readFileSync(state, "utf8");
    const { act, loop } = await served(dir);
    const limit = { command: "redirect limit", args: { constraint: "max_iterations", value: "0" } };
    const refused = await act(loop().key, limit);
    expect(refused).toMatchObject({ status: 409, json: { success: false } });
    expect(refused.json["text"]).toContain("at least 1");
    expect((await act(loop().key, { command: "redirect remove", args: { id: "A0" } })).json["text"]).toContain(
      "no atom A0",
    );
    expect(readFileSync(state, "utf8")).toBe(before);
  });

  test("ACTIONS-2: no other command, no unknown argument, no file to be read, nothing of another loop", async () => {
    const { dir, state } = projectWith();
    const before = readFileSync(state, "utf8");
    const { act, loop } = await served(dir);
    const { key } = loop();
    const requests: readonly unknown[] = [
      { command: "run" },
      { command: "resume", flags: { agent: "command:touch x" } },
      { command: "redirect", flags: { from: "/etc/passwd" } },
      { command: "redirect", plan: { text: "goal: [", shown: "" } },
      { command: "redirect edit" },
      { command: "atom update", args: { id: "A1", status: "resolved" } },
      { command: "verify command", args: { command: "touch x" } },
      { command: "phases approve", args: { gate: "g" } },
      { command: "stop", args: { reason: "x" }, flags: { "state-file": "/etc/passwd" } },
      { command: "redirect set", args: { field: "goal", value: "@/etc/passwd" } },
      { command: "redirect limit", args: { constraint: "max_iterations" } },
      { command: "redirect limit", args: { constraint: "nothing", value: "1" } },
      { command: "redirect rebind", args: { id: "A1" } },
      { command: "stop", args: { reason: 1 } },
      { command: "stop", args: [] },
      ["stop"],
      null,
    ];
    for (const request of requests)
      expect(await act(key, request)).toMatchObject({ status: 409, json: { success: false } });
    expect((await act(key, "no json")).status).toBe(413);
    expect((await act(key, JSON.stringify({ command: "stop", args: { reason: "x".repeat(70_000) } }))).status).toBe(
      413,
    );
    expect((await act("nobody", { command: "stop" })).status).toBe(404);
    expect(readFileSync(state, "utf8")).toBe(before);
  });

  test("gates of a phase loop are approved and sent back from the page", async () => {
    const { dir } = projectWith();
    const gate = (id: string): object => ({
      id,
      afterPhase: "PLAN",
      required: true,
      approvalType: "human",
      deliverables: [],
    });
    const definition = {
      id: "ship",
      version: "1.0.0",
      phases: [{ name: "PLAN", required: true, skills: [] }],
      gates: [gate("first"), gate("second")],
    };
    writeFileSync(join(dir, "loop.json"), JSON.stringify(definition));
    for (const line of ["init loop.json", "complete --deliverables loop.json"])
      expect(await aot(["phases", ...line.split(" ")], { cwd: dir })).toMatchObject({ code: 0 });
    const { act, loop, events } = await served(dir);
    const { key } = loop("ship");
    const [reported] = await events(`/api/loops/${key}/events`, (so) => so.length > 0);
    expect(reported?.value).toMatchObject({ kind: "phases", gate: "first" });
    expect(await act(key, { command: "phases approve", args: { gate: "first" } })).toMatchObject({ status: 200 });
    expect(await act(key, { command: "phases reject", args: { gate: "second" } })).toMatchObject({ status: 409 });
    const back = { command: "phases reject", args: { gate: "second" }, flags: { reason: "not like this" } };
    expect(await act(key, back)).toMatchObject({ status: 200, json: { gates: { second: { status: "failed" } } } });
  });
});

test("logs of an attempt are streamed as they grow, by whole characters", async () => {
  const { dir, state } = projectWith();
  const logs = join(dir, ".claude", "aot-loop", "logs");
  mkdirSync(logs, { recursive: true });
  const file = join(logs, "A1.1.log");
  const euro = Buffer.from("€");
  writeFileSync(file, Buffer.concat([Buffer.from("one\n"), euro.subarray(0, 2)]));
  const { events, loop } = await served(dir, { loops: [state] });
  let grown = false;
  const reported = await events(`/api/loops/${loop().key}/log?attempt=A1.1`, (so) => {
    if (so.length === 1 && !grown) {
      grown = true;
      writeFileSync(file, Buffer.concat([Buffer.from("one\n"), euro, Buffer.from("two\n")]));
    }
    return so.length >= 2;
  });
  expect(reported.map(({ value }) => value["text"]).join("")).toBe("one\n€two\n");
});
