/** The commands of an engine, as processes: what they answer, and that they reach a real server (SPEC sections 10 and 13). */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { databaseName } from "../../../src/engines/adapters/dbos/dbos-names.ts";
import { postgresPrograms, startPostgres, type Postgres } from "../../support/engines/dbos-postgres.ts";
import { sharedProject } from "../../support/engines/project.ts";
import { startAot, type Running } from "../../support/engines/scene.ts";
import { tempFolder, until } from "../../fixtures/programs.ts";
import { commitAll, gitIn } from "../../support/git.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { aot, aotJson, aotPath, projectWith, type RanJson } from "../../support/aot.ts";
import { onTerminal, whyNoTerminal } from "../../support/terminal.ts";

const CTRL_C = "\u0003";
const NOBODY = "postgres://me@127.0.0.1:1/loops";

test("SPEC 10: without an engine each command says what is missing, as a document too", async () => {
  const { dir } = projectWith();
  for (const line of [
    ["loops"],
    ["loops", "pull"],
    ["loops", "stop"],
    ["loops", "resume"],
    ["loops", "approve"],
    ["loops", "logs", "A1"],
  ]) {
    const ran = await aotJson(line, { cwd: dir });
    expect({ line, code: ran.code }).toEqual({ line, code: 1 });
    expect(ran.json).toMatchObject({ success: false, errors: [{ hint: expect.any(String) }] });
  }
  for (const line of [["loops"], ["loops", "stop", "x"], ["worker"]]) {
    const ran = await aotJson([...line, "--engine", NOBODY], { cwd: dir });
    expect(ran.code).toBe(1);
    expect(JSON.stringify(ran.json)).toContain("cannot be reached");
  }
  expect(await aotJson(["submit"], { cwd: dir })).toMatchObject({ code: 2 });
  expect(await aotJson(["worker", "--metrics", "nowhere"], { cwd: dir })).toMatchObject({ code: 2 });
});

test("SPEC 13: an engine that does not answer gets nothing: the loop stays this host's, and nothing is pushed", async () => {
  const { dir } = projectWith();
  const remote = tempFolder();
  const git = (...args: string[]): string => gitIn(dir, ...args);
  git("init", "-q", "--bare", remote);
  commitAll(dir);
  for (const command of [["submit"], ["run"]]) {
    const ran = await aotJson([...command, "--engine", NOBODY, `--set=remote=${remote}`], { cwd: dir });
    expect([ran.code, JSON.stringify(ran.json)]).toEqual([1, expect.stringContaining("cannot be reached")]);
  }
  expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
  expect(git("ls-remote", remote)).toBe("");
});

test("SPEC 9: a worker's folder that cannot be made is reported, with what to do", async () => {
  const { dir } = projectWith();
  const below = join(".claude", "aot-loop-state.md", "folder");
  const ran = await aotJson(["worker", "--dir", below], { cwd: dir });
  expect(ran).toMatchObject({ code: 1, json: { success: false, errors: [{ hint: expect.stringMatching(/./) }] } });
});

test("SPEC 4: an agent steers no loop, wherever it is worked", async () => {
  const { dir } = projectWith();
  const env = { AOT_LOOPS: JSON.stringify(["/elsewhere/state.md"]) };
  for (const line of [["loops", "approve", "x"], ["loops", "stop", "x"], ["submit"]])
    expect(
      (await aotJson([...line, "--engine", NOBODY], { cwd: dir, env })).err +
        (await aot([...line, "--engine", NOBODY], { cwd: dir, env })).err,
    ).toContain("agents do not steer");
});

