/** Worktrees that can be worked in: copies, set-up, ports, and that none of it is anybody's work (SPEC sections 6 and 7). */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { prepared, type Preparation } from "../../../src/adapters/workspace/prepared-workspace.ts";
import { createPortSlots } from "../../../src/adapters/workspace/port-slots.ts";
import type { WorkspaceOptions } from "../../../src/adapters/workspace/workspace-options.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { workspaceContract } from "../../contracts/workspace.ts";
import {
  attemptOf,
  created,
  gitIn,
  integratedFiles,
  testProject,
  work,
  workOf,
  writeFiles,
  type Files,
  type Project,
} from "./project.ts";

const BASE_PORT = 21_500;

/** A command line of this Node, whatever the shell. */
function node(script: string): string {
  return `"${process.execPath}" -e "${script}"`;
}

async function preparedOn(options: WorkspaceOptions, more: Partial<Preparation> = {}): Promise<Workspace> {
  const workspace = await created(options);
  return prepared(workspace, {
    root: options.root,
    protected: options.protected,
    port_base: BASE_PORT,
    commands: [],
    timeout_ms: 60_000,
    env: process.env,
    logs: join(options.dir, "logs"),
    ...more,
  });
}

// Whatever is set up in a worktree, the workspace keeps what every workspace keeps.
workspaceContract({
  name: "worktrees, prepared",
  git: true,
  create: (options) => preparedOn(options, { commands: ["echo made> made-by-set-up.txt"] }),
});

const FIRST: Files = {
  "a.txt": "1\n2\n3\n",
  "lock.json": "{}\n",
  "tests/goal.txt": "expect\n",
  ".gitignore": ".env*\n/deps/\n*.log\n",
  ".worktreeinclude": "# what an attempt needs\n.env*\n!.env.production\nconfig/*.secret\ntracked.txt\n",
  "tracked.txt": "in git\n",
};

interface Scene {
  readonly project: Project;
  open(more?: Partial<Preparation>, options?: Partial<WorkspaceOptions>): Promise<Workspace>;
}

async function scene(files: Files = FIRST): Promise<Scene> {
  const project = await testProject(files);
  return {
    project,
    open: async (more = {}, options = {}) => {
      const workspace = await preparedOn(project.options(options), more);
      await workspace.open();
      onTestFinished(() => workspace.close());
      return workspace;
    },
  };
}

async function textsIn(dir: string, ...names: readonly string[]): Promise<(string | null)[]> {
  return await Promise.all(names.map((name) => readFile(join(dir, name), "utf8").catch(() => null)));
}

// ── copies ──────────────────────────────────────────────────────────────────

test("INCLUDED-FILES-1: .worktreeinclude names ignored files that attempts and checkouts get; nothing else is copied", async () => {
  const { project, open } = await scene();
  await project.write({
    ".env": "A=1\n",
    ".env.production": "no\n",
    "packages/one/.env.local": "B=2\n",
    "deps/big.bin": "x",
    "config/x.secret": "not ignored\n",
  });
  const workspace = await open();
  const names = [".env", ".env.production", "packages/one/.env.local", "deps/big.bin", "config/x.secret"];
  const there = ["A=1\n", null, "B=2\n", null, null];
  const { dir } = await workspace.start(attemptOf("A1"));
  expect(await textsIn(dir, ...names)).toEqual(there);
  const checkout = await workspace.checkout();
  expect(await textsIn(checkout.dir, ...names)).toEqual(there);
  await checkout.release();
  const reader = await workspace.checkout({ set_up: false });
  expect(await textsIn(reader.dir, ".env")).toEqual([null]);
  await reader.release();
});

