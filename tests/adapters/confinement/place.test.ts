/** What a place is made of: hosts, environment, container's command line, and the choice (SPEC section 15). */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, dictionary, nat, property, string, stringMatching } from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { containerArguments } from "../../../src/adapters/confinement/container.ts";
import { environmentFor } from "../../../src/adapters/confinement/environment.ts";
import { findConfinement } from "../../../src/adapters/confinement/find.ts";
import { hostsOf } from "../../../src/adapters/confinement/client-needs.ts";
import { textAt } from "../../../src/host/regular-file.ts";
import { registriesFor } from "../../../src/adapters/confinement/registries.ts";
import { limitsHeld, limitsHere } from "../../../src/adapters/confinement/limits.ts";
import { createNamespace } from "../../../src/adapters/confinement/namespace.ts";
import { runGroup, type GroupOptions, type GroupResult } from "../../../src/host/process.ts";
import { runInPlace } from "../../../src/loop/run-in-place.ts";
import { openPartOf } from "../../../src/adapters/confinement/secrets.ts";
import { watchPlace } from "../../../src/adapters/confinement/watch.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { needs } from "../../support/needs.ts";
import { isAllowed, localServices } from "../../../src/adapters/confinement/host-proxy.ts";

const label = stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const name = array(label, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("."));

test("HOST-PROXY-1: a name allows itself on the web's ports, `*.` all below it and not itself, and no name allows another", () => {
  assert(
    property(name, label, nat(65_535), (host, below, port) => {
      const web = port === 80 || port === 443;
      expect(isAllowed({ host, port }, [host])).toBe(web);
      expect(isAllowed({ host, port }, [`${host}:${port}`])).toBe(true);
      expect(isAllowed({ host: `${below}.${host}`, port: 443 }, [`*.${host}`])).toBe(true);
      expect(isAllowed({ host, port: 443 }, [`*.${host}`])).toBe(false);
      expect(isAllowed({ host: `${below}${host}`, port: 443 }, [host, `*.${host}`])).toBe(false);
      expect(isAllowed({ host: `${host}.${below}`, port: 443 }, [host, `*.${host}`])).toBe(
        `${host}.${below}`.endsWith(`.${host}`),
      );
      expect(isAllowed({ host, port }, [])).toBe(false);
    }),
  );
});

test("an address that a variable names is a host of its client, and one of this machine is forwarded", () => {
  const hosts = hostsOf(
    "claude",
    {
      ANTHROPIC_BASE_URL: "http://127.0.0.1:8787/v1",
      OPENAI_BASE_URL: "https://x.example",
    },
    "/nowhere",
  );
  expect(hosts).toContain("127.0.0.1:8787");
  expect(hosts.join()).not.toContain("x.example");
  expect(localServices(hosts)).toEqual(["127.0.0.1:8787"]);
  expect(hostsOf("check", { ANTHROPIC_BASE_URL: "http://127.0.0.1:8787" }, "/nowhere")).toEqual([]);
});

test("the environment is a list: no secret passes but a client's own, and what a person names", () => {
  const secrets = ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "npm_config__authToken", "NODE_AUTH_TOKEN"];
  const sockets = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "DOCKER_HOST"];
  const env = Object.fromEntries(
    [...secrets, ...sockets, "PATH", "LANG", "ANTHROPIC_API_KEY"].map((key) => [key, "x"]),
  );
  expect(Object.keys(environmentFor("check", env, []))).toEqual(["PATH", "LANG"]);
  expect(Object.keys(environmentFor("claude", env, []))).toEqual(["PATH", "LANG", "ANTHROPIC_API_KEY"]);
  expect(Object.keys(environmentFor("command", env, ["GITHUB_TOKEN"]))).toEqual(["GITHUB_TOKEN", "PATH", "LANG"]);
  assert(
    property(dictionary(string(), string()), (other) => {
      const passed = environmentFor("check", other, []);
      for (const [key, value] of Object.entries(passed)) expect(other[key]).toBe(value);
    }),
  );
});

