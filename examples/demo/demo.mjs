// `npm run demo`: makes a small real repository in a temporary folder, with real failing tests, and works
// a recorded run on it with the real `aot`. The agent's answers and changes are played back; the worktrees,
// merges, the rollback, the checks and the verdict are real.
//   --record   make recording.jsonl anew, by running the scripted agent in worker/
//   --fast     play back without pauses
//   --keep     leave the repository where it is
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const bin = resolve(here, "../../dist/bin.cjs");
const flags = new Set(process.argv.slice(2));
const recording = join(here, "recording.jsonl");
const dir = mkdtempSync(join(tmpdir(), "aot-demo-"));
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: process.platform === "win32" ? "NUL" : "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Runs a program in the repository and shows what it prints; the demo ends if it fails. */
function run(command, args, { show = true, expect = 0 } = {}) {
  const ran = spawnSync(command, args, {
    cwd: dir,
    env: environment,
    encoding: "utf8",
    stdio: show ? "inherit" : "pipe",
  });
  if (ran.status !== expect) {
    if (!show) process.stderr.write(`${ran.stdout}${ran.stderr}`);
    process.stderr.write(
      `demo: ${[command, ...args].join(" ")} ended with ${ran.status ?? ran.signal ?? ran.error}, not ${expect}; the repository is ${dir}\n`,
    );
    process.exit(1);
  }
  return ran.stdout ?? "";
}

const git = (...args) =>
  run("git", ["-c", "user.name=Demo", "-c", "user.email=demo@localhost", ...args], { show: false });
const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[0m` : text);
const say = (text) => process.stdout.write(`\n${bold(text)}\n`);

cpSync(join(here, "project"), dir, { recursive: true });
git("init", "--quiet", "--initial-branch=main");
git("add", "--all");
git("commit", "--quiet", "--message", "Tests of a link shortener, and the legacy one");
mkdirSync(join(dir, ".claude"));
cpSync(join(here, "state.md"), join(dir, ".claude", "aot-loop-state.md"));

say(`A repository with 8 failing tests: ${dir}`);
run(process.execPath, ["--test"], { show: false, expect: 1 });
run(process.execPath, [bin, "status"]);

if (flags.has("--record")) rmSync(recording, { force: true });
const agent = flags.has("--record")
  ? ["--agent", `command:"${process.execPath}" "${join(here, "worker", "worker.mjs")}"`, "--record", recording]
  : ["--agent", `replay:${recording}`, "--set", `replay_speed=${flags.has("--fast") ? 0 : 1}`];
say(flags.has("--record") ? "Recording" : "aot run (a recorded agent is played back)");
run(process.execPath, [bin, "run", ...agent]);

say("What became of the choice that was given up: its work is kept, its tests fail");
const kept = git("for-each-ref", "--format=%(refname:short)", "refs/heads/aot/*/attempt/A4b*").trim().split("\n")[0];
git("worktree", "add", "--quiet", "--detach", join(dir, "given-up"), kept);
const failing = spawnSync(process.execPath, ["--test", "tests/ids.test.mjs"], {
  cwd: join(dir, "given-up"),
  encoding: "utf8",
});
const wrong = /(\d+ !== 10000)/.exec(failing.stdout)?.[1] ?? failing.stdout.slice(-300);
process.stdout.write(`${kept}: node --test tests/ids.test.mjs exits ${failing.status} (${wrong})\n`);
git("worktree", "remove", "--force", join(dir, "given-up"));
if (failing.status !== 1 || readFileSync(join(dir, "src", "ids.mjs"), "utf8").includes("hash")) {
  process.stderr.write("demo: the choice that was given up should fail its tests, and nothing of it should be left\n");
  process.exit(1);
}

say("git log of the result");
process.stdout.write(git("log", "--oneline", "--graph"));
if (flags.has("--keep")) process.stdout.write(`\nThe repository is ${dir}\n`);
else {
  rmSync(dir, { recursive: true, force: true });
  process.stdout.write("\nThe repository is removed; `npm run demo -- --keep` leaves it for you to look at\n");
}
