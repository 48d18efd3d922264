/** The commands of an engine on PostgreSQL, as processes on a real server (SPEC sections 10 and 13). */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { databaseName } from "../../../src/engines/adapters/dbos/dbos-names.ts";
import type { Check } from "../../../src/core/state.ts";
import { postgresPrograms, startPostgres, type Postgres } from "../../support/engines/dbos-postgres.ts";
import { lastingAgent } from "../../support/engines/lasting-agent.ts";
import { sharedProject } from "../../support/engines/project.ts";
import { runAot, startAot, type Running } from "../../support/engines/scene.ts";
import { tempFolder, until } from "../../fixtures/programs.ts";
import { aotJson, type RanJson } from "../../support/aot.ts";

const FIXTURES = join(import.meta.dirname, "..", "..", "fixtures", "engines");

const programs = postgresPrograms();
describe.skipIf(programs === null)("on a real PostgreSQL", () => {
  let postgres: Postgres;
  let folder: string;
  let shared: Running | null = null;

  const startWorker = (cwd: string, ...flags: string[]): Promise<Running> =>
    startAot(["worker", ...flags], /is ready/, { cwd, env: { AOT_ENGINE: postgres.url } });

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    folder = mkdtempSync(join(tmpdir(), "aot-dbos-"));
    shared = await startWorker(folder);
    expect(shared.said()).toMatch(`worker ${hostname()}:${shared.child.pid} is ready: 3 at a time`);
  });
  afterAll(async () => {
    if (shared !== null) expect(await shared.end(), shared.said()).toBe(0);
    await postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const project = (
    check: Check = { type: "file", value: "made.txt" },
  ): { readonly root: string; run(...line: string[]): Promise<RanJson> } => {
    const { root } = sharedProject(tempFolder(), check);
    return { root, run: async (...line) => await aotJson(line, { cwd: root, env: { AOT_ENGINE: postgres.url } }) };
  };

  /** An agent that fails as long as the project has no file `go`. */
  const untilGo = (root: string): string => {
    const program = join(tempFolder(), "agent.cjs");
    writeFileSync(
      program,
      `const fs = require("node:fs");
      const success = fs.existsSync(${JSON.stringify(join(root, "go"))});
      fs.writeFileSync(success ? "made.txt" : "half.txt", "made");
      console.log(JSON.stringify({ success, summary: "tried" }));`,
    );
    return `command:'${process.execPath}' '${program}'`;
  };

  test("SPEC 13: submitted, stopped, redirected and taken up again: the loop is worked there, the file is a view", async () => {
    const { root, run } = project();
    const gate = join(root, "go");
    const agent = `command:cat >/dev/null; for i in $(seq 600); do test -f '${gate}' && break; sleep 0.1; done; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
    onTestFinished(() => writeFileSync(gate, ""));
    const submitted = await run("submit", "--agent", agent, "--judge", "none");
    expect({ code: submitted.code, err: submitted.code === 0 ? "" : submitted.err }).toEqual({ code: 0, err: "" });
    const name = databaseName(postgres.url) ?? "";
    expect(submitted.json).toMatchObject({ success: true, engine: name });
    const file = (): string => readFileSync(join(root, ".claude/aot-loop-state.md"), "utf8");
    expect(file()).toContain(`engine: "${name}/`);
    expect(await run("stop", "lunch")).toMatchObject({ code: 0, json: { via: "engine" } });
    expect(await run("redirect", "limit", "max_iterations", "7")).toMatchObject({ code: 0, json: { via: "engine" } });
    // It ends no work in flight; the stop waits for it.
    writeFileSync(gate, "");
    const pulled = async (): Promise<{ readonly status?: string; readonly outcome?: string }> =>
      (await run("loops", "pull")).json;
    await until(async () => (await pulled()).status === "stopped", "stopped", 45_000);
    expect(await run("loops", "resume")).toMatchObject({ code: 0 });
    await until(async () => (await pulled()).outcome === "verified", "verified", 45_000);
    expect(file()).toContain("max_iterations: 7");
    expect(await run("loops", "approve")).toMatchObject({ code: 1 });
    expect((await run("atom", "add", "B1", "--description", "d")).code).toBe(1);
    const { loops } = (await run("loops", "--status", "completed")).json as { readonly loops: readonly object[] };
    expect(loops).toEqual([expect.objectContaining({ outcome: "verified", unresolved: 0 })]);
  });

  test("SPEC 13: loops are stopped and taken up in bulk; completed ones leave no branches of attempts behind once cleaned", async () => {
    const { root, run } = project();
    const agent = untilGo(root);
    expect((await run("redirect", "limit", "max_iterations", "1")).code).toBe(0);
    const submitted = await run("submit", "--agent", agent, "--judge", "none");
    expect(submitted.code).toBe(0);
    const outcome = async (): Promise<unknown> => (await run("loops", "pull")).json["outcome"];
    await until(async () => (await outcome()) === "max_iterations", "its end", 45_000);
    expect((await run("loops", "clean")).code).toBe(1);
    writeFileSync(join(root, "go"), "");
    expect(await run("redirect", "limit", "max_iterations", "9")).toMatchObject({ code: 0 });
    const none = await run("loops", "resume", "--all", "--outcome", "stalled");
    expect(none).toMatchObject({ code: 0, json: { loops: [] } });
    const { loop } = submitted.json;
    const resumed = await run("loops", "resume", "--all", "--outcome", "max_iterations");
    expect(resumed).toMatchObject({ code: 0, json: { loops: [{ loop, ok: true }] } });
    await until(async () => (await outcome()) === "verified", "verified", 45_000);
    expect((await run("loops", "stop", "--all")).json).toMatchObject({ loops: [] });
    const branches = [expect.stringMatching(/^aot\/.*\/attempt\/A1-1-r1$/)];
    expect((await run("loops", "clean")).json).toMatchObject({ deleted: false, branches });
    expect((await run("loops", "clean", "--all", "--yes")).json).toMatchObject({ deleted: true, branches });
    expect((await run("loops", "clean")).json).toMatchObject({ branches: [] });
  });

  test("SPEC 13: a loop that stopped comes back into its file, with its work and its history, and the engine lets it go", async () => {
    const { root, run } = project();
    const agent = untilGo(root);
    expect((await run("loops", "take-back")).code).toBe(1);
    expect((await run("redirect", "limit", "max_iterations", "1")).code).toBe(0);
    const submitted = await run("submit", "--agent", agent, "--judge", "none");
    const { loop } = submitted.json;
    const outcome = async (): Promise<unknown> => (await run("loops", "pull")).json["outcome"];
    await until(async () => (await outcome()) === "max_iterations", "its end", 45_000);
    expect(await run("loops", "take-back")).toMatchObject({ code: 0, json: { loop, outcome: "max_iterations" } });
    expect(readFileSync(join(root, ".claude/aot-loop-state.md"), "utf8")).not.toContain("engine:");
    const journal = readFileSync(join(root, ".claude/aot-loop/journal.jsonl"), "utf8");
    expect(journal.match(/"attempt_started"/g)).toHaveLength(1);
    expect((await run("loops", "resume", String(loop))).json).toMatchObject({
      errors: [{ message: expect.stringContaining("its project took the loop back") }],
    });
    writeFileSync(join(root, "go"), "");
    // What was spent there stays spent.
    expect((await run("run", "--agent", agent, "--judge", "none")).code).toBe(12);
    expect((await run("redirect", "limit", "max_iterations", "5")).code).toBe(0);
    expect((await run("run", "--agent", agent, "--judge", "none", "--no-merge")).json).toMatchObject({
      outcome: "verified",
    });
  });

  test("SPEC 9: aot run --engine ends where the loop waits for a person, and a yes there takes it up", async () => {
    const { run } = project({ type: "assertion", value: "it looks good" });
    const agent = `command:cat >/dev/null; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
    const judge = `command:cat >/dev/null; echo '{"passed":true,"evidence":"seen","quotes":[{"file":"made.txt","line":1,"text":"made"}]}'`;
    const ran = await run("run", "--engine", postgres.url, "--agent", agent, "--judge", judge);
    expect({ code: ran.code, err: ran.code === 16 ? "" : ran.err }).toEqual({ code: 16, err: "" });
    expect(ran.json).toMatchObject({ outcome: "needs_confirmation", engine: databaseName(postgres.url) });
    expect(ran.err).toContain("A1");
    expect(await run("loops", "approve")).toMatchObject({ code: 0 });
    const outcome = async (): Promise<string | undefined> =>
      ((await run("loops", "pull")).json as { readonly outcome?: string }).outcome;
    await until(async () => (await outcome()) === "verified", "verified", 45_000);
  });

  test("SPEC 13: aot engine clean names loops that are over, and forgets them on a yes; what is running stays", async () => {
    const { root, run } = project();
    const agent = lastingAgent(root);
    const lasting = await run("submit", "--agent", agent.command, "--judge", "none");
    const working = (lasting.json as { readonly loop: string }).loop;
    const other = project();
    const quick = `command:cat >/dev/null; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
    const ran = await other.run("run", "--engine", postgres.url, "--agent", quick, "--judge", "none");
    expect({ code: ran.code, err: ran.code === 0 ? "" : ran.err }).toEqual({ code: 0, err: "" });
    const { loop } = ran.json as { readonly loop: string };
    const clean = async (...line: string[]): Promise<unknown> => (await other.run("engine", "clean", ...line)).json;
    const shown = expect.objectContaining({ loop, since: expect.any(String), lines: expect.any(Number) });
    const named = async (): Promise<readonly string[]> =>
      ((await other.run("loops")).json as { readonly loops: readonly { readonly loop: string }[] }).loops.map(
        (row) => row.loop,
      );
    expect(await clean()).toMatchObject({ older_than_days: 30, forgotten: false, loops: [] });
    // What is due of it ends a moment later.
    await until(async () => JSON.stringify(await clean("--older-than", "0")).includes(loop), "it is over", 45_000);
    expect(await clean("--older-than", "0")).toMatchObject({
      forgotten: false,
      loops: expect.arrayContaining([shown]),
    });
    expect(await named()).toEqual(expect.arrayContaining([loop, working]));
    expect(await clean("--older-than", "0", "--yes")).toMatchObject({
      forgotten: true,
      loops: expect.arrayContaining([shown]),
    });
    expect(await named()).toContain(working);
    expect(await named()).not.toContain(loop);
    expect(JSON.stringify((await other.run("loops", "pull")).json)).toContain(`has no loop ${loop}`);
    expect(await run("loops", "stop", "--now")).toMatchObject({ code: 0 });
  });

  test("SPEC 13: while the database is away watching goes on, and ends as the loop ends", async () => {
    const { root } = project();
    const [gate, born] = [join(root, "..", "go"), join(root, "..", "born")];
    const agent = `command:cat >/dev/null; touch '${born}'; for i in $(seq 600); do test -f '${gate}' && break; sleep 0.1; done; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
    onTestFinished(() => writeFileSync(gate, ""));
    const line = ["run", "--engine", postgres.url, "--agent", agent, "--judge", "none"];
    const run = await startAot(line, /worker started/, { cwd: root });
    const ended = new Promise<number | null>((resolve) => run.child.once("exit", resolve));
    onTestFinished(() => void run.child.kill("SIGKILL"));
    await until(() => existsSync(born), "an agent", 60_000);
    await postgres.kill();
    await until(() => run.said().includes("the loop goes on without us"), "it is told", 60_000);
    await postgres.start();
    writeFileSync(gate, "");
    expect(await ended, run.said()).toBe(0);
    expect(run.said()).toContain("answers again");
  });

  test("SPEC 7: no agent outlives a worker that is killed", async () => {
    const { root, run } = project();
    const agent = lastingAgent(root);
    // Nobody else takes its task.
    expect(await shared?.end(), shared?.said()).toBe(0);
    shared = null;
    const worker = await startWorker(tempFolder(), "--name", "doomed");
    onTestFinished(async () => void (await worker.end("SIGKILL")));
    expect(await run("submit", "--agent", agent.command, "--judge", "none")).toMatchObject({ code: 0 });
    await agent.endsWith(() => worker.end("SIGKILL"));
  });
});

describe.skipIf(programs === null)("on a PostgreSQL that speaks TLS", () => {
  test("SPEC 13: a client that does not know the certificate's issuer is refused, with what to do", async () => {
    const [cert = "", key = ""] = ["cert", "key"].map((name) => join(FIXTURES, `tls-${name}.pem`));
    const postgres = await startPostgres(programs ?? "", { cert, key });
    onTestFinished(postgres.close);
    const cwd = tempFolder();
    const asked = async (env: Readonly<Record<string, string>>): Promise<Awaited<ReturnType<typeof runAot>>> =>
      await runAot(["loops", "--engine", `${postgres.url}?sslmode=verify-full`], { cwd, env });
    // No worker has made the tables yet: it was let in.
    expect(await asked({ NODE_EXTRA_CA_CERTS: cert })).toMatchObject({
      code: 1,
      json: { errors: [{ hint: expect.stringContaining("no worker has come there yet") }] },
    });
    expect(await asked({})).toMatchObject({
      code: 1,
      json: { errors: [{ hint: expect.stringContaining("NODE_EXTRA_CA_CERTS") }] },
    });
  });
});
