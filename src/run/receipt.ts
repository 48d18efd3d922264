/** `aot receipt`, and its verification in a stranger's clone (SPEC section 16). */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChecker } from "../adapters/checks/checker.ts";
import { beforeOf, keepTestRecord, readTestRecord, testRecordText } from "../adapters/checks/test-record.ts";
import { verifyBaseCase } from "../adapters/checks/verify.ts";
import { entriesOf, learn, readJournal } from "../adapters/store/journal-reader.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { cleanClone, takeStock } from "../adapters/workspace/clean-clone.ts";
import type { Git } from "../adapters/workspace/git.ts";
import { findRepository, type Repository } from "../adapters/workspace/repository.ts";
import { runSetUp } from "../adapters/workspace/set-up.ts";
import type { AnyLine } from "../core/journal-line.ts";
import { objectIn, type JsonObject } from "../core/reading.ts";
import { accepted, describeProblems, refused, type Result } from "../core/problem.ts";
import type { Objective } from "../core/state.ts";
import { checkNodesOf, isMechanical, type Passed } from "../core/verdict.ts";
import { ownName } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { journalOf } from "../history/loop-log.ts";
import { createStory } from "../history/run-story.ts";
import { commandsOf, setUpOf } from "../project/config-set-up.ts";
import { loadConfig } from "../project/config.ts";
import { projectOf } from "../project/find-state-file.ts";
import { readJsonValue } from "../statefile/read-json-value.ts";
import { OBJECTIVE } from "../statefile/schema.ts";
import { readStatement, statementOf, type Receipt } from "./statement.ts";

/** The statement about the loop of a state file. @param version of this program */
export async function makeReceipt(stateFile: string, version: string): Promise<Result<JsonObject>> {
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const { state } = read.value;
  const journal = journalOf(stateFile);
  const story = learn(journal, createStory());
  const found = await findRepository(projectOf(stateFile));
  if (!found.ok) return refused(found.problem.message, "a receipt is about a commit: work in a repository");
  const { git, version: of } = found.value;
  const tree = await git.run(["rev-parse", "-q", "--verify", `${story.checked?.commit ?? "none"}^{tree}`]);
  const tests = testRecordText(loopPaths(ownName(stateFile)).dir);
  return statementOf(state, story, {
    tree: tree.ok ? tree.stdout.trim() : "",
    base: state.objective.aligned_commit ?? null,
    journal: chainOf(entriesOf(readJournal(journal))),
    environment: {
      node: process.versions.node,
      platform: process.platform,
      arch: process.arch,
      git: `${of.major}.${of.minor}`,
    },
    version,
    ...(tests === null ? {} : { tests }),
  });
}

/** Each line is chained to the one before: nothing can be taken out, put in or changed. */
export function chainOf(lines: Iterable<AnyLine>): { readonly lines: number; readonly chain: string } {
  let [count, chain] = [0, ""];
  for (const line of lines) {
    chain = createHash("sha256")
      .update(`${chain}\n${JSON.stringify(line)}`)
      .digest("hex");
    count++;
  }
  return { lines: count, chain: `sha256:${chain}` };
}

export interface Finding {
  readonly what: string;
  /** null: it could not be looked at here. */
  readonly holds: boolean | null;
  readonly why: string;
}

/**
 * Looks at everything that a receipt says and a clone can show, and runs its checks anew in a clean checkout.
 * @param dir a clone with its commit
 */
export async function verifyReceipt(
  value: unknown,
  dir: string,
  signal: AbortSignal,
): Promise<Result<readonly Finding[]>> {
  const read = readStatement(value);
  if (!read.ok) return read;
  const receipt = read.value;
  const sealed: Finding =
    receipt.changed.length === 0
      ? { what: "seal", holds: true, why: receipt.seal }
      : { what: "seal", holds: false, why: `changed since it was made: ${receipt.changed.join(", ")}` };
  const found = await findRepository(dir);
  if (!found.ok)
    return refused(found.problem.message, "call it in a clone of the repository that the receipt is about");
  const { git } = found.value;
  const { commit, handed_over } = receipt;
  const isHere = async (name: string): Promise<boolean> =>
    (await git.run(["rev-parse", "-q", "--verify", `${name}^{tree}`])).ok;
  // Whoever has the work need not have the loop's own branch.
  const other = handed_over !== undefined && !(await isHere(commit)) ? { commit: handed_over } : {};
  const commits = await commitFindings(git, { ...receipt, ...other });
  const [isThere] = commits;
  if (isThere?.holds !== true) return accepted([sealed, ...commits]);
  return accepted([sealed, ...commits, ...(await verdictFindings(found.value, { ...receipt, ...other }, signal))]);
}