test("a container's command line: no network, no rights, the project's path, limits, and nothing of this machine's paths", () => {
  const args = containerArguments(
    { engine: "docker", image: "node:22", name: "one" },
    {
      limits: { ...limitsHere({ memory: 1024 ** 2 }), processes: 7 },
      mounts: [
        { from: "/w", at: "/p", writes: true },
        { from: "/g", at: "/p/.git", writes: false },
      ],
      inside: "/p/sub",
      passed: ["LANG", "MY_KEY"],
      env: { HTTP_PROXY: "http://127.0.0.1:1" },
      command: ["sh", "-c", "true"],
    },
  );
  const line = args.join(" ");
  for (const part of ["--network none", "--cap-drop ALL", "--read-only", "--memory 1048576b", "--pids-limit 7"])
    expect(line).toContain(part);
  expect(line).toContain("--mount type=bind,source=/w,target=/p --mount type=bind,source=/g,target=/p/.git,readonly");
  expect(line).toContain("--env LANG --env MY_KEY --env HOME=");
  expect(args.slice(args.indexOf("node:22"))).toEqual(["node:22", "sh", "-c", "true"]);
  expect(args.slice(args.indexOf("--workdir"))[1]).toBe("/p/sub");
});

const OPTIONS = {
  root: process.cwd(),
  home: "/nowhere",
  own: [],
  allow_write: [],
  allow_domains: [],
  allow_env: [],
  hidden: [],
  limits: {},
  platform: "win32" as const,
};

test("a machine without any: `require` is refused with the next step, `auto` says loudly that there is none", async () => {
  const required = await findConfinement({ ...OPTIONS, setting: "require" });
  expect(required.ok).toBe(false);
  if (!required.ok) expect(required.problems[0]?.message).toMatch(/no sandbox on this machine/);
  const automatic = await findConfinement({ ...OPTIONS, setting: "auto" });
  if (!automatic.ok) throw new Error("refused");
  expect(automatic.value.kind).toBe("none");
  expect(automatic.value.summary).toMatch(/^sandbox: none on this machine/);
});

test("a set-up reaches the registries of the package managers that its command names, of all where it names none, and those of the person's settings", async () => {
  const home = temporaryFolder();
  writeFileSync(
    join(home, ".npmrc"),
    "registry=https://npm.example.org:8443/\n//npm.example.org/:_authToken=x\n; registry=https://old.example\n",
  );
  writeFileSync(join(home, "pip.conf"), "");
  const options = {
    env: { PIP_INDEX_URL: "http://me:word@pip.example.org/simple" },
    home,
    textIn: async (path: string) => textAt(join(home, path)),
  };
  const npm = await registriesFor("npm ci", options);
  expect(npm).toContain("registry.npmjs.org");
  expect(npm).toContain("npm.example.org:8443");
  expect(npm.join()).not.toMatch(/pypi|old\.example|pip\.example/);
  const pip = await registriesFor(".venv/bin/pip install -e .", options);
  expect(pip).toEqual(expect.arrayContaining(["pypi.org", "files.pythonhosted.org", "pip.example.org:80"]));
  expect(await registriesFor("make deps", options)).toEqual(expect.arrayContaining([...npm, ...pip]));
});

test("settings of package managers are seen without credentials, another hidden file not at all", () => {
  const home = temporaryFolder();
  const npmrc = join(home, ".npmrc");
  writeFileSync(
    npmrc,
    "registry=https://a:b@r.example/\n//r.example/:_authToken=t\nstrict-ssl=false\n_password=p\nemail=e\n",
  );
  expect(openPartOf(npmrc)).toBe("registry=https://r.example/\nstrict-ssl=false\n");
  expect(openPartOf(join(home, ".netrc"))).toBe(null);
});