test("PREPARED-WORKSPACE-1: a copy is never committed, not even by an attempt that no longer ignores it", async () => {
  const { project, open } = await scene();
  await project.write({ ".env": "SECRET=1\n", "deep/er/.env": "SECRET=2\n" });
  const workspace = await open();
  const result = await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { ".gitignore": "*.log\n", "b.txt": "b\n", ".env": "SECRET=1\nMORE=2\n" });
  });
  expect(result.kind === "integrated" ? [...result.files].sort() : result).toEqual([".gitignore", "b.txt"]);
  const shelved = attemptOf("A2");
  const { dir } = await workspace.start(shelved);
  await writeFiles(dir, { "c.txt": "c\n" });
  const { kept } = await workspace.shelve(shelved, "given up");
  expect(project.loop("ls-tree", "-r", "--name-only", kept ?? "")).not.toContain(".env");
  expect(await textsIn(project.root, ".env", "deep/er/.env")).toEqual(["SECRET=1\n", "SECRET=2\n"]);
});

test.skipIf(process.platform === "win32")(
  "INCLUDED-FILES-2: nothing is written or removed through a link, and what a commit has stays",
  async () => {
    const { project, open } = await scene({
      ...FIRST,
      ".gitignore": ".env*\n/data/secret.txt\n",
      ".worktreeinclude": "secret.txt\n",
    });
    await project.write({ "data/secret.txt": "mine\n" });
    const workspace = await open();
    // An attempt turns the folder of the copy into a link to the person's own.
    const first = attemptOf("A1");
    const { dir } = await workspace.start(first);
    expect(await textsIn(dir, "data/secret.txt")).toEqual(["mine\n"]);
    await rm(join(dir, "data"), { recursive: true });
    await symlink(join(project.root, "data"), join(dir, "data"));
    await workspace.integrate(first, workOf("A1"));
    expect(await textsIn(project.root, "data/secret.txt")).toEqual(["mine\n"]);
    // The link is integrated: later places have it, and nothing is copied over it.
    await rm(join(project.root, "data"), { recursive: true });
    await project.write({ "data/secret.txt": "mine\n" });
    const second = attemptOf("A2");
    await workspace.start(second);
    await workspace.shelve(second, "done");
    expect(await textsIn(project.root, "data/secret.txt")).toEqual(["mine\n"]);
  },
);

test("a file that is gone, or no file any more, is passed over", async () => {
  const { project, open } = await scene();
  await project.write({ ".env": "A=1\n" });
  const workspace = await open();
  await rm(join(project.root, ".env"));
  await mkdir(join(project.root, ".env"));
  expect((await workspace.start(attemptOf("A1"))).failed).toBe(undefined);
});

// ── set-up ──────────────────────────────────────────────────────────────────

const INSTALL = node(
  "fs.mkdirSync('deps');fs.writeFileSync('deps/installed','yes');console.log('installed in',process.cwd())",
);

test("SPEC 7: set-up commands run in order in each fresh slot, and say so in the attempt's log", async () => {
  const { project, open } = await scene();
  const commands = [
    INSTALL,
    node("if(!fs.existsSync('deps/installed'))process.exit(9);fs.writeFileSync('deps/root',process.env.AOT_ROOT)"),
  ];
  const workspace = await open({ commands });
  const { dir, failed } = await workspace.start(attemptOf("A1"));
  expect(failed).toBe(undefined);
  expect(await textsIn(dir, "deps/installed", "deps/root")).toEqual(["yes", project.root]);
  const log = await readFile(join(project.root, ".claude/aot-loop/logs/A1.1.log"), "utf8");
  expect(log).toContain("installed in");
  expect((await workspace.integrate(attemptOf("A1"), workOf("A1"))).kind).toBe("integrated");
});

test("PREPARED-WORKSPACE-2: a set-up that fails or takes too long is the attempt's reason, with its output; nothing is kept of it", async () => {
  const { open } = await scene();
  const workspace = await open({ commands: [node("console.error('no such package');process.exit(3)"), INSTALL] });
  const { failed, dir } = await workspace.start(attemptOf("A1"));
  expect(failed).toMatch(/set-up command .* ended with exit code 3: no such package/s);
  expect(existsSync(join(dir, "deps"))).toBe(false);
  expect(await workspace.shelve(attemptOf("A1"), failed ?? "")).toEqual({ kept: null });
  const checkout = await workspace.checkout();
  expect(checkout.failed).toContain("exit code 3");
  await checkout.release();
  const slow = await (await scene()).open({ commands: [node("setInterval(()=>{},1000)")], timeout_ms: 300 });
  expect((await slow.start(attemptOf("A1"))).failed).toMatch(/was ended after 0.3 s, its time limit/);
});