async function commitFindings(git: Git, { commit, handed_over, predicate }: Receipt): Promise<Finding[]> {
  const { tree, base, work } = objectIn(predicate["commits"]) ?? {};
  const found = await git.run(["rev-parse", "-q", "--verify", `${commit}^{tree}`]);
  if (!found.ok) return [{ what: "commit", holds: false, why: `${commit} is not in this clone: fetch it` }];
  const findings: Finding[] = [
    { what: "commit", holds: true, why: commit },
    { what: "tree", holds: found.stdout.trim() === tree, why: found.stdout.trim() },
  ];
  const below = async (what: string, name: unknown): Promise<void> => {
    if (typeof name !== "string") return;
    const is = await git.run(["merge-base", "--is-ancestor", name, commit]);
    findings.push({ what, holds: is.ok, why: is.ok ? name : `${name} is no ancestor of the commit` });
  };
  await below("base", base);
  const own = commit === handed_over ? [] : work;
  for (const one of Array.isArray(own) ? own : []) await below("work", objectIn(one)?.["commit"]);
  return findings;
}

async function verdictFindings(
  repository: Repository,
  { commit, predicate }: Receipt,
  signal: AbortSignal,
): Promise<Finding[]> {
  const read = objectiveIn(predicate);
  if (!read.ok) return [{ what: "base case", holds: false, why: describeProblems(read.problems) }];
  const objective = read.value;
  const [place, record] = await Promise.all([
    mkdtemp(join(tmpdir(), "aot-receipt-")),
    mkdtemp(join(tmpdir(), "aot-receipt-")),
  ]);
  try {
    const dir = join(place, "clone");
    await cleanClone(await takeStock(repository), dir, commit);
    const project = join(dir, repository.prefix);
    const config = await loadConfig(project, {});
    const set_up = config.ok
      ? commandsOf(setUpOf(config.value.settings, join(repository.root, repository.prefix)))
      : null;
    const failed =
      set_up === null
        ? null
        : await runSetUp(set_up, { dir: project, env: process.env, log_file: join(place, "set-up.log"), signal });
    if (failed !== null) return [{ what: "set-up", holds: false, why: failed }];
    const { tests } = predicate;
    if (typeof tests === "string") keepTestRecord(record, { text: tests, digest: objective.aligned_tests ?? "" });
    const before = readTestRecord(record, objective);
    const checker = createChecker({ testsBefore: (check) => beforeOf(before, check) });
    const verdict = await verifyBaseCase(objective.base_case, project, { checker, signal });
    return checkNodesOf(verdict.checklist).map(({ item, check, passed }, at) => ({
      what: `check ${item}`,
      holds: isMechanical(check) ? passed === saidOf(predicate, at) : null,
      why: isMechanical(check) ? `${wordOf(passed)} here` : "a judge or a human decided it: not looked at again",
    }));
  } finally {
    await Promise.all([place, record].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** The goal and its checks, as they were aligned. What its commands do is whoever made the receipt's affair. */
export function objectiveIn(predicate: JsonObject): Result<Objective> {
  // In a state file the prompt is the body.
  const { original_prompt, ...fields } = objectIn(predicate["objective"]) ?? {};
  const read = readJsonValue(fields, OBJECTIVE, "the receipt's objective");
  return read.ok ? accepted({ ...(read.value as Objective), original_prompt: String(original_prompt ?? "") }) : read;
}

function saidOf(predicate: JsonObject, at: number): unknown {
  const { checks } = objectIn(predicate["verdict"]) ?? {};
  return Array.isArray(checks) ? objectIn(checks[at])?.["passed"] : undefined;
}

function wordOf(passed: Passed): string {
  return passed === null ? "not decided" : passed ? "passed" : "failed";
}
