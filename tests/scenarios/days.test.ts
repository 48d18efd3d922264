/**
 * Days of one person and one to three loops in the same repository (SPEC 7), with real git, as a law: every loop ends as it would
 * alone, what it made is on the person's branch or named with the command that brings it, and nothing of the person's is lost.
 */
import * as fc from "fast-check";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runLoop } from "../../src/index.ts";
import type { RunEnd } from "../../src/run/options.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { gitIn } from "../support/git.ts";
import { stageAt, writeFiles, type Stage } from "./stage.ts";

/** What a person does; `even`: in which of two ways. */
const MOVES = {
  edits: ({ root, word }) => appendFileSync(join(root, "mine.txt"), `${word()}\n`),
  notes: ({ root, word }) => writeFileSync(join(root, `${word()}.txt`), word()),
  commits: ({ git }) => {
    git("add", "-A");
    git("commit", "-qm", "mine");
  },
  amends: ({ git }) => git("commit", "-qa", "--amend", "--no-edit", "--allow-empty"),
  pulls: ({ git, colleague, word, even }) => {
    writeFileSync(join(colleague, `${word()}.txt`), word());
    gitIn(colleague, "add", "-A");
    gitIn(colleague, "commit", "-qm", "theirs");
    gitIn(colleague, "push", "-q");
    git("pull", "-q", "--autostash", even ? "--rebase" : "--no-rebase", "origin", "main");
  },
  rebases: ({ git, even }) => git("rebase", "-q", "--autostash", "--force-rebase", ...(even ? ["--root"] : ["HEAD~1"])),
  switches: ({ git }) => {
    const isThere = git("branch", "--list", "feature") !== "";
    if (git("symbolic-ref", "--short", "HEAD") === "feature") git("switch", "-q", "main");
    else git("switch", "-q", ...(isThere ? [] : ["-c"]), "feature");
  },
  stashes: ({ git, even }) => git("stash", ...(even ? ["push", "-qu"] : ["pop", "-q"])),
  builds: ({ root, word }) => appendFileSync(join(root, "dist/out.js"), word()),
  installs: ({ root, word }) => appendFileSync(join(root, "node_modules/pkg/index.js"), word()),
  sets: ({ root, git, even }) => {
    git("config", "pull.rebase", String(even));
    writeFiles(root, { ".vscode/settings.json": "{}" });
  },
  collects: ({ git }) => git("gc", "-q", "--prune=now"),
} satisfies Readonly<Record<string, (day: Person & { readonly even: boolean }) => unknown>>;

interface Person {
  readonly root: string;
  readonly colleague: string;
  git(...args: readonly string[]): string;
  /** A word that nobody wrote before. */
  word(): string;
}

type Does = keyof typeof MOVES;
/** They leave the branch where it is. */
const STILL: readonly Does[] = ["edits", "notes", "stashes", "builds", "installs", "sets", "collects"];
/** `loops`: when each begins; `at`: behind as many journal lines of all loops. */
const days = fc.record({
  loops: fc.array(fc.nat(30), { maxLength: 2 }).map((later) => [0, ...later.toSorted((a, b) => a - b)]),
  moves: fc.array(
    fc.record({ at: fc.nat(45), does: fc.constantFrom(...(Object.keys(MOVES) as Does[])), even: fc.boolean() }),
    { minLength: 1, maxLength: 14 },
  ),
});
type Day = typeof days extends fc.Arbitrary<infer D> ? D : never;

/** Each loop makes two files of its own, side by side. */
const AGENT = `require("node:fs").writeFileSync("loop-" + process.argv[2] + "-" + process.env.AOT_ATOM, "done");
setTimeout(() => {}, process.env.AOT_ATOM === "A1" ? 0 : 150);
`;
const CHECK = `const made = require("node:fs").readdirSync(".").filter((name) => name.startsWith("loop-" + process.argv[2]));
process.exit(made.length === 2 ? 0 : 1);
`;

function stageOfDay(top: string): Stage {
  const base_case = { type: "command", value: `"${process.execPath}" check.cjs K` } as const;
  const files = { "check.cjs": CHECK, "mine.txt": "begun\n", ".gitignore": "dist/\nnode_modules/\n" };
  const stage = stageAt(top, { atoms: [{ id: "A1" }, { id: "A2" }], files, objective: { base_case } });
  writeFiles(stage.root, { ".git/info/exclude": "/.claude/\n", "dist/out.js": "", "node_modules/pkg/index.js": "" });
  stage.git("clone", "-q", "--bare", stage.root, join(top, "origin"));
  stage.git("remote", "add", "origin", join(top, "origin"));
  stage.git("clone", "-q", join(top, "origin"), join(top, "colleague"));
  writeFileSync(join(top, "agent.cjs"), AGENT);
  return stage;
}

