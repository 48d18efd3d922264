/** Runs in a sandbox, by the command (SPEC section 15): what attempts, checks and set-up have, and what is said of it. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { aot, aotPath, cleanEnv, type Ran } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { commitAll } from "../support/git.ts";
import { needs } from "../support/needs.ts";

beforeEach(() => needs("bwrap", "unshare"));

interface Project {
  readonly dir: string;
  readonly home: string;
  git(...args: readonly string[]): string;
  /** `aot run "GOAL"` with the sandbox as it is by default. */
  run(agent: string, check: string, more?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
}

/** What the other tests turn off is as a person has it. */
const BY_DEFAULT = ({ home }: Pick<Project, "home">): Readonly<Record<string, string>> => ({
  HOME: home,
  AOT_SANDBOX: "",
});

function projectOf(files: Readonly<Record<string, string>>): Project {
  const base = temporaryFolder();
  const [dir, home] = [join(base, "project"), join(base, "home")];
  for (const folder of [dir, home]) mkdirSync(folder);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], { cwd: dir, encoding: "utf8", env: { ...cleanEnv(), HOME: home } }).trim();
  for (const [name, text] of Object.entries({
    ".gitignore": ".claude\nnode_modules\n__pycache__\n.venv\ndeps\n",
    ...files,
  })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  commitAll(dir);
  return {
    dir,
    home,
    git,
    run: (agent, check, more = [], env = {}) =>
      aot(["run", "the goal", "--check", check, "--agent", `command:${agent}`, "--yes", "--set=trust=0", ...more], {
        cwd: dir,
        env: { ...BY_DEFAULT({ home }), ...env },
      }),
  };
}

