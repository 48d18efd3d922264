/**
 * What the checks answer in a fresh place before any work (SPEC sections 6, 15 and 16): attempts and verdicts run in such a place,
 * so that it alone decides.
 *
 * FRESH-PLACE-1 what passes there, or cannot run there, proves nothing, whatever the person's checkout says; but where both miss a
 *    file that the work is to make, that is red;
 * FRESH-PLACE-2 where nobody has to wait for it, or the answer looks like one of a place that misses something, the check is run
 *    in the person's checkout, too. What fails in the fresh place alone, or for another reason (same-reason.ts), may never pass by
 *    work: a person decides.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createChecker } from "../adapters/checks/checker.ts";
import { missingFile, missingSetUp } from "../adapters/checks/missing-set-up.ts";
import {
  SPARE_MS,
  whyUnable,
  type RedFirstLeaf,
  type RedFirstOptions,
  type RedFirstReport,
} from "../adapters/checks/red-first.ts";
import { gitOf } from "../adapters/workspace/folder-repository.ts";
import { withoutPlace } from "../adapters/workspace/git.ts";
import { describeProblems } from "../core/problem.ts";
import type { LeafResult } from "../core/verdict.ts";
import { openCheckout, type CheckoutOptions } from "../verify/fresh-checkout.ts";
import { openSandbox, type SandboxTerms } from "../verify/sandbox.ts";
import { isSameReason, reasonOf } from "./same-reason.ts";

/** How a run makes its places. */
export interface PlaceTerms extends Pick<CheckoutOptions, "set_up"> {
  readonly sandbox: SandboxTerms;
  /** The caller says itself what confines the run. */
  readonly is_said?: true;
}

type Warning = RedFirstReport["warnings"][number];

interface Looking {
  readonly dir: string;
  readonly stateFile: string;
  readonly signal: AbortSignal;
  readonly tell: (what: string) => void;
}

/** @param look makes the report of a folder @returns `report` null: there is no such place, and `notes` may say why */
export async function inFreshPlace<R extends RedFirstReport>(
  { sandbox, is_said, ...how }: PlaceTerms,
  { dir, stateFile, signal, tell }: Looking,
  look: (dir: string, options: Pick<RedFirstOptions, "place" | "tree" | "after">) => Promise<R>,
): Promise<{ readonly report: R | null; readonly notes: readonly Warning[] }> {
  const said = (message: string): readonly Warning[] => [{ path: [], item: "a fresh folder", message }];
  const only = (message: string): { report: null; notes: readonly Warning[] } => ({
    report: null,
    notes: said(message),
  });
  const opened = await openSandbox(sandbox, { root: dir, stateFile });
  if (!opened.ok) return only(describeProblems(opened.problems));
  const place = opened.value;
  try {
    const isUnsaid = is_said !== true && place.kind === "none" && sandbox.setting !== "off";
    const notes: Warning[] = isUnsaid ? [...said(place.summary)] : [];
    const onNote = (message: string): void => void notes.push(...said(message));
    tell("before any work: a fresh folder is set up");
    const made = await openCheckout({ ...how, stateFile, root: dir, place, onNote }, signal);
    if (!made.ok) return only(describeProblems(made.problems));
    const { commit, failed, tree, env, between, release, dir: fresh } = made.value;
    if (commit === null) return { report: null, notes: [] };
    try {
      if (failed !== undefined) return only(failed);
      const report = await look(fresh, {
        tree,
        place: { place, env: { ...withoutPlace(process.env), ...env } },
        after: async (_, result) => (await between?.(), result),
      });
      return { report: await compared(report, fresh, { dir, stateFile, signal, tell }), notes };
    } finally {
      await release();
    }
  } finally {
    await place.close();
  }
}

