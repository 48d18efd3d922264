/** SPEC 16: attempts that share one checkout, by the command: what people, signals and crashes see of it. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { needs } from "../support/needs.ts";

beforeEach(() => needs("bwrap", "unshare"));

interface Project {
  readonly dir: string;
  readonly env: Record<string, string>;
  git(...args: readonly string[]): string;
  words(agent: string): readonly string[];
}

/**
 * A run takes a repository with this folder for one whose attempts shared a checkout before: no 20,000 files are needed. As
 * most do, it lies in the home folder, over which each place lays an overlay.
 */
function project(): Project {
  const home = temporaryFolder();
  const dir = join(home, "project");
  mkdirSync(join(dir, ".claude/aot-loop/overlays"), { recursive: true });
  mkdirSync(join(dir, "lib"));
  const env = cleanEnv({ HOME: home, AOT_SANDBOX: "" });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], { cwd: dir, encoding: "utf8", env }).trim();
  for (const name of ["a.txt", "lib/b.txt", "lib/c.txt"]) writeFileSync(join(dir, name), name);
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.org");
  git("add", "a.txt", "lib");
  git("commit", "-q", "-m", "first");
  const words: Project["words"] = (agent) =>
    ["run", "the goal", "--check", "test -f done", "--agent", `command:${agent}`].concat(["--yes", "--set=trust=0"]);
  return { dir, env, git, words };
}

function started({ dir, env }: Project, words: readonly string[]): ChildProcess & { said(): string } {
  const child = spawn(process.execPath, [aotPath(), ...words], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  return Object.assign(child, { said: () => text });
}

function said({ dir, env }: Project, ...words: readonly string[]): string {
  return spawnSync(process.execPath, [aotPath(), ...words], { cwd: dir, env, encoding: "utf8" }).stdout;
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 50_000, interval: 50 }).toBe(true);
}

const BEGUN = "echo half > half.txt; echo > lib/begun; rm lib/b.txt;";
const isBegun = ({ dir }: Project): boolean => {
  const overlays = join(dir, ".claude/aot-loop/overlays");
  return spawnSync("find", [overlays, "-name", "begun"], { encoding: "utf8" }).stdout !== "";
};

test("what an attempt changes is integrated, and nothing of its folder stays", () => {
  const here = project();
  const agent = "stat -f -c %T . >kind; rm lib/c.txt; mkdir new; echo x > new/x; echo x > done";
  const ran = spawnSync(process.execPath, [aotPath(), ...here.words(agent)], {
    cwd: here.dir,
    env: here.env,
    encoding: "utf8",
  });
  expect(ran).toMatchObject({ status: 0 });
  expect(here.git("show", "--name-status", "--format=", "main").split("\n")).toEqual([
    "A\tdone",
    "A\tkind",
    "D\tlib/c.txt",
    "A\tnew/x",
  ]);
  expect(readFileSync(join(here.dir, "kind"), "utf8")).toBe("overlayfs\n");
  expect(existsSync(join(here.dir, ".claude/aot-loop/overlays"))).toBe(false);
  expect(here.git("worktree", "list").split("\n")).toHaveLength(1);
});

test("a detached run is the same, and its record has its end", async () => {
  const here = project();
  said(here, ...here.words("stat -f -c %T . >kind; echo x > done"), "--detach");
  const record = join(here.dir, ".claude/aot-loop/detached.json");
  await until(() => existsSync(record) && readFileSync(record, "utf8").includes('"exit_code":0'));
  expect(readFileSync(join(here.dir, "kind"), "utf8")).toBe("overlayfs\n");
});