async function service(): Promise<{ readonly server: Server; readonly address: string }> {
  const server = createServer((_, response) => void response.end("reached"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

const logsOf = ({ dir }: Project): string => {
  const logs = join(dir, ".claude/aot-loop/logs");
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("\n");
};

test("by default a run is confined where the machine can, and its first lines say so, once", async () => {
  const project = projectOf({});
  const ran = await project.run("echo x > done", "test -f done");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out.split("\n").slice(0, 4).join("\n")).toContain("sandbox Linux namespaces");
  expect(ran.out.match(/sandbox:? Linux namespaces/g)).toHaveLength(1);
  const again = await aot(["run", "--restart", "--agent", "command:true"], {
    cwd: project.dir,
    env: BY_DEFAULT({ home: project.home }),
  });
  expect(again.out.match(/sandbox:? Linux namespaces/g), "where nobody is asked the run itself says it").toHaveLength(
    1,
  );
});

test("a set-up command writes to its worktree only, reads no secret and reaches registries only; what it installs is there for agent and check", async () => {
  const project = projectOf({
    "install.sh": [
      "mkdir -p deps && echo installed > deps/lib",
      'echo out > "$OUTSIDE/planted"; echo out > "$HOME/planted"; cat "$HOME/.ssh/id"; cat "$HOME/.npmrc"',
      'node -e "fetch(process.argv[1]).then(r=>r.text()).then(console.log,console.log)" "$SERVICE"',
      'cat "$AOT_ROOT/node_modules/dep/index.js"',
    ].join("\n"),
  });
  const outside = temporaryFolder();
  mkdirSync(join(project.home, ".ssh"));
  writeFileSync(join(project.home, ".ssh/id"), "the key");
  writeFileSync(
    join(project.home, ".npmrc"),
    "registry=https://me:word@npm.example.org/\n//npm.example.org/:_authToken=the-token\n",
  );
  mkdirSync(join(project.dir, "node_modules/dep"), { recursive: true });
  writeFileSync(join(project.dir, "node_modules/dep/index.js"), "a dependency of the checkout");
  const { server, address } = await service();
  try {
    const env = {
      AOT_SETUP: "sh install.sh",
      AOT_ALLOW_ENV: "OUTSIDE,SERVICE",
      OUTSIDE: outside,
      SERVICE: `http://${address}/`,
    };
    const ran = await project.run("cat deps/lib > done", "grep installed done && test -f deps/lib", [], env);
    expect(ran).toMatchObject({ code: 0 });
    expect(existsSync(join(outside, "planted"))).toBe(false);
    expect(existsSync(join(project.home, "planted"))).toBe(false);
    const logs = logsOf(project);
    expect(logs).not.toMatch(/the key|the-token|me:word|reached/);
    expect(logs).toContain("registry=https://npm.example.org/");
    expect(logs).toContain("a dependency of the checkout");
  } finally {
    server.close();
  }
});

test("with the lock file of the checkout its packages are there, as they are; where an attempt changes it the verdict has what it says, installed in the sandbox", async () => {
  const project = projectOf({
    "package.json": JSON.stringify({ name: "own", version: "1.0.0", scripts: { postinstall: "node install.mjs" } }),
    "package-lock.json": JSON.stringify({
      name: "own",
      version: "1.0.0",
      lockfileVersion: 3,
      packages: { "": { name: "own", version: "1.0.0", hasInstallScript: true } },
    }),
    "install.mjs": [
      'import { mkdirSync, writeFileSync } from "node:fs";',
      'mkdirSync("node_modules", { recursive: true });',
      'writeFileSync("node_modules/stamp", `${Math.random()}`);',
      "try { writeFileSync(`${process.env.OUTSIDE}/planted`, ''); } catch {}",
    ].join("\n"),
  });
  mkdirSync(join(project.dir, "node_modules"));
  writeFileSync(join(project.dir, "node_modules/stamp"), "the person's");
  const outside = temporaryFolder();
  const agent = "cp node_modules/stamp done; sed -i s/1.0.0/1.0.1/ package.json package-lock.json";
  const ran = await project.run(agent, "grep person done && ! grep person node_modules/stamp", [], {
    AOT_ALLOW_ENV: "OUTSIDE",
    OUTSIDE: outside,
  });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toContain("set-up  npm ci (package-lock.json), where");
  expect(existsSync(join(outside, "planted"))).toBe(false);
  expect(readFileSync(join(project.dir, "node_modules/stamp"), "utf8")).toBe("the person's");
  expect(existsSync(join(project.dir, ".claude/aot-loop/set-up"))).toBe(false);
});

test("SHARED-INSTALL-1: what a run installs is shown in each of its places and copied to none, and what one writes no other sees", async () => {
  const lock = JSON.stringify({ name: "own", version: "1.0.0", lockfileVersion: 3, packages: {} });
  const project = projectOf({
    "package.json": JSON.stringify({ name: "own", version: "1.0.0", scripts: { postinstall: "node install.mjs" } }),
    "package-lock.json": lock,
    "install.mjs": [
      'import { mkdirSync, writeFileSync } from "node:fs";',
      'mkdirSync("node_modules", { recursive: true });',
      'writeFileSync("node_modules/stamp", `${Math.random()}\n`);',
    ].join("\n"),
  });
  // The person's packages belong to another lock file than the commit's.
  writeFileSync(join(project.dir, "package-lock.json"), `${lock}\n`);
  mkdirSync(join(project.dir, "node_modules"));
  writeFileSync(join(project.dir, "node_modules/stamp"), "the person's\n");
  const shown = "grep -q '/node_modules .* overlay ' /proc/self/mountinfo";
  const agent = `${shown} && cat node_modules/stamp > done && echo forged > node_modules/stamp`;
  const ran = await project.run(agent, `${shown} && ! grep person done && cmp done node_modules/stamp`);
  expect(ran).toMatchObject({ code: 0 });
});

test("SPEC 16: a lock file that git ignores asks for no install: the checkout's packages are there", async () => {
  const project = projectOf({
    ".gitignore": ".claude\nnode_modules\npackage-lock.json\n",
    "package.json": JSON.stringify({ name: "own", version: "1.0.0" }),
  });
  writeFileSync(join(project.dir, "package-lock.json"), "{}");
  mkdirSync(join(project.dir, "node_modules"));
  writeFileSync(join(project.dir, "node_modules/stamp"), "the person's\n");
  const ran = await project.run("cp node_modules/stamp done", "grep person done && grep person node_modules/stamp");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out + ran.err).not.toContain("without an install");
});

test("SPEC 16: without a lock file a dependency that an attempt adds is installed for the verdict", async () => {
  const project = projectOf({
    ".gitignore": ".claude\nnode_modules\npackage-lock.json\n",
    "package.json": JSON.stringify({ name: "own", version: "1.0.0", dependencies: {} }),
    "vendor/more/package.json": JSON.stringify({ name: "more", version: "1.0.0", main: "index.js" }),
    "vendor/more/index.js": "console.log('more');\n",
  });
  mkdirSync(join(project.dir, "node_modules"));
  const agent = `sed -i 's#"dependencies":{}#"dependencies":{"more":"file:vendor/more"}#' package.json`;
  const ran = await project.run(agent, "node -e \"require('more')\" | grep more");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toContain(
    "set-up  npm install (package.json), where your packages are not shown or its dependencies",
  );
  expect(existsSync(join(project.dir, "node_modules/more"))).toBe(false);
});

test("SPEC 16: what a package leads to and its script `prepare` makes is made of each place's own files, with the packages there", async () => {
  const project = projectOf({
    ".gitignore": ".claude\nnode_modules\ndist\n",
    "package.json": JSON.stringify({
      name: "own",
      version: "1.0.0",
      exports: { types: "./dist/main.d.ts", import: "./dist/main.mjs" },
      scripts: { prepare: "node node_modules/builder.mjs" },
    }),
    "main.mjs": "export const answer = 41;\n",
  });
  mkdirSync(join(project.dir, "node_modules"));
  writeFileSync(
    join(project.dir, "node_modules/builder.mjs"),
    'import { copyFileSync, mkdirSync } from "node:fs"; mkdirSync("dist"); copyFileSync("main.mjs", "dist/main.mjs");\n',
  );
  mkdirSync(join(project.dir, "dist"));
  writeFileSync(join(project.dir, "dist/main.mjs"), "export const answer = 41;\n");
  const ran = await project.run("sed -i s/41/42/ main.mjs", "grep 42 dist/main.mjs");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toContain("dependencies change; npm run prepare in each fresh folder;");
  const by = { AOT_SETUP: "npm run prepare" };
  const named = await project.run("sed -i s/42/43/ main.mjs", "grep 43 dist/main.mjs", [], by);
  expect(named, "as the setting").toMatchObject({ code: 0 });
  expect(project.git("status", "--porcelain")).toBe("");
  expect(readFileSync(join(project.dir, "dist/main.mjs"), "utf8")).toContain("41");
});

test("who only reads has a place, too, where the checkout has dependencies and its folder has none", async () => {
  const project = projectOf({});
  mkdirSync(join(project.dir, "node_modules/dep"), { recursive: true });
  writeFileSync(join(project.dir, "node_modules/dep/index.js"), "");
  const ran = await project.run("true", "test -f done", ["--max-iterations", "3"]);
  expect(ran.out).toContain("planner");
  expect(ran.out + ran.err).not.toContain("could not be entered");
});

test("a program that the command line of agent or check names below the temporary folder is there, with what lies beside it", async () => {
  const project = projectOf({});
  const tools = join(temporaryFolder(), "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "part.mjs"), 'export const text = "worked";\n');
  writeFileSync(
    join(tools, "agent.mjs"),
    'import { writeFileSync } from "node:fs"; import { text } from "./part.mjs"; writeFileSync("done", text);\n',
  );
  writeFileSync(join(tools, "check.sh"), "grep -q worked done\n");
  expect(await project.run(`node ${tools}/agent.mjs`, `sh "${tools}/check.sh"`)).toMatchObject({ code: 0 });
});

test("files lie at the project's own path: an editable install and links mean the attempt's files, and the checkout is not touched", async () => {
  needs("python3");
  const project = projectOf({ "src/mod.py": "VALUE = 1\n", "packages/lib/index.js": "module.exports = 1;\n" });
  const { dir } = project;
  execFileSync("python3", ["-m", "venv", "--without-pip", ".venv"], { cwd: dir });
  const site = execFileSync(join(dir, ".venv/bin/python"), ["-c", "import site; print(site.getsitepackages()[0])"], {
    cwd: dir,
  });
  writeFileSync(join(String(site).trim(), "project.pth"), `${join(dir, "src")}\n`);
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(join(dir, "packages/lib"), join(dir, "node_modules/lib"));
  // It works in the person's checkout by its whole path, as agents do that follow an import.
  const agent = `echo VALUE = 2 > ${dir}/src/mod.py; echo 'module.exports = 2;' > ${dir}/packages/lib/index.js`;
  const check = `.venv/bin/python -c 'import mod; assert mod.VALUE == 2' && node -e 'process.exit(require("lib") === 2 ? 0 : 1)'`;
  const ran = await project.run(agent, check, ["--no-merge"]);
  expect(ran).toMatchObject({ code: 0 });
  expect(project.git("status", "--porcelain")).toBe("");
  expect(readFileSync(join(dir, "src/mod.py"), "utf8")).toBe("VALUE = 1\n");
  expect(project.git("for-each-ref", "--format=%(refname)", "refs/heads/aot")).not.toBe("");
});

test("a check that refuses paths below a folder with a dot passes: neither attempt nor verdict lies in one", async () => {
  const project = projectOf({
    "check.cjs":
      'const fs = require("fs");\nprocess.exit(fs.existsSync("done") && !/\\/\\.[^/]/.test(process.cwd()) ? 0 : 1);\n',
  });
  expect(await project.run("node -e 'process.chdir(\".\")'; echo x > done", "node check.cjs")).toMatchObject({
    code: 0,
  });
});

test("what was refused is in the next attempt's prompt and in the receipt", async () => {
  const project = projectOf({});
  const agent =
    "cat > request; touch /etc/aot-refused; grep -q 'writing to /etc/aot-refused is not allowed here' request && echo x > done";
  const ran = await project.run(agent, "test -f done");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toMatch(/A1\.1: writing to \/etc\/aot-refused is not allowed here/);
});

test("a check reaches no service of this machine, but those that it names", async () => {
  const { server, address } = await service();
  try {
    const check = `test -f done && node -e "fetch('http://${address}').then(()=>process.exit(0),()=>process.exit(1))"`;
    const stops = ["--max-iterations", "1"];
    const alone = await projectOf({}).run("echo x > done", check, stops);
    expect(alone.code).toBe(12);
    const connected = projectOf({});
    const env = BY_DEFAULT(connected);
    const align = ["align", "the goal", "--check", check, "--network", address, "--trust", "0", "--yes"];
    expect(await aot(align, { cwd: connected.dir, env })).toMatchObject({ code: 0 });
    const agent = ["--agent", "command:echo x > done"];
    expect(await aot(["run", ...agent, ...stops], { cwd: connected.dir, env })).toMatchObject({ code: 0 });
  } finally {
    server.close();
  }
});

test("without bubblewrap `auto` says loudly that there is none and what to install, `require` does not begin", async () => {
  const bin = temporaryFolder();
  for (const name of ["git", "sh", "node", "unshare", "mount", "touch"])
    symlinkSync(execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(), join(bin, name));
  const env = { PATH: bin };
  const automatic = await projectOf({}).run("touch done", "test -f done", [], env);
  expect(automatic).toMatchObject({ code: 0 });
  expect(automatic.out + automatic.err).toMatch(
    /sandbox:? none on this machine.*bubblewrap is not installed.*apt install/,
  );
  const project = projectOf({});
  const required = await project.run("touch done", "test -f done", ["--sandbox", "require"], env);
  expect(required.code).toBe(2);
  expect(required.err).toMatch(/there is no sandbox on this machine.*bubblewrap is not installed/);
  expect(existsSync(join(project.dir, ".claude/aot-loop-state.md"))).toBe(false);
});

test("before any work each check is run in a fresh place as well, and what fails otherwise there is refused with what helps", async () => {
  const { server, address } = await service();
  try {
    const project = projectOf({
      ".gitignore": ".claude\nconfig.local\n",
      "configured.cjs": 'process.exit(require("fs").existsSync("config.local") ? 1 : 3);\n',
      "reaches.cjs": `fetch("http://${address}").then(() => process.exit(1), (error) => (console.log(error.cause), process.exit(1)));\n`,
      "asks.cjs": "process.exit(process.env.SERVICE_URL ? 1 : 3);\n",
      "agrees.cjs": "process.exit(process.env.PYTEST_ADDOPTS ? 1 : 3);\n",
    });
    writeFileSync(join(project.dir, "config.local"), "");
    const env = { ...BY_DEFAULT(project), SERVICE_URL: "x", PYTEST_ADDOPTS: "-v" };
    const checks = ["node configured.cjs", "node reaches.cjs", "node asks.cjs", "node agrees.cjs"].flatMap((one) => [
      "--check",
      one,
    ]);
    const ran = await aot(["align", "the goal", ...checks, "--yes"], { cwd: project.dir, env });
    expect(ran).toMatchObject({ code: 1 });
    const warned = (ran.out + ran.err).split("\n").filter((line) => line.startsWith("warning"));
    expect(warned).toHaveLength(3);
    expect(warned[0]).toMatch(
      /configured\.cjs: fails .*for another reason than here.*\(here exit code 1.* there exit code 3.*\.worktreeinclude/,
    );
    expect(warned[1]).toMatch(/reaches\.cjs: fails .*for another reason.*--network HOST/);
    expect(warned[2]).toMatch(/asks\.cjs: fails .*for another reason.*variable of your environment.*allow_env/);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("aot-fresh-"))).toEqual([]);
  } finally {
    server.close();
  }
});

test("SPEC 12: a guard rule that no commit has holds for the hooks of a client in the sandbox", async () => {
  const project = projectOf({ "a.txt": "1\n" });
  const { dir } = project;
  mkdirSync(join(dir, ".claude"), { recursive: true });
  const rule = `---\nname: no-force\nenabled: true\nevent: bash\naction: block\npattern: push --force\n---\nNever force.\n`;
  writeFileSync(join(dir, ".claude/hookify.no-force.local.md"), rule);
  const call = { hook_event_name: "PreToolUse", session_id: "s", cwd: dir, tool_name: "Bash" };
  const input = JSON.stringify({ ...call, tool_input: { command: "git push --force" } });
  writeFileSync(join(dir, "ask.json"), input);
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "ask");
  const agent = `"${process.execPath}" "${aotPath()}" hook PreToolUse < ask.json > said.txt; ls .claude > seen.txt 2>&1; echo done`;
  expect(await project.run(agent, "grep -q deny said.txt")).toMatchObject({ code: 0 });
  expect(readFileSync(join(dir, "said.txt"), "utf8")).toContain("Never force.");
  // Only what hooks read is there, and not among the attempt's files.
  expect(project.git("show", "--stat", "--format=", "HEAD")).not.toContain("hookify");
});