const programs = postgresPrograms();
describe.skipIf(programs === null)("on a real PostgreSQL", () => {
  let folder: string;
  let postgres: Postgres;
  let engine: string;
  let name: string;
  let worker: Running;

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    engine = postgres.url;
    name = databaseName(engine) ?? "";
    folder = temporaryFolder();
    const line = ["worker", "--engine", engine, "--metrics", "127.0.0.1:0"];
    worker = await startAot(line, /figures are on port/, { cwd: folder });
  });
  afterAll(async () => {
    expect(await worker?.end(), worker?.said()).toBe(0);
    await postgres?.close();
  });

  const project = (): {
    readonly root: string;
    readonly remote: string;
    run(...line: string[]): Promise<RanJson>;
  } => {
    const { root, remote } = sharedProject(tempFolder(), { type: "file", value: "made.txt" });
    return { root, remote, run: async (...line) => await aotJson(line, { cwd: root, env: { AOT_ENGINE: "" } }) };
  };
  const AGENT = `command:cat >/dev/null; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;

  test("SPEC 13: aot run --engine hands over, shows what happens, and ends as the loop ends", async () => {
    const { root, run } = project();
    const ran = await run("run", "--engine", engine, "--agent", AGENT, "--judge", "none");
    expect({ code: ran.code, err: ran.code === 0 ? "" : ran.err }).toEqual({ code: 0, err: "" });
    expect(ran.json).toMatchObject({ success: true, outcome: "verified", engine: name });
    expect(ran.err).toContain("A1");
    expect(readFileSync(join(root, ".claude/aot-loop-state.md"), "utf8")).toMatch(
      /status: completed[^]*engine: "postgres:/,
    );
    const listed = (await run("loops", "--status", "completed")).json as { readonly loops: readonly object[] };
    expect(listed.loops).toContainEqual(
      expect.objectContaining({ goal: "a goal", outcome: "verified", attempts: 1, unresolved: 0 }),
    );
    expect((await run("atom", "add", "B1", "--description", "d")).code).toBe(1);
    const journal = (await run("logs")).json as { readonly lines: readonly { readonly event: string }[] };
    expect(journal.lines.map(({ event }) => event)).toEqual(expect.arrayContaining(["run_started", "halted"]));
    expect((await run("logs", "A1", "--events", "--last", "1")).json).toMatchObject({
      lines: [{ event: "atom_resolved" }],
    });
    expect((await aot(["logs", "--follow", "--last", "2"], { cwd: root })).out).toContain("halted");
    expect((await aot(["logs", "A1"], { cwd: root })).err).toContain("`aot loops logs A1`");
    const logged = await run("loops", "logs", "A1");
    expect(logged).toMatchObject({
      code: 0,
      json: { logs: [{ task: "A1.1", run: 1 }], log: { text: expect.stringContaining('"did it"') } },
    });
    const shown = await aot(["loops", "logs", "A1.1"], { cwd: root });
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('"did it"') });
    expect((await run("loops", "logs", "A2")).code).toBe(1);
    expect((await run("run", "--agent", AGENT)).code).toBe(1);
    const port = /figures are on port (\d+)/.exec(worker.said())?.[1] ?? "";
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain("aot_worker_slots 3");
  });

  test("SPEC 9: aot run --engine is a run: shown, reported, ended with the outcome's code; taken up again where it stopped", async () => {
    const { root, run } = project();
    const gate = join(root, "..", "go");
    const slow = `command:cat >/dev/null; for i in $(seq 600); do test -f '${gate}' && break; sleep 0.1; done; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
    onTestFinished(() => writeFileSync(gate, ""));
    writeFileSync(join(root, ".worktreeinclude"), ".env\n");
    writeFileSync(join(root, ".env"), "SECRET=1\n");
    appendFileSync(join(root, ".git/info/exclude"), ".env\n");
    const line = ["run", "--engine", engine, "--agent", slow, "--judge", "none"];
    const refused = await run(...line, "--restart");
    expect(refused.code).toBe(2);
    expect(JSON.stringify(refused.json)).toContain("--restart is about a run on this host");
    const shown = await startAot([...line, "--report", "one.json"], /worker started \(A1\.1\)/, { cwd: root });
    onTestFinished(async () => void (await shown.end("SIGKILL")));
    expect(shown.said()).toContain("that .worktreeinclude names here: .env.");
    shown.child.kill("SIGINT");
    await until(
      () => shown.said().includes("attempts in flight are finished, then the loop stops"),
      "the stop was taken",
      30_000,
    );
    writeFileSync(gate, "");
    expect(await shown.ended, shown.said()).toBe(10);
    expect(JSON.parse(readFileSync(join(root, "one.json"), "utf8"))).toMatchObject({
      outcome: "stop_requested",
      exit_code: 10,
      attempts: 1,
    });
    const again = await run(...line);
    expect({ code: again.code, err: again.code === 0 ? "" : again.err }).toEqual({ code: 0, err: "" });
    expect(again.json).toMatchObject({
      success: true,
      outcome: "verified",
      engine: name,
      verdict: { passed: true },
      place: expect.stringContaining("/integration of "),
    });
    expect(readFileSync(join(root, ".claude/aot-loop-state.md"), "utf8")).toContain("status: completed");
    expect(await run(...line)).toMatchObject({ code: 1, json: { errors: [{ message: "the loop is completed" }] } });
    expect((await run("report", "--output", "-")).json).toMatchObject({ outcome: "verified", attempts: 1 });
    const other = project();
    const quick = ["run", "--engine", engine, "--agent", AGENT, "--judge", "none"];
    expect(await other.run(...quick, "--detach")).toMatchObject({ code: 0, json: { at_work: true, engine: name } });
    // Below a file nothing can be written.
    const unreported = await other.run(...quick, "--report", join(".claude", "aot-loop-state.md", "two.json"));
    expect(unreported).toMatchObject({ code: 0, json: { outcome: "verified", attempts: 1 } });
    expect(unreported.err).toContain("no report: ");
  });

  test.skipIf(whyNoTerminal() !== null)(
    "SPEC 8: on a terminal Ctrl-C asks what should happen to a hosted loop; left running it goes on",
    async () => {
      const { root, run } = project();
      const gate = join(root, "..", "go");
      const slow = `command:cat >/dev/null; for i in $(seq 600); do test -f '${gate}' && break; sleep 0.1; done; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
      onTestFinished(() => writeFileSync(gate, ""));
      const line = ["run", "--engine", engine, "--agent", slow, "--judge", "none"];
      const terminal = onTerminal([process.execPath, aotPath(), ...line], root);
      const shows = (words: string): Promise<void> =>
        until(() => terminal.screen.rows().some((row) => row.includes(words)), words, 60_000);
      await shows("1 running");
      terminal.type(CTRL_C);
      await shows("What should happen to");
      terminal.type("\r");
      expect(await terminal.ended()).toBe(0);
      expect([...terminal.screen.scrolled, ...terminal.screen.rows()].join("\n")).toContain("goes on at postgres://");
      expect((await run("loops", "pull")).json).toMatchObject({ status: "running" });
      writeFileSync(gate, "");
      expect(await run(...line)).toMatchObject({ code: 0, json: { outcome: "verified", attempts: 1 } });
    },
  );
});
