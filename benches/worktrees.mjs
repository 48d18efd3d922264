/** What an attempt costs beside its agent, on a repository that is made here: beside bare worktrees and shared clones of git. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleSource } from "../scripts/bundle-source.mjs";
import { median } from "./statistics.mjs";
import { attemptMs, opened } from "./worktrees-attempt.mjs";

const SIZES = { quick: [100, 2_800], whole: [100, 2_800, 57_000] };
const ROUNDS = 5;
const SLOTS = 10;

export async function worktreesRows({ quick, folder }) {
  const bundle = join(folder, "git-workspace.mjs");
  await bundleSource("src/adapters/workspace/git-workspace.ts", bundle);
  const { createGitWorkspace } = await import(pathToFileURL(bundle).href);
  const rows = [];
  for (const files of SIZES[quick ? "quick" : "whole"]) {
    const root = repositoryOf(join(folder, `files-${files}`), files);
    const [bare, clone] = [bareMs, cloneMs].map((ms) => median(Array.from({ length: 3 }, (_, at) => ms(root, at))));
    const { first, later } = await attemptsMs(createGitWorkspace, root);
    const target = files <= 100 ? 60 : files <= 2_800 ? 300 : 1_500;
    rows.push({ what: `${files} files: git worktree add, remove`, figure: bare, unit: "ms" });
    rows.push({ what: `${files} files: git clone --shared, rm`, figure: clone, unit: "ms" });
    rows.push({ what: `${files} files: an attempt, the first of its slot`, figure: first, unit: "ms" });
    rows.push({ what: `${files} files: an attempt, later`, figure: later, unit: "ms", most: target });
    if (files <= 2_800 || process.platform === "win32") continue;
    const many = await slotsIn(folder, root);
    const what = `${files} files, ${SLOTS} slots at once`;
    rows.push({ what: `${what}: an attempt, the first of its slot`, figure: many.first, unit: "ms" });
    rows.push({ what: `${what}: an attempt, later`, figure: many.later, unit: "ms" });
    rows.push({ what: `${what}: disk of a slot`, figure: many.disk_mb, unit: "MB" });
  }
  return rows;
}

async function slotsIn(folder, root) {
  const program = fileURLToPath(new URL("worktrees-slots.mjs", import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [program, folder, root, String(SLOTS)], { encoding: "utf8" }));
}

function repositoryOf(root, files) {
  mkdirSync(root, { recursive: true });
  for (let at = 0; at < files; at++) {
    const dir = join(root, `d${Math.floor(at / 100)}`);
    if (at % 100 === 0) mkdirSync(dir);
    writeFileSync(join(dir, `f${at}.txt`), `${at}\n`.repeat(20));
  }
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", "first");
  return root;
}

function bareMs(root, at) {
  const began = performance.now();
  git(root, "worktree", "add", "-q", "--detach", `${root}-bare-${at}`);
  git(root, "worktree", "remove", "--force", `${root}-bare-${at}`);
  return performance.now() - began;
}

function cloneMs(root, at) {
  const began = performance.now();
  execFileSync("git", ["clone", "-q", "--shared", root, `${root}-clone-${at}`]);
  rmSync(`${root}-clone-${at}`, { recursive: true });
  return performance.now() - began;
}

async function attemptsMs(createGitWorkspace, root) {
  const workspace = await opened(createGitWorkspace, root, "bench");
  const times = [];
  for (let number = 1; number <= ROUNDS; number++) times.push(await attemptMs(workspace, number));
  await workspace.close();
  return { first: times[0] ?? 0, later: median(times.slice(2)) };
}

function git(dir, ...args) {
  return execFileSync("git", ["-C", dir, ...args], { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}