test("SPEC 16: the repository's hooks run once at the end, confined as checks are, and what they refuse is said", async () => {
  const project = projectOf({ "node_modules/tool/index.js": "" });
  const { dir, home } = project;
  writeFileSync(join(home, "secret"), "");
  const lines = [
    "#!/bin/sh",
    "test -f node_modules/tool/index.js || exit 7",
    `touch '${join(home, "written")}' '${join(dir, "written")}' 2>&1`,
    "git diff --cached --name-only; exit 3",
  ];
  writeFileSync(join(dir, ".git/hooks/pre-commit"), `${lines.join("\n")}\n`, { mode: 0o755 });
  const ran = await project.run("echo x > done", "test -f done");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toMatch(/pre-commit refused it \(exit code 3\)[^]*done/);
  for (const folder of [home, dir]) expect(existsSync(join(folder, "written"))).toBe(false);
  expect(project.git("log", "--format=%s")).toBe("first");
  const without = await project.run("echo x > done", "test -f done", ["--set=hooks=false", "--force"]);
  expect(without).toMatchObject({ code: 0 });
  expect(project.git("show", "HEAD:done")).toBe("x");
});

test("a virtual environment and packages in a folder for temporary files are there with what their programs need", async () => {
  const project = projectOf({});
  const tools = temporaryFolder();
  const files = {
    "venv/pyvenv.cfg": "",
    "venv/lib/answer": "one",
    "venv/bin/first": '#!/bin/sh\ncat "${0%/*}/../lib/answer"\n',
    "node_modules/second/answer": "two",
    "node_modules/.bin/second": '#!/bin/sh\ncat "${0%/*}/../second/answer"\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tools, name)), { recursive: true });
    writeFileSync(join(tools, name), text, { mode: 0o755 });
  }
  const PATH = [join(tools, "venv/bin"), join(tools, "node_modules/.bin"), process.env["PATH"]].join(":");
  const ran = await project.run(
    "first > done; second >> done",
    'test "$(cat done)" = "$(first)$(second)" && test -s done',
    [],
    { PATH },
  );
  expect(ran).toMatchObject({ code: 0 });
  expect(project.git("show", "HEAD:done")).toBe("onetwo");
});

test("SPEC 15: attempts side by side cannot take all processes of a machine", async () => {
  const project = projectOf({});
  const ran = await project.run("cat /proc/sys/kernel/pid_max /proc/self/limits > done", "test -s done");
  expect(ran).toMatchObject({ code: 0 });
  const said = project.git("show", "HEAD:done");
  const limits = [Number(said.split("\n")[0]), Number(/^Max processes +(\d+)/m.exec(said)?.[1] ?? Infinity)];
  const here = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  expect(Math.min(...limits)).toBeLessThanOrEqual(Math.max(301, here / 16));
});