test("a socket of the machine is hidden, and one that goes while a place is made keeps none from being entered", async () => {
  needs("bwrap", "unshare");
  // Where nothing is private or a copy: what is there in a place is the machine's.
  const folder = mkdtempSync(join(process.getuid?.() === 0 ? "/opt" : homedir(), ".aot-socket-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const listening = async (name: string): Promise<void> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, name), resolve));
    onTestFinished(() => void server.close());
  };
  await listening("stays");
  await listening("goes");
  const root = temporaryFolder();
  const place = createNamespace({ ...OPTIONS, root, home: temporaryFolder() });
  onTestFinished(() => place.close());
  const script = `test -S "${folder}/stays" && echo reached; echo done`;
  const entered = await place.enter(
    { command: script, shell: true, cwd: root, env: process.env },
    { user: "check", writes: true },
  );
  if (!entered.ok) throw new Error(entered.reason);
  rmSync(join(folder, "goes"));
  const ran = await runGroup({ ...entered.start, timeout_ms: 20_000 });
  await entered.leave(false);
  expect(ran).toMatchObject({ exit_code: 0, output: "done\n" });
});

test("however many dependencies are shown, a place is entered: its processes are looked up by their own numbers", async () => {
  needs("bwrap", "unshare");
  const root = temporaryFolder();
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: root });
  writeFileSync(join(root, ".gitignore"), "node_modules\nwork\n");
  // Each dependency takes a number; the machine has no process of some.
  const free = Array.from({ length: 60 }, (_, at) => at + 8).find((pid) => !existsSync(`/proc/${pid}`)) ?? 20;
  for (let count = 1; count <= free; count++) {
    mkdirSync(join(root, `p${count}`));
    writeFileSync(join(root, `p${count}`, "package.json"), "{}");
  }
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  git("worktree", "add", "-q", "--detach", join(root, "work"));
  const cwd = join(root, "work");
  for (let count = 1; count <= free; count++) {
    mkdirSync(join(root, `p${count}`, "node_modules", "x"), { recursive: true });
    writeFileSync(join(root, `p${count}`, "node_modules", "x", "index.js"), "");
    if (count < free - 6) continue;
    const place = createNamespace({ ...OPTIONS, root, home: temporaryFolder() });
    const entered = await place.enter(
      { command: "echo done", shell: true, cwd, env: process.env },
      { user: "check", writes: true },
    );
    if (!entered.ok) throw new Error(entered.reason);
    const ran = await runGroup({ ...entered.start, timeout_ms: 20_000 });
    await entered.leave(false);
    await place.close();
    expect(ran, `${count} dependencies`).toMatchObject({ exit_code: 0, output: "done\n" });
  }
});

test("git in a clone that borrows the project's own objects finds all of them, and says nothing else", async () => {
  needs("bwrap", "unshare");
  const root = temporaryFolder();
  const cwd = join(temporaryFolder(), "clone");
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: root });
  git("init", "-q");
  for (const text of ["first", "second"]) {
    writeFileSync(join(root, "a"), text);
    git("add", "-A");
    git("commit", "-q", "-m", text);
  }
  git("clone", "-q", "--shared", root, cwd);
  const place = createNamespace({ ...OPTIONS, root, home: temporaryFolder() });
  onTestFinished(() => place.close());
  const script =
    "git log --format=%s && git diff --stat HEAD~1 && echo third >a && git add a && git stash create | wc -c";
  expect(await printed(place, script, cwd)).toBe(
    "second\nfirst\n a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n41\n",
  );
});