async function live(top: string, { loops, moves }: Day): Promise<void> {
  const stage = stageOfDay(top);
  const { root, git } = stage;
  const text = readFileSync(stage.stateFile, "utf8");
  rmSync(stage.stateFile);
  const words: string[] = [];
  const word = (): string => {
    words.push(`word-${words.length}-`);
    return words.at(-1) ?? "";
  };
  /** Every commit that ever was a branch of the person's, by the move after which it was. */
  const theirs = new Map<string, string>();
  const remember = (does: string): void => {
    for (const commit of git("rev-parse", "--exclude=aot/*", "--branches").split("\n"))
      theirs.set(commit, theirs.get(commit) ?? does);
  };
  const done: string[] = [];
  const act = ({ at, does, even }: Day["moves"][number]): void => {
    try {
      MOVES[does]({ root, colleague: join(top, "colleague"), git, word, even });
      done.push(`${at} ${does}`);
    } catch (error) {
      done.push(`${at} ${does}, refused: ${String(error).split("\n")[1]}`);
      // As a person does where git leaves a thing half done.
      for (const what of ["merge", "rebase"]) spawnSync("git", [what, "--abort"], { cwd: root });
    }
    remember(does);
  };

  let ticks = 0;
  const ends = new Map<number, Promise<RunEnd>>();
  const rest = moves.toSorted((a, b) => a.at - b.at);
  const begin = (k: number): void => {
    const stateFile = join(root, `.claude/loop-${k}.md`);
    writeFiles(root, { [`.claude/loop-${k}.md`]: text.replaceAll("check.cjs K", `check.cjs ${k}`) });
    const agent = `command:"${process.execPath}" "${join(top, "agent.cjs")}" ${k}`;
    const options = { ...stage.options({ agent }), stateFile };
    ends.set(k, runLoop(options, { line: tick }));
  };
  const tick = (): void => {
    ticks++;
    for (const [k, at] of loops.entries()) if (at <= ticks && !ends.has(k)) begin(k);
    while (rest[0] !== undefined && rest[0].at <= ticks) rest.splice(0, 1).forEach(act);
  };
  remember("the first commit");
  begin(0);
  for (let over = 0; over < ends.size; over++) {
    await ends.get(over);
    remember("a loop's end");
    // Who was to begin later than all others end begins now.
    if (over + 1 === ends.size && ends.size < loops.length) begin(ends.size);
  }
  for (const move of rest) act(move);
  act({ at: ticks, does: "collects", even: true });

  const places: string[] = [];
  for (const [k, end] of ends) {
    const ended = await end;
    expect(ended, `loop ${k}, beside ${done.join("; ")}`).toMatchObject({ ok: true, exit_code: 0 });
    places.push(ended.ok ? ended.report.place : "");
  }
  const told = `${JSON.stringify(places, null, 1)} beside ${done.join("; ")}`;
  const refs = git("for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
  const files = new Map(refs.map((ref) => [ref, git("ls-tree", "--name-only", ref).split("\n")]));
  for (const [k, place] of places.entries()) {
    const holds = (ref: string): boolean => ["A1", "A2"].every((atom) => files.get(ref)?.includes(`loop-${k}-${atom}`));
    expect(refs.filter(holds), `the work of loop ${k} is on a branch: ${told}`).not.toEqual([]);
    if (place.includes("holds the verified work")) continue;
    expect(loops.length > 1 || moves.some(({ does }) => !STILL.includes(does)), `nothing was in its way: ${told}`).toBe(
      true,
    );
    const [, branch = ""] = /git merge (?:--no-overwrite-ignore )?(aot\/\S+)/.exec(place) ?? [];
    expect(holds(`refs/heads/${branch}`), `loop ${k} names where its work is: ${told}`).toBe(true);
  }
  for (const [commit, does] of theirs) expect(git("cat-file", "-t", commit), `after ${does}: ${told}`).toBe("commit");
  const kept = wordsIn(root, git);
  for (const one of words) expect(kept.includes(one), `${one} of the person's is there: ${told}`).toBe(true);
  const own = existsSync(join(root, ".git/aot-loop")) ? readdirSync(join(root, ".git/aot-loop")) : [];
  expect(own.join(), `a loop's repository that nobody works in: ${told}`).not.toContain(".git");
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  git("fsck", "--no-dangling", "--no-progress");
}

/** All that is in the person's files, ignored or not, and in what their commits and stashes hold. */
function wordsIn(root: string, git: Stage["git"]): string {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !/[\\/]\.(?:git|claude)(?:[\\/]|$)/.test(entry.parentPath),
  );
  const texts = names.map(({ parentPath, name }) => name + readFileSync(join(parentPath, name), "utf8"));
  const commits = git("rev-list", "--all", "--reflog").split("\n");
  const trees = commits.map(
    (commit) => git("ls-tree", "-r", "--name-only", commit) + git("log", "-1", "--format=%B", commit),
  );
  return [...texts, ...trees, git("grep", "-hE", "word-|begun", ...commits)].join("\n");
}

test(
  "SPEC 7: whatever a person does beside loops, all end as they would alone, and nothing is lost",
  { timeout: 7_200_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(days, async (day) => {
        const top = realpathSync(temporaryFolder());
        try {
          await live(top, day);
        } finally {
          rmSync(top, { recursive: true, force: true, maxRetries: 5 });
        }
      }),
      { numRuns: Number(process.env["AOT_MODEL_RUNS"] ?? 6), endOnFailure: true },
    );
  },
);