test("a set-up ends with the attempt that it is for", async () => {
  const { project, open } = await scene();
  const begun = join(project.root, "..", `${Date.now()}-${process.pid}-begun`);
  onTestFinished(() => rm(begun, { force: true }));
  const env = { ...process.env, BEGUN: begun };
  const workspace = await open({
    commands: [node("fs.writeFileSync(process.env.BEGUN,'');setInterval(()=>{},1000)")],
    env,
  });
  const controller = new AbortController();
  const started = workspace.start(attemptOf("A1"), controller.signal);
  await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
  controller.abort();
  await started;
  expect(await workspace.shelve(attemptOf("A1"), "aborted")).toEqual({ kept: null });
});

test("PREPARED-WORKSPACE-1: what a set-up changes is put back, unless the attempt changed it further", async () => {
  const { open } = await scene();
  const commands = [
    node(
      "fs.appendFileSync('lock.json','set up\\n');fs.appendFileSync('a.txt','set up\\n');fs.writeFileSync('new.txt','x');fs.rmSync('tracked.txt')",
    ),
  ];
  const workspace = await open({ commands });
  expect(await work(workspace, "A1", () => Promise.resolve())).toEqual({ kind: "integrated", commit: null, files: [] });
  const result = await work(workspace, "A2", async (dir) => {
    await writeFile(join(dir, "a.txt"), `${await readFile(join(dir, "a.txt"), "utf8")}worked\n`);
  });
  expect(result.kind === "integrated" ? result.files : result).toEqual(["a.txt"]);
  const checkout = await workspace.checkout({ set_up: false });
  expect(await textsIn(checkout.dir, "lock.json", "a.txt", "new.txt", "tracked.txt")).toEqual([
    "{}\n",
    "1\n2\n3\nset up\nworked\n",
    null,
    "in git\n",
  ]);
  await checkout.release();
});

test("SPEC 6, PREPARED-WORKSPACE-3: a set-up that changes a protected file in the checkout is tampering; what it installs is not", async () => {
  const files = {
    ...FIRST,
    "setup.cjs": "require('fs').mkdirSync('deps');require('fs').writeFileSync('deps/goal.txt','')\n",
  };
  const { open } = await scene(files);
  const workspace = await open(
    { commands: [`"${process.execPath}" setup.cjs`] },
    { protected: ["tests/**", "**/goal.txt"] },
  );
  const clean = await workspace.checkout();
  expect(clean.tampered).toEqual([]);
  await clean.release();
  // An attempt may change what the set-up runs, as it may change a package's scripts.
  const result = await work(workspace, "A1", (dir) =>
    writeFiles(dir, { "setup.cjs": "require('fs').writeFileSync('tests/goal.txt','always true')\n" }),
  );
  expect(result.kind).toBe("integrated");
  const checkout = await workspace.checkout();
  expect(checkout.tampered).toEqual(["tests/goal.txt"]);
  await checkout.release();
});

test("INCLUDED-FILES-3: what is copied is what was there when the run began, whatever became of it since", async () => {
  const { project, open } = await scene();
  await project.write({ ".env.test": "STRICT=1\n" });
  const workspace = await open({}, { protected: [".env.test"] });
  const clean = await workspace.checkout();
  expect(clean.tampered).toEqual([]);
  await clean.release();
  await project.write({ ".env.test": "STRICT=0\n" });
  const checkout = await workspace.checkout();
  expect(checkout.tampered).toEqual([]);
  expect(await textsIn(checkout.dir, ".env.test")).toEqual(["STRICT=1\n"]);
  await checkout.release();
  await workspace.close();
  // A set-up that changes the copy is seen all the same.
  const weakening = await open(
    { commands: [node("fs.writeFileSync('.env.test','STRICT=2\\n')")] },
    { protected: [".env.test"] },
  );
  const changed = await weakening.checkout();
  expect(changed.tampered).toEqual([".env.test"]);
  await changed.release();
});

