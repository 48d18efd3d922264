/** The commands of an engine on PostgreSQL, as processes on a real server (SPEC sections 10 and 13). */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { databaseName } from "../../src/adapters/engines/dbos/dbos-names.ts";
import type { Check } from "../../src/core/state.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { postgresPrograms, startPostgres, type Postgres } from "../engines/dbos-postgres.ts";
import { tempFolder, until } from "../fixtures/programs.ts";
import { aotJson, aotPath, cleanEnv, projectWith, type Ran } from "../support/aot.ts";
import { stateOf } from "../support/loops.ts";

test("SPEC 13: a database that does not answer is named by each command, with what to do and without the password", () => {
  const { dir } = projectWith();
  const nobody = "postgres://me:secret-word@127.0.0.1:1/loops";
  for (const line of [["loops"], ["loops", "stop", "x"], ["worker"]]) {
    const ran = aotJson([...line, "--engine", nobody], { cwd: dir });
    expect(ran.code).toBe(1);
    const told = JSON.stringify(ran.json) + ran.err;
    expect(told).toContain("PostgreSQL at postgres://127.0.0.1:1/loops cannot be reached");
    expect(told).not.toContain("secret-word");
  }
  const told = aotJson(["worker", "--engine", nobody, "--listen", "127.0.0.1:0"], { cwd: dir });
  expect({ code: told.code, json: JSON.stringify(told.json) }).toEqual({
    code: 2,
    json: expect.stringContaining("a database calls nobody"),
  });
});

const programs = postgresPrograms();
describe.skipIf(programs === null)("on a real PostgreSQL", () => {
  let postgres: Postgres;
  let folder: string;
  let end: () => Promise<void> = () => Promise.resolve();

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    folder = mkdtempSync(join(tmpdir(), "aot-dbos-"));
    const child = spawn(process.execPath, [aotPath(), "worker"], {
      cwd: folder,
      env: cleanEnv({ AOT_ENGINE: postgres.url }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    end = async () => {
      child.kill("SIGTERM");
      expect(await ended, said).toBe(0);
    };
    await until(() => said.includes("is ready") || child.exitCode !== null, said, 60_000);
    expect(said).toContain(`worker ${hostname()} is ready: 3 at a time, which it asks for`);
  });
  afterAll(async () => {
    await end();
    await postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const project = (
    check: Check = { type: "file", value: "made.txt" },
  ): { readonly root: string; run(...line: string[]): Ran & { readonly json: object } } => {
    const here = tempFolder();
    const [root, remote] = [join(here, "project"), join(here, "shared.git")];
    mkdirSync(join(root, ".claude"), { recursive: true });
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@localhost", ...args], { cwd: root });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("init", "-q", "--bare", remote);
    git("remote", "add", "origin", remote);
    const state = stateOf({ atoms: [{ id: "A1" }] });
    const base_case = { checklist: [{ item: "made", check }] };
    const objective = { ...state.objective, base_case };
    writeFileSync(join(root, ".claude/aot-loop-state.md"), createStateText({ ...state, objective }, "Do it."));
    return { root, run: (...line) => aotJson(line, { cwd: root, env: { AOT_ENGINE: postgres.url } }) };
  };

  test("SPEC 13: submitted, stopped, redirected and taken up again: the loop is worked there, the file is a view", async () => {
    const { root, run } = project();
    const gate = join(root, "go");
    const agent = `command:cat >/dev/null; for i in $(seq 600); do test -f '${gate}' && break; sleep 0.1; done; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
    onTestFinished(() => writeFileSync(gate, ""));
    const submitted = run("submit", "--agent", agent, "--judge", "none");
    expect({ code: submitted.code, err: submitted.code === 0 ? "" : submitted.err }).toEqual({ code: 0, err: "" });
    const name = databaseName(postgres.url) ?? "";
    expect(submitted.json).toMatchObject({ success: true, engine: name });
    const file = (): string => readFileSync(join(root, ".claude/aot-loop-state.md"), "utf8");
    expect(file()).toContain(`engine: "${name}/`);
    expect(run("stop", "lunch")).toMatchObject({ code: 0, json: { via: "engine" } });
    expect(run("redirect", "limit", "max_iterations", "7")).toMatchObject({ code: 0, json: { via: "engine" } });
    const pulled = (): { readonly status?: string; readonly outcome?: string } => run("loops", "pull").json;
    await until(() => pulled().status === "stopped", "stopped", 45_000);
    writeFileSync(gate, "");
    expect(run("loops", "resume")).toMatchObject({ code: 0 });
    await until(() => pulled().outcome === "verified", "verified", 45_000);
    expect(file()).toContain("max_iterations: 7");
    expect(run("loops", "approve")).toMatchObject({ code: 1 });
    expect(run("atom", "add", "B1", "--description", "d").code).toBe(1);
    const { loops } = run("loops", "--status", "completed").json as { readonly loops: readonly object[] };
    expect(loops).toEqual([expect.objectContaining({ outcome: "verified", unresolved: 0 })]);
  });

  test("SPEC 9: aot submit --follow ends where the loop waits for a person, and a yes there takes it up", async () => {
    const { run } = project({ type: "assertion", value: "it looks good" });
    const agent = `command:cat >/dev/null; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;
    const judge = `command:cat >/dev/null; echo '{"passed":true,"evidence":"seen","quotes":[{"file":"made.txt","line":1,"text":"made"}]}'`;
    const ran = run("submit", "--agent", agent, "--judge", judge, "--follow");
    expect({ code: ran.code, err: ran.code === 16 ? "" : ran.err }).toEqual({ code: 16, err: "" });
    expect(ran.json).toMatchObject({ outcome: "needs_confirmation", engine: databaseName(postgres.url) });
    expect(ran.err).toContain("A1");
    expect(run("loops", "approve")).toMatchObject({ code: 0 });
    const outcome = (): string | undefined => (run("loops", "pull").json as { readonly outcome?: string }).outcome;
    await until(() => outcome() === "verified", "verified", 45_000);
  });
});