test("SPEC 7, 15: an attempt's git directory is its to spoil: what it adds counts, and what it breaks leads nobody elsewhere", async () => {
  needs("bwrap", "unshare");
  const root = temporaryFolder();
  const cwd = join(root, "work");
  const git = (folder: string, ...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: folder, encoding: "utf8" });
  git(root, "init", "-q");
  writeFileSync(join(root, ".gitignore"), "*.log\nwork\n");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "first");
  git(root, "clone", "-q", "--shared", root, cwd);
  writeFileSync(join(root, "secret"), "the person's");
  const place = createNamespace({ ...OPTIONS, root, home: temporaryFolder() });
  onTestFinished(() => place.close());
  const run = (command: string): Promise<string> => printed(place, command, cwd, "command");
  expect(await run("echo x >a.log; git add -f a.log; git tag mine; git log --format=%s")).toBe("first\n");
  expect(git(cwd, "ls-files")).toBe(".gitignore\na.log\n");
  expect(git(root, "tag")).toBe("");
  await run(`echo ${root} >.git/objects/info/alternates; rm -rf .git/objects/info; ln -s ${root} .git/objects/info`);
  expect(await run("rm -rf .git 2>&1 | grep -c busy >/dev/null; ls")).toBe("a.log\n");
  expect(await run("echo more >b.log; ls; cat secret 2>/dev/null")).toBe("a.log\nb.log\n");
  expect(existsSync(join(root, "b.log"))).toBe(false);
});

/** What a shell command prints in a place. */
async function printed(
  place: ReturnType<typeof createNamespace>,
  command: string,
  cwd: string,
  user: "check" | "command" = "check",
): Promise<string> {
  const start = { command, shell: true, cwd, env: process.env };
  const how = { ...place, refusals: new Map<string, readonly string[]>(), kind: "namespace", summary: "" } as const;
  return (await runInPlace({ ...start, timeout_ms: 20_000 }, { user, writes: true }, how)).output;
}

test("git shows the commit that a work tree is at, each time that a place is entered", async () => {
  needs("bwrap", "unshare");
  const root = temporaryFolder();
  const cwd = join(temporaryFolder(), "clone");
  const git = (folder: string, ...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: folder, encoding: "utf8" });
  git(root, "init", "-q");
  git(root, "commit", "-q", "--allow-empty", "-m", "first");
  git(root, "clone", "-q", root, cwd);
  const place = createNamespace({ ...OPTIONS, root, home: temporaryFolder() });
  onTestFinished(() => place.close());
  for (const how of ["--detach", "-Bbranch"]) {
    git(cwd, "checkout", "-q", how);
    for (const text of ["second", "third"]) {
      git(cwd, "commit", "-q", "--allow-empty", "-m", text);
      expect(await printed(place, "git rev-parse HEAD", cwd)).toBe(git(cwd, "rev-parse", "HEAD"));
    }
  }
});

test("a tool's cache among temporary files is seen as a copy on write, and nothing else of them", async () => {
  needs("bwrap", "unshare");
  const root = temporaryFolder();
  const name = `jest_${process.pid}`;
  const [cache, other] = [join(tmpdir(), name), join(tmpdir(), `other_${process.pid}`)];
  onTestFinished(() => [cache, other].forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  for (const folder of [cache, other]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "kept"), "kept\n");
  }
  const place = createNamespace({ ...OPTIONS, root, home: temporaryFolder() });
  onTestFinished(() => place.close());
  const command = `cd /tmp/${name} && ls && cat kept && echo more >>kept && echo new >new && wc -l <kept`;
  for (let time = 0; time < 2; time++) expect(await printed(place, command, root)).toBe("kept\nkept\n2\n");
  expect(await printed(place, "ls /tmp", root)).not.toContain("other_");
  expect(readdirSync(cache)).toEqual(["kept"]);
  expect(readFileSync(join(cache, "kept"), "utf8")).toBe("kept\n");
});

/** What a program came to in a namespace of these limits. */
async function limited(
  script: string,
  limits: Parameters<typeof createNamespace>[0]["limits"],
): Promise<{ readonly ran: GroupResult; readonly refused: readonly string[] }> {
  const root = temporaryFolder();
  const place = createNamespace({ ...OPTIONS, root, home: temporaryFolder(), limits });
  onTestFinished(() => place.close());
  const start = { command: process.execPath, args: ["-e", script], cwd: root, env: process.env };
  const refusals = new Map<string, readonly string[]>();
  const use = { user: "check", writes: true, call: "A1.1" } as const;
  const ran = await runInPlace({ ...start, timeout_ms: 50_000 }, use, {
    ...place,
    refusals,
    kind: "namespace",
    summary: "",
  });
  return { ran, refused: refusals.get("A1.1") ?? [] };
}