test("a project in a folder of the repository is set up there, and the copies lie where they lay", async () => {
  const { project } = await scene({
    "pack/one/a.txt": "a\n",
    ".gitignore": ".env\ndeps/\n",
    ".worktreeinclude": ".env\n",
  });
  await project.write({ ".env": "top\n", "pack/one/.env": "one\n" });
  const root = join(project.root, "pack/one");
  const workspace = await preparedOn(project.options({ root }), { root, commands: [INSTALL] });
  await workspace.open();
  onTestFinished(() => workspace.close());
  const { dir } = await workspace.start(attemptOf("A1"));
  expect(await textsIn(dir, "a.txt", ".env", "deps/installed", "../../.env")).toEqual(["a\n", "one\n", "yes", "top\n"]);
});

test("PREPARED-WORKSPACE-1, PORTS-3: integrations are in call order, whatever a set-up left in each slot", async () => {
  const { project, open } = await scene();
  const workspace = await open({ commands: [node("for(let i=0;i<20;i++)fs.writeFileSync('left'+i,'x')")] });
  const ids = ["A1", "A2", "A3", "A4"];
  for (const id of ids) {
    const { dir } = await workspace.start(attemptOf(id));
    await writeFiles(dir, { [`${id}.txt`]: id });
  }
  await Promise.all(ids.map((id) => workspace.integrate(attemptOf(id), workOf(id))));
  const log = project.loop("log", "--format=%s", "--reverse", "--no-merges", "main..aot/demo/integration");
  expect(log.split("\n").map((subject) => subject.replace("Do ", ""))).toEqual(ids);
  expect(await integratedFiles(workspace, ["left0"])).toEqual({ left0: "x" });
  expect(project.loop("ls-tree", "-r", "--name-only", "aot/demo/integration")).not.toContain("left0");
});

test("closing keeps what an attempt did, without what was copied or set up", async () => {
  const { project, open } = await scene();
  await project.write({ ".env": "SECRET\n" });
  const workspace = await open({ commands: [node("fs.writeFileSync('left','x')")] });
  const { dir } = await workspace.start(attemptOf("A1"));
  await writeFiles(dir, { "mine.txt": "m\n", ".gitignore": "" });
  await workspace.close();
  const [branch = ""] = project.loop("for-each-ref", "--format=%(refname)", "refs/heads/aot/demo/attempt").split("\n");
  const names = gitIn(project.root, "ls-tree", "-r", "--name-only", branch).split("\n");
  expect(names).toContain("mine.txt");
  expect(names).not.toContain(".env");
  expect(names).not.toContain("left");
  const { worktrees } = loopPaths(project.options().stateFile);
  expect(existsSync(join(worktrees, "demo")), "the goal's folder goes with the last attempt").toBe(false);
});

test("F5, SPEC 8: after a crash what is kept of an attempt is its work, without copies and what the set-up left", async () => {
  const { project, open } = await scene();
  await project.write({ ".env": "SECRET\n", "outside.txt": "mine\n" });
  const commands = [node("fs.writeFileSync('left','x');fs.appendFileSync('lock.json','set up\\n')")];
  // As a killed run leaves it: nothing is closed.
  const dead = await preparedOn(project.options({ run: "r0" }), { commands });
  await dead.open();
  const { dir } = await dead.start(attemptOf("A1"));
  await writeFiles(dir, { "mine.txt": "m\n", ".gitignore": "" });
  await dead.start(attemptOf("A2"));
  const record = join(project.root, ".git/aot-loop/demo.git/aot-slots/A2-1-r0.json");
  const written = JSON.parse(await readFile(record, "utf8")) as { readonly copied: readonly string[] };
  expect(written.copied).toEqual([".env"]);
  // An agent without a sandbox can write there.
  await writeFile(record, JSON.stringify({ ...written, copied: [...written.copied, "../../../../../outside.txt"] }));
  await open({ commands });
  const branches = project.loop("for-each-ref", "--format=%(refname)", "refs/heads/aot/demo/attempt").split("\n");
  expect(branches).toHaveLength(1);
  const changed = project.loop("diff", "--name-only", "main", branches[0] ?? "").split("\n");
  expect(changed).toEqual([".gitignore", "mine.txt"]);
  expect(await textsIn(project.root, "outside.txt", ".env")).toEqual(["mine\n", "SECRET\n"]);
});

