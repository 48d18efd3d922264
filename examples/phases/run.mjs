// A phase loop from start to completion, in a small real repository in a temporary folder: a plan that a person sends
// back and then approves, a phase that is an AoT loop, and a gate whose checks send the documentation back by
// themselves. The agent's answers and changes are played back; worktrees, merges, checks and gates are real.
//   npm run build && node examples/phases/run.mjs
//   --record   make recording.jsonl anew, by running the scripted agent in worker/
//   --keep     leave the repository where it is
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const bin = process.env.AOT_BIN ?? resolve(here, "../../dist/bin.cjs");
const flags = new Set(process.argv.slice(2));
const recording = join(here, "recording.jsonl");
const dir = mkdtempSync(join(tmpdir(), "aot-phases-"));
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: process.platform === "win32" ? "NUL" : "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Runs a program in the repository and shows what it prints; the example ends if it does not end as expected. */
function run(command, args, { show = true, expect = 0 } = {}) {
  const stdio = show ? "inherit" : "pipe";
  const ran = spawnSync(command, args, { cwd: dir, env: environment, encoding: "utf8", stdio });
  if (ran.status === expect) return ran.stdout ?? "";
  if (!show) process.stderr.write(`${ran.stdout}${ran.stderr}`);
  const ended = ran.status ?? ran.signal ?? ran.error;
  process.stderr.write(
    `${[command, ...args].join(" ")} ended with ${ended}, not ${expect}; the repository is ${dir}\n`,
  );
  process.exit(1);
}

const aot = (words, expect = 0) => run(process.execPath, [bin, "phases", ...words], { expect });
const git = (...args) =>
  run("git", ["-c", "user.name=Example", "-c", "user.email=example@localhost", ...args], { show: false });
const say = (text) => process.stdout.write(`\n== ${text}\n`);
const agent = flags.has("--record")
  ? ["--agent", `command:"${process.execPath}" "${join(here, "worker", "worker.mjs")}"`, "--record", recording]
  : ["--agent", `replay:${recording}`];
/** 16: a person is needed. */
const work = (expect = 16) => aot(["run", "--set=planner=none", ...agent], expect);

if (flags.has("--record")) rmSync(recording, { force: true });
cpSync(join(here, "project"), dir, { recursive: true });
git("init", "--quiet", "--initial-branch=main");
git("add", "--all");
git("commit", "--quiet", "--message", "Tests of a converter");

say("A loop of three phases begins, and works up to the first gate that is a person's");
aot(["init", join(here, "loop.json"), "--task", "a converter of temperatures"]);
work();

say("The person is not content: the phase is worked once more, and hears why");
aot(["reject", "plan-gate", "--reason", "it says nothing of risks"]);
work();

say("Now they are, and the rest goes by itself: an AoT loop as a phase, and a gate that sends one back");
aot(["approve", "plan-gate"]);
work(0);

say("What came of it");
aot(["status"]);
run(process.execPath, ["--test", "tests/convert.test.mjs"], { show: false });
process.stdout.write(git("log", "--oneline"));
if (flags.has("--keep")) process.stdout.write(`\nThe repository is ${dir}\n`);
else rmSync(dir, { recursive: true, force: true });