const MEMORY = 400 * 1024 ** 2;
/** A process for each of these counts of MB, which it keeps for ever. */
const hold = (megabytes: readonly number[]): string => `
  const hold = (mb) => { globalThis.held = Buffer.alloc(mb * 1024 * 1024, 1); setInterval(() => {}, 1000); };
  for (const mb of ${JSON.stringify(megabytes)})
    require("node:child_process").spawn(process.execPath, ["-e", "(" + hold + ")(" + mb + ")"], { stdio: "ignore" });`;

test("SPEC 15: a place that is ended takes no other one's processes, whose number begins with its own", async () => {
  needs("sleep");
  const stay = (mark: string): GroupOptions => ({
    command: "/bin/sh",
    args: ["-c", "sleep 3; echo $?", mark],
    cwd: "/",
  });
  const watch = watchPlace("/place/1", { processes: 4_096, full: () => "the disk is full" });
  const [ended, other] = await Promise.all([runGroup(stay("/place/1")), runGroup(stay("/place/10"))]);
  expect(watch.stop()).toEqual(["the disk is full"]);
  expect(ended.stdout).toBe("137\n");
  expect(other.stdout).toBe("0\n");
});

test("SPEC 15: what all processes of a place have together is bounded, and its end says why", async () => {
  needs("bwrap", "unshare");
  const { ran, refused } = await limited(hold([150, 150, 150]), { memory: MEMORY });
  expect(ran).toMatchObject({ exit_code: null, signal: "SIGKILL", timed_out: false });
  expect(refused).toEqual([expect.stringContaining("more than 400 MB of memory")]);
});

test("SPEC 15: a disk that runs full ends what is running, and its end says why", async () => {
  needs("bwrap", "unshare");
  const { ran, refused } = await limited(hold([1]), { full: () => "only 7 MB are free" });
  expect(ran).toMatchObject({ exit_code: null, signal: "SIGKILL", timed_out: false });
  expect(refused).toEqual(["only 7 MB are free"]);
});

test("a program may start as many others as its limits say, at once and one after another", async () => {
  needs("bwrap", "unshare");
  const most = Math.min(4_096, Math.floor(Number(readFileSync("/proc/sys/kernel/pid_max", "utf8")) / 16));
  expect(limitsHeld({})).toContain(`at most ${most} processes`);
  // Each shell has its child beside it: more numbers than a kernel keeps back; then 300 processes at a time.
  const shell = `i=0; while [ $i -lt 400 ]; do sh -c 'true & wait' || exit 1; i=$((i+1)); done
    i=0; while [ $i -lt 300 ]; do sleep 2 & i=$((i+1)); done; wait; echo done`;
  const script = `process.stdout.write(require("node:child_process").execFileSync("sh", ["-c", ${JSON.stringify(shell)}]))`;
  const { ran } = await limited(script, {});
  expect(ran).toMatchObject({ exit_code: 0, output: "done\n" });
});

test("memory that processes share is counted once, and what is within its limits is left alone", async () => {
  needs("bwrap", "unshare");
  // Each forked shell has the first one's memory as its own: together far more than the limit, if it were counted for each.
  const python = `import os, time
held = bytearray(120 * 1024 ** 2)
for at in range(6):
    if os.fork() == 0: time.sleep(4); os._exit(0)
for at in range(6): os.wait()
print("done")`;
  needs("python3");
  const script = `process.stdout.write(require("node:child_process").execFileSync("python3", ["-c", ${JSON.stringify(python)}]))`;
  const { ran, refused } = await limited(script, { memory: MEMORY });
  expect(ran).toMatchObject({ exit_code: 0, stdout: "done\n" });
  expect(refused).toEqual([]);
});