// ── ports ───────────────────────────────────────────────────────────────────

test("ports: ten for each place, the lowest free slot first, one with a port in use passed over", async () => {
  const slots = createPortSlots(BASE_PORT + 1_000);
  const busy = await listen(BASE_PORT + 1_013);
  const [one, two] = [await slots.take(), await slots.take()];
  expect([one?.port, two?.port]).toEqual([BASE_PORT + 1_000, BASE_PORT + 1_020]);
  one?.release();
  expect((await slots.take())?.port).toBe(BASE_PORT + 1_000);
  await new Promise((done) => busy.close(done));
  expect((await slots.take())?.port).toBe(BASE_PORT + 1_010);
  expect(await createPortSlots(65_530).take()).toBe(null);
});

test("AOT_PORT: places side by side never share one, and the next attempt has the first one's again", async () => {
  const { open } = await scene();
  const workspace = await open({
    port_base: BASE_PORT + 2_000,
    commands: [node("fs.writeFileSync('port.log',process.env.AOT_PORT)")],
  });
  const first = await workspace.start(attemptOf("A1"));
  const second = await workspace.start(attemptOf("A2"));
  const checkout = await workspace.checkout();
  const ports = [first, second, checkout].map(({ env }) => env?.["AOT_PORT"]);
  expect(new Set(ports).size).toBe(3);
  expect(await textsIn(first.dir, "port.log")).toEqual([ports[0]]);
  await workspace.shelve(attemptOf("A1"), "done");
  expect((await workspace.start(attemptOf("A3"))).env?.["AOT_PORT"]).toBe(ports[0]);
  await checkout.release();
});

async function listen(port: number): Promise<Server> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", done);
  });
  return server;
}

// ── what a lock file says ───────────────────────────────────────────────────

const LOCK = {
  file: "lock.json",
  language: "node",
  folder: "deps",
  movable: true,
  command: node(
    "const fs=require('fs');fs.mkdirSync('deps/sub',{recursive:true});fs.writeFileSync('deps/sub/x',String(Math.random()));fs.appendFileSync(process.env.RUNS,'x')",
  ),
} as const;

/** How often was installed. */
async function installing(): Promise<{ readonly workspace: Workspace; runs(): Promise<number>; project: Project }> {
  const { project, open } = await scene();
  const log = join(project.root, ".git", "runs");
  await writeFile(log, "");
  const workspace = await open({ install: LOCK, env: { ...process.env, RUNS: log } });
  return { workspace, runs: async () => (await readFile(log, "utf8")).length, project };
}

test("SPEC 16: what a lock file says is installed once, and attempts and verdicts have copies that they share with nobody", async () => {
  const { workspace, runs } = await installing();
  const places = await Promise.all(["A1", "A2", "A3"].map((atom) => workspace.start(attemptOf(atom))));
  const checkout = await workspace.checkout();
  const dirs = [...places.map(({ dir }) => dir), checkout.dir];
  const texts = await Promise.all(dirs.map((dir) => readFile(join(dir, "deps/sub/x"), "utf8")));
  expect(new Set(texts).size).toBe(1);
  expect(await runs()).toBe(1);
  await writeFile(join(places[0]?.dir ?? "", "deps/sub/x"), "mine");
  expect(await readFile(join(places[1]?.dir ?? "", "deps/sub/x"), "utf8")).toBe(texts[0]);
  for (const atom of ["A1", "A2", "A3"])
    expect((await workspace.integrate(attemptOf(atom), workOf(atom))).kind).toBe("integrated");
  await checkout.release();
  await workspace.close();
});