/** FRESH-PLACE-1, FRESH-PLACE-2. @param fresh the place of the report */
async function compared<R extends RedFirstReport>(report: R, fresh: string, looking: Looking): Promise<R> {
  const { dir, signal, tell } = looking;
  const checker = createChecker({ testsBefore: () => "aligning" });
  const doubts: Warning[] = [];
  const leaves: RedFirstLeaf[] = [];
  for (const leaf of report.leaves) {
    const { path, item, standing, result } = leaf;
    const { duration_ms: ms = Infinity } = result.evidence.kind === "command" ? result.evidence : {};
    const isLooked = ms < SPARE_MS || (standing === "red" && signIn(result) !== undefined);
    if (isLooked) tell(`before any work, in your own folder: ${item}`);
    const here: LeafResult[] = isLooked ? [await checker.run(leaf, dir, signal)] : [];
    let doubt = doubtOf(leaf, here, [fresh, dir]);
    // More runs show what varies.
    for (let run = 1; run < MOST_RUNS && doubt !== null; run++) {
      here.push(await checker.run(leaf, dir, signal));
      doubt = doubtOf(leaf, here, [fresh, dir]);
    }
    if (doubt !== null) doubts.push({ path, item, message: doubt });
    leaves.push(standing === "broken" ? await brokenThere(leaf, here, dir) : leaf);
  }
  return { ...report, leaves, doubts, warnings: [...report.warnings, ...doubts] };
}

const MOST_RUNS = 3;

/** FRESH-PLACE-1. @param here its runs in the person's checkout; empty: it was not looked at */
async function brokenThere(leaf: RedFirstLeaf, here: readonly LeafResult[], dir: string): Promise<RedFirstLeaf> {
  const { check, result, why } = leaf;
  const file = missingFile(result.evidence);
  if (file !== null && !existsSync(join(dir, file)) && !(await isIgnored(file, dir)))
    return { ...leaf, standing: "red", why: `fails before the work, as it should: nothing has made ${file} yet` };
  if (here.some((run) => (missingSetUp(run.evidence, dir) ?? whyUnable(check, run)) !== null)) return leaf;
  const where = "in a fresh folder of the commit, where attempts and verdicts take place";
  return { ...leaf, why: `${why.replace("cannot be run", `cannot be run ${where}`)}; ${NAME_SET_UP}` };
}

/** What git ignores is made by a set-up, what it does not by work. */
async function isIgnored(file: string, dir: string): Promise<boolean> {
  const ignored = await (await gitOf(dir)).run(["check-ignore", "--quiet", "--", file]);
  return ignored.ok || ignored.failure.kind !== "failed";
}

/** What a program prints that misses what its place does not have, and what gives it that. */
const SIGNS_OF_ABSENCE: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Connection refused|Network is unreachable|Could not resolve host|Temporary failure in name resolution|Name or service not known/i,
    "it reaches the network, which checks do not: --network HOST of `aot align` (localhost:5432), in a file `network`",
  ],
  [/read-only file system|EROFS/i, "it writes outside of the project: name the path in the setting allow_write"],
];
const OTHERWISE =
  "it depends on what your checkout has and no commit (commit it, name it in .worktreeinclude, or have the setting setup make it: npm ci), or on a variable of your environment (name it in the setting allow_env)";
const NAME_SET_UP = "name what it misses in the setting `setup:`, such as `setup: [make build]`";

/** FRESH-PLACE-2. Null: it answers there as here. @param here each run of it in the person's checkout */
function doubtOf(
  { standing, result }: RedFirstLeaf,
  here: readonly LeafResult[],
  roots: readonly string[],
): string | null {
  const [first] = here;
  if (first === undefined || first.passed === null) return null;
  const there = "in a fresh folder, where attempts and verdicts take place";
  if (standing === "vacuous" && !first.passed)
    return `passes before any work ${there}, so that it proves nothing: it would pass if nobody did anything. Here it fails: ${OTHERWISE}`;
  if (standing !== "red") return null;
  const sign = here.some((run) => signIn(run) === signIn(result)) ? undefined : signIn(result);
  const help = `${NAME_SET_UP}; ${sign ?? OTHERWISE}`;
  if (first.passed) return `fails ${there}, and passes here, so that no work may mend it: ${help}`;
  if (sign === undefined && isSameReason(here, result, roots)) return null;
  return `fails ${there}, for another reason than here, which no work may mend (here ${reasonOf(first, roots)} | there ${reasonOf(result, roots)}): ${help}`;
}

function signIn({ evidence }: LeafResult): string | undefined {
  const output = evidence.kind === "command" ? evidence.output : "";
  return SIGNS_OF_ABSENCE.find(([seen]) => seen.test(output))?.[1];
}
