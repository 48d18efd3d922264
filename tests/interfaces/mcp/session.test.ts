/** SPEC 10: resources, the place of work; and a client that leaves, or does not speak the protocol. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { aot, aotJson, aotPath, projectWith } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { LOOP } from "../../support/loop-fixture.ts";
import { onTerminal, whyNoTerminal } from "../../support/terminal.ts";
import { INITIALIZE, openRaw, openSession } from "./session.ts";

const MODERN = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;

async function textAt(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  return contents.map((one) => ("text" in one ? one.text : "")).join("");
}

describe("resources", () => {
  test("what there is", async () => {
    const { client } = await openSession(projectWith().dir);
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect([...resources.map(({ uri }) => uri), ...resourceTemplates.map((one) => one.uriTemplate)]).toEqual([
      "aot://state",
      "aot://state/file",
      "aot://graph",
      "aot://graph/mermaid",
      "aot://journal",
      "aot://atom/{id}",
    ]);
  });

  test("each says what the command line says", async () => {
    const { dir } = projectWith();
    await aot(["atom", "update", "A1", "resolved"], { cwd: dir });
    const { client } = await openSession(dir);
    const json = async (uri: string): Promise<unknown> => JSON.parse(await textAt(client, uri)) as unknown;
    expect(await json("aot://state")).toEqual((await aotJson(["state", "show"], { cwd: dir })).json);
    expect(await textAt(client, "aot://state/file")).toBe(readFileSync(join(dir, ".claude/aot-loop-state.md"), "utf8"));
    expect(await json("aot://graph")).toEqual((await aotJson(["graph", "--format", "json"], { cwd: dir })).json);
    expect(await textAt(client, "aot://graph/mermaid")).toBe((await aotJson(["graph"], { cwd: dir })).json["text"]);
    expect(await json("aot://journal")).toEqual((await aotJson(["logs", "--last", "100"], { cwd: dir })).json);
    expect(await json("aot://atom/A1")).toMatchObject({
      atom: { id: "A1", status: "resolved" },
      binding: null,
      executable: false,
      events: [{ event: "atom_resolved", atom: "A1" }],
    });
    expect(await json("aot://atom/A3")).toMatchObject({ binding: { summary: "bcrypt" } });
    expect(await json("aot://atom/A4")).toMatchObject({ executable: true });
  });

  test("what is not there, and what cannot be read, is said", async () => {
    const { dir, state } = projectWith();
    const { client } = await openSession(dir);
    for (const uri of ["aot://nothing", "aot://atom/A99", "aot://atom/%zz", "file:///etc/passwd"])
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
    writeFileSync(state, "no frontmatter\n");
    await expect(client.readResource({ uri: "aot://state" })).rejects.toThrow("aot-loop-state.md");
  });

  test("SPEC 10: who subscribes to what is not there is refused", async () => {
    const { client } = await openSession(projectWith().dir);
    for (const uri of ["aot://nothing", "aot://atom/A99", "file:///etc/passwd"])
      await expect(client.subscribeResource({ uri })).rejects.toThrow(/not found/i);
    await client.subscribeResource({ uri: "aot://atom/A1" });
    const { client: early } = await openSession(temporaryFolder());
    await early.subscribeResource({ uri: "aot://state" });
  });

  for (const [era, options] of [
    ["2025", {}],
    ["2026", MODERN],
  ] as const)
    test(`a subscriber hears that the file changed (protocol of ${era})`, async () => {
      const { dir } = projectWith();
      const heard: string[] = [];
      const { client } = await openSession(dir, {
        ...options,
        prepare: (one) =>
          one.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri)),
      });
      if (era === "2025") await client.subscribeResource({ uri: "aot://state" });
      else await client.listen({ resourceSubscriptions: ["aot://state"] });
      let last = "";
      await eventually("an update is told", async () => {
        // Again and again: a change before the first look is none.
        last = last === "in_progress" ? "pending" : "in_progress";
        await aot(["atom", "update", "A1", last], { cwd: dir });
        return heard.length > 0;
      });
      expect(new Set(heard)).toEqual(new Set(["aot://state"]));
    });
});

describe("the place of work", () => {
  const GOAL = "Elsewhere";
  const other = (): string => projectWith(LOOP.replace("Log in with a token", GOAL)).dir;
  const rootsOf =
    (...dirs: string[]): ((client: Client) => void) =>
    (client) =>
      client.setRequestHandler("roots/list", () => ({ roots: dirs.map((dir) => ({ uri: pathToFileURL(dir).href })) }));
  const goalSeen = async (cwd: string, options: Parameters<typeof openSession>[1]): Promise<unknown> => {
    const { call } = await openSession(cwd, options);
    return Object((await call("aot_state_show")).json["objective"])["goal"];
  };

  test("its own folder; the client's root where that is another one; what was named before all", async () => {
    const [here, there] = [projectWith().dir, other()];
    const roots = { capabilities: { roots: {} } };
    expect(await goalSeen(here, {})).toBe("Log in with a token");
    expect(await goalSeen(here, { ...roots, prepare: rootsOf(there) })).toBe(GOAL);
    expect(await goalSeen(here, { ...roots, prepare: rootsOf(there, here) })).toBe("Log in with a token");
    expect(await goalSeen(here, { ...roots, prepare: rootsOf(temporaryFolder(), there) })).toBe(GOAL);
    expect(await goalSeen(here, { ...roots, prepare: rootsOf(join(there, "gone")) })).toBe("Log in with a token");
    const named = join(there, ".claude/aot-loop-state.md");
    expect(await goalSeen(here, { args: ["--state-file", named] })).toBe(GOAL);
    expect(await goalSeen(here, { env: { AOT_STATE_FILE: named } })).toBe(GOAL);
  });

  test("roots that change are asked for again", async () => {
    const [here, there, third] = [projectWith().dir, other(), other()];
    let root = there;
    const { call, client } = await openSession(here, {
      capabilities: { roots: { listChanged: true } },
      prepare: (one) => one.setRequestHandler("roots/list", () => ({ roots: [{ uri: pathToFileURL(root).href }] })),
    });
    await call("aot_atom_update", { id: "A1", status: "resolved" });
    expect((await aotJson(["state", "show"], { cwd: third })).json).toMatchObject({ measure: 6 });
    root = third;
    await client.sendRootsListChanged();
    expect((await call("aot_atom_update", { id: "A6", status: "resolved" })).json).toMatchObject({ measure: 5 });
    expect((await aotJson(["state", "show"], { cwd: third })).json).toMatchObject({ measure: 5 });
  });
});

test("the protocol of 2026-07-28 is spoken, too", async () => {
  const { client, call } = await openSession(projectWith().dir, MODERN);
  expect(client.getProtocolEra()).toBe("modern");
  expect(await call("aot_atom_update", { id: "A1", status: "resolved" })).toMatchObject({ json: { measure: 5 } });
  expect(await call("aot_atom_update", { id: "A1" })).toMatchObject({ isError: true });
});

describe("cancelling and leaving end what was started", () => {
  const sleeping = (pids: string): string =>
    `${JSON.stringify(process.execPath)} -e "require('fs').writeFileSync(${JSON.stringify(pids).replaceAll('"', "'")}, String(process.pid)); setInterval(() => {}, 1000)"`;
  const pidIn = (file: string): number => {
    try {
      return Number(readFileSync(file, "utf8"));
    } catch {
      return 0;
    }
  };

  test("a cancelled check is ended, and the session goes on", async () => {
    const { dir } = projectWith();
    const { client, call } = await openSession(dir);
    const file = join(temporaryFolder(), "pid");
    const cancel = new AbortController();
    const check = client.callTool(
      { name: "aot_verify_command", arguments: { command: sleeping(file) } },
      { signal: cancel.signal },
    );
    const refused = expect(check).rejects.toThrow();
    await eventually("the check runs", () => pidIn(file) > 0);
    cancel.abort();
    await refused;
    await eventually("the check is gone", () => !isAlive(pidIn(file)));
    expect(await call("aot_state_validate")).toMatchObject({ json: { valid: true } });
  });

  test("who asks for progress hears of a call that goes on, so that it does not give it up", async () => {
    const { client } = await openSession(projectWith().dir);
    const file = join(temporaryFolder(), "pid");
    const heard: string[] = [];
    const cancel = new AbortController();
    const check = client.callTool(
      { name: "aot_verify_command", arguments: { command: sleeping(file) } },
      { signal: cancel.signal, onprogress: ({ message }) => heard.push(message ?? "") },
    );
    const refused = expect(check).rejects.toThrow();
    const goesOn = (): boolean => heard.some((said) => /^aot_verify_command: running for \d+ s$/.test(said));
    await eventually("it is told", goesOn);
    cancel.abort();
    await refused;
  });

  for (const how of ["end", "SIGTERM"] as const)
    test.skipIf(process.platform === "win32")(
      `${how}: the server exits with 0 and leaves no process behind`,
      async () => {
        const { dir } = projectWith();
        const raw = openRaw(dir);
        const file = join(temporaryFolder(), "pid");
        raw.send(INITIALIZE);
        raw.send({ method: "notifications/initialized" });
        raw.send({
          id: 2,
          method: "tools/call",
          params: { name: "aot_verify_command", arguments: { command: sleeping(file) } },
        });
        await eventually("the check runs", () => pidIn(file) > 0);
        if (how === "end") raw.child.stdin.end();
        else raw.child.kill(how);
        expect(await raw.closed).toEqual([0, null]);
        await eventually("the check is gone", () => !isAlive(pidIn(file)));
      },
    );

  test("nobody reads any more: the server ends", async () => {
    const raw = openRaw(projectWith().dir);
    raw.send(INITIALIZE);
    await eventually("it answers", () => raw.out().includes("\n"));
    raw.child.stdout.destroy();
    for (let id = 2; id < 50; id++) raw.send({ id, method: "ping" });
    expect(await raw.closed).toEqual([0, null]);
  });
});

describe("what does not speak the protocol", () => {
  const idsIn = (out: string): unknown[] =>
    out
      .trim()
      .split("\n")
      .map((line) => Object(JSON.parse(line))["id"] as unknown);

  test("broken lines, wrong messages and unknown methods: the next right one is answered", async () => {
    const raw = openRaw(projectWith().dir);
    raw.child.stdin.write('garbage\n{"jsonrpc":"2.0"\n\u0000\u0001\n[]\n{}\nnull\n\n');
    raw.child.stdin.write(Buffer.from([0xff, 0xfe, 0x0a]));
    raw.send(INITIALIZE);
    raw.send({ method: "notifications/initialized" });
    raw.child.stdin.write("{{{{\n");
    raw.send({ id: 2, method: "tools/destroy" });
    raw.send({ id: 3, method: "tools/call", params: { name: 7 } });
    raw.send({ id: 4, method: "notifications/nothing" });
    raw.send({ id: 5, method: "tools/call", params: { name: "aot_state_validate", arguments: {} } });
    await eventually("the last one is answered", () => raw.out().includes('"id":5'));
    expect(new Set(idsIn(raw.out()))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(raw.out()).toMatch(/"id":2[^\n]*-32601|-32601[^\n]*"id":2/);
    raw.child.stdin.end();
    expect(await raw.closed).toEqual([0, null]);
  });

  test("a message without end: memory is bounded, the server ends and says why", async () => {
    const raw = openRaw(projectWith().dir);
    raw.send(INITIALIZE);
    const part = Buffer.alloc(1024 * 1024, "x");
    for (let megabyte = 0; megabyte < 24; megabyte++) raw.child.stdin.write(part);
    expect(await raw.closed).toEqual([0, null]);
    expect(raw.err()).toContain("exceeded maximum size");
  });

  test("stdout holds nothing but the protocol, whatever a call prints", async () => {
    const { dir } = projectWith();
    const raw = openRaw(dir);
    raw.send(INITIALIZE);
    raw.send({ method: "notifications/initialized" });
    const calls = [
      { name: "aot_verify_command", arguments: { command: "echo out; echo err >&2" } },
      { name: "aot_align", arguments: { goal: "g", check: ["command: echo loud && exit 1"], force: true } },
      { name: "aot_doctor", arguments: {} },
    ];
    for (const [index, params] of calls.entries()) raw.send({ id: 10 + index, method: "tools/call", params });
    await eventually("all are answered", () => calls.every((_, index) => raw.out().includes(`"id":${10 + index}`)));
    expect(new Set(idsIn(raw.out()))).toEqual(new Set([1, 10, 11, 12]));
  });

  test("--json is refused: stdout is the protocol's", async () => {
    const ran = await aotJson(["mcp"], { cwd: projectWith().dir });
    expect(ran).toMatchObject({ code: 2, json: { success: false, errors: [{ code: "usage" }] } });
  });
});

test.skipIf(whyNoTerminal() !== null)("typed at a terminal it says what it is, and Ctrl-C ends it", async () => {
  const terminal = onTerminal([process.execPath, aotPath(), "mcp"], projectWith().dir);
  await eventually("it says it", () => terminal.screen.rows().some((row) => row.includes("docs/clients.md")));
  terminal.type("\u0003");
  expect(await terminal.ended()).toBe(0);
});