test("OWN-MOUNTS-2, OVERLAY-POOL-2: killed at once, and the next run keeps what was changed", async () => {
  const here = project();
  const run = started(here, here.words(`${BEGUN} sleep 60`));
  await until(() => isBegun(here));
  run.kill("SIGKILL");
  await once(run, "close");
  // A person's git sees no work there that is none.
  expect(here.git("status", "--porcelain", "--", ":!.claude")).toBe("");
  expect(said(here, "clean", "--yes")).toBe("nothing to remove\n");
  expect(said(here, "doctor")).toMatch(/1 left over: the-goal-\w+\/A1-1-\w+ \(changes, in an overlay\)/);
  const again = (agent: string, more: readonly string[], env: Readonly<Record<string, string>>): string => {
    const words = ["run", "--agent", `command:${agent}`, ...more];
    return spawnSync(process.execPath, [aotPath(), ...words], { cwd: here.dir, env, encoding: "utf8" }).stdout;
  };
  // Where nothing can be mounted, they are left alone.
  const unable = { ...here.env, PATH: `${noUnshare()}:${here.env["PATH"] ?? ""}` };
  const meanwhile = again("echo more > c.txt", ["--max-iterations", "2"], unable);
  expect(meanwhile).toContain("in overlays that cannot be mounted here");
  expect(meanwhile).toContain("A1 integrated as");
  const next = again("echo x > done", [], here.env);
  expect(next).toMatch(/kept on aot\/the-goal-\w+\/attempt\//);
  const [branch = ""] = here.git("branch", "--list", "aot/*/attempt/*", "--format=%(refname:short)").split("\n");
  expect(here.git("show", "--name-status", "--format=", branch).split("\n")).toEqual([
    "A\thalf.txt",
    "D\tlib/b.txt",
    "A\tlib/begun",
  ]);
  expect(existsSync(join(here.dir, ".claude/aot-loop/overlays"))).toBe(false);
});

/** A folder with an `unshare` that is refused. */
function noUnshare(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "unshare"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return folder;
}

test("OWN-MOUNTS-2: a signal to all processes of a group is one stop", async () => {
  const here = project();
  const words = [aotPath(), ...here.words(`${BEGUN} sleep 2; false`)];
  const run = spawn(process.execPath, words, {
    cwd: here.dir,
    env: here.env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  run.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  onTestFinished(() => void run.kill("SIGKILL"));
  await until(() => isBegun(here));
  process.kill(-(run.pid ?? 0), "SIGTERM");
  expect(await once(run, "close")).toEqual([10, null]);
  expect(text).not.toContain("killing the agents");
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "OWN-MOUNTS-2: %s is one stop, and the exit code is that of the run",
  async (signal) => {
    const here = project();
    const run = started(here, here.words(`${BEGUN} sleep 2; false`));
    await until(() => isBegun(here));
    run.kill(signal);
    const [code] = (await once(run, "close")) as [number | null];
    expect([code, run.said()]).toEqual([
      10,
      expect.stringContaining("stopping: attempts in flight are finished first"),
    ]);
    expect(run.said()).not.toContain("killing the agents");
  },
);

/** What holds of plain folders holds of overlays: the same contracts, laws and attacks, where anything can be mounted. */
test("SPEC 7: contracts and laws of workspaces hold with overlays", { timeout: 400_000 }, () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const suites = ["contract", "snapshot", "worktree-pool"].map((name) => `tests/adapters/workspace/${name}.test.ts`);
  const vitest = [
    process.execPath,
    "node_modules/vitest/vitest.mjs",
    "run",
    "--maxWorkers",
    "2",
    "--testTimeout",
    "200000",
    ...suites,
  ];
  // The other workspaces of the contracts mount nothing.
  const which = ["--testNamePattern", "^(?!in place|worktrees, old git)", ...suites];
  const ran = spawnSync("unshare", ["--user", "--map-root-user", "--mount", "--", ...vitest, ...which], {
    cwd: root,
    env: { ...process.env, AOT_TEST_OVERLAYS: "1" },
    encoding: "utf8",
  });
  expect([ran.status, ran.status === 0 ? "" : ran.stderr.slice(0, 10_000)]).toEqual([0, ""]);
});