test("SHARED-INSTALL-2: an attempt on another lock file has its own, and so has the verdict on it", async () => {
  const { workspace, runs } = await installing();
  await work(workspace, "A1", (dir) => writeFile(join(dir, "lock.json"), '{"more":1}\n'));
  expect(await runs()).toBe(1);
  const second = await workspace.start(attemptOf("A2"));
  expect(await runs()).toBe(2);
  expect(existsSync(join(second.dir, "deps/sub/x"))).toBe(true);
  const checkout = await workspace.checkout();
  expect(await runs()).toBe(2);
  await checkout.release();
  await workspace.close();
});

test("SHARED-INSTALL-3: what somebody has changed of it is not handed on", async () => {
  const { workspace, runs, project } = await installing();
  await workspace.start(attemptOf("A1"));
  const kept = join(project.root, ".claude/aot-loop/set-up");
  const [name = ""] = await readdir(kept);
  await writeFile(join(kept, name, "deps/sub/x"), "forged");
  const second = await workspace.start(attemptOf("A2"));
  expect(await readFile(join(second.dir, "deps/sub/x"), "utf8")).not.toBe("forged");
  expect(await runs()).toBe(2);
  await workspace.close();
  expect(existsSync(kept)).toBe(false);
});

test("SPEC 16: where it cannot be installed attempts work without it, and that is said", async () => {
  const { open } = await scene();
  const notes: string[] = [];
  const workspace = await open({
    install: {
      ...LOCK,
      command: node("const fs=require('fs');fs.mkdirSync('deps');fs.writeFileSync('deps/half','');process.exit(3)"),
    },
    onNote: (note) => notes.push(note),
  });
  const place = await workspace.start(attemptOf("A1"));
  expect(place).not.toHaveProperty("failed");
  expect(existsSync(join(place.dir, "deps"))).toBe(false);
  expect(notes.join()).toMatch(/go on without an install: .*ended with exit code 3/s);
  await workspace.close();
});

test("SHARED-INSTALL-4: where git does not ignore what is installed each place installs it", async () => {
  const { open } = await scene({ ...FIRST, ".gitignore": ".env*\n*.log\n" });
  const workspace = await open({ install: LOCK, env: { ...process.env, RUNS: "runs.log" } });
  for (const atom of ["A1", "A2"]) {
    const { dir } = await workspace.start(attemptOf(atom));
    expect(existsSync(join(dir, "deps/sub/x"))).toBe(true);
  }
});

test("SHARED-INSTALL-4: an install that was ended half way is nobody's copy", async () => {
  const { open, project } = await scene();
  const log = join(project.root, ".git", "runs");
  const half = node(
    "const fs=require('fs');fs.mkdirSync('deps');if(fs.existsSync(process.env.RUNS))fs.writeFileSync('deps/whole','');else{fs.writeFileSync(process.env.RUNS,'');setInterval(()=>{},1000)}",
  );
  const workspace = await open({ install: { ...LOCK, command: half }, env: { ...process.env, RUNS: log } });
  const controller = new AbortController();
  const started = workspace.start(attemptOf("A1"), controller.signal);
  await vi.waitUntil(() => existsSync(log), { timeout: 20_000 });
  controller.abort();
  await started;
  const second = await workspace.start(attemptOf("A2"));
  expect(existsSync(join(second.dir, "deps/whole"))).toBe(true);
});

test("SPEC 16: nothing stays of an install that failed, also where it cannot be copied", async () => {
  const { open } = await scene();
  const { movable: _, ...fixed } = LOCK;
  const command = node("const fs=require('fs');fs.mkdirSync('deps');fs.writeFileSync('deps/half','');process.exit(3)");
  const workspace = await open({ install: { ...fixed, command } });
  const place = await workspace.start(attemptOf("A1"));
  expect(existsSync(join(place.dir, "deps"))).toBe(false);
});

test("SPEC 16: an install that leaves nothing is run in each place, and no place fails for it", async () => {
  const { open } = await scene();
  const workspace = await open({ install: { ...LOCK, command: node("0") } });
  for (const atom of ["A1", "A2"]) expect(await workspace.start(attemptOf(atom))).not.toHaveProperty("failed");
});
