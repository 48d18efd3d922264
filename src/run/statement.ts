/**
 * The receipt of a verified loop as an in-toto statement (SPEC section 16): what was wanted, what was shown, of which commit. Pure.
 *
 * STATEMENT-1 each part has a digest, and the seal is the digest of these: a part that was changed is named, and whoever
 *    changes it and its digests gives another seal;
 * STATEMENT-2 it holds no path of the machine that made it.
 */
import { createHash } from "node:crypto";
import { objectIn, type JsonObject } from "../core/reading.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { checkNodesOf, type CheckNode } from "../core/verdict.ts";
import type { RunStory } from "../history/run-story.ts";
import { evidenceWords } from "../view/evidence.ts";

const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE = "https://aot-loop.dev/receipt/v1";

/** What the journal does not say. */
export interface ReceiptFacts {
  readonly tree: string;
  /** Commit before the loop's first. */
  readonly base: string | null;
  readonly journal: { readonly lines: number; readonly chain: string };
  readonly environment: JsonObject;
  readonly version: string;
  /** The tests as they were at the alignment, as recorded; absent: no check has tests. */
  readonly tests?: string;
}

/** Refused where no verdict was true. */
export function statementOf(state: State, story: RunStory, facts: ReceiptFacts): Result<JsonObject> {
  const { checked } = story;
  if (state.control.outcome !== "verified" || checked?.verdict.passed !== true || checked.commit === null)
    return refused(
      "the loop is not verified: there is nothing to show",
      "`aot run` goes on; `aot report` shows what there is",
    );
  const { objective } = state;
  const parts = {
    objective: { ...objective },
    commits: {
      verified: checked.commit,
      ...(checked.handed_over === undefined ? {} : { handed_over: checked.handed_over }),
      tree: facts.tree,
      base: facts.base,
      work: story.history,
    },
    verdict: {
      passed: true,
      luck: checked.verdict.luck ?? null,
      checks: checkNodesOf(checked.verdict.checklist).map(checkPart),
    },
    redirects: state.corrections,
    tried: story.attempts.map(({ attempt, atom, agent, end, commit }) => ({ attempt, atom, agent, end, commit })),
    spent: { cost_usd: story.cost_usd, attempts: story.started, failed: story.failures, others: story.other_calls },
    environment: { aot: facts.version, ...facts.environment },
    journal: facts.journal,
    ...(facts.tests === undefined ? {} : { tests: facts.tests }),
  };
  const subject = [
    { name: "commit", digest: { gitCommit: checked.handed_over ?? checked.commit, gitTree: facts.tree } },
  ];
  const digests = digestsOf({ subject, ...parts });
  return accepted({
    _type: STATEMENT_TYPE,
    subject,
    predicateType: PREDICATE_TYPE,
    predicate: { ...parts, digests, seal: digestOf(digests) },
  });
}

function checkPart({ item, check, passed, evidence, runs = 1 }: CheckNode): JsonObject {
  return {
    item,
    check: { ...check },
    passed,
    runs,
    words: evidenceWords(evidence).words,
    evidence: digestOf(evidence),
  };
}

/** A receipt as it was read. */
export interface Receipt {
  readonly commit: string;
  /** The commit with the same files that the person got instead; absent: they got that one. */
  readonly handed_over?: string;
  readonly predicate: JsonObject;
  readonly seal: string;
  /** Parts that are not as they were sealed (STATEMENT-1). */
  readonly changed: readonly string[];
}

export function readStatement(value: unknown): Result<Receipt> {
  const statement = objectIn(value);
  const predicate = objectIn(statement?.["predicate"]);
  const digests = objectIn(predicate?.["digests"]);
  if (statement === null || statement["predicateType"] !== PREDICATE_TYPE || predicate === null || digests === null)
    return refused("this is no receipt of aot", "make one with `aot receipt`");
  const { digests: _, seal, ...parts } = predicate;
  const now = digestsOf({ subject: statement["subject"], ...parts });
  const names = [...new Set([...Object.keys(digests), ...Object.keys(now)])];
  const { verified, handed_over } = objectIn(predicate["commits"]) ?? {};
  return accepted({
    commit: typeof verified === "string" ? verified : "",
    ...(typeof handed_over === "string" ? { handed_over } : {}),
    predicate,
    seal: typeof seal === "string" ? seal : "",
    changed: [
      ...names.filter((name) => digests[name] !== now[name]),
      ...(seal === digestOf(digests) ? [] : ["seal"]),
      ...(statement["_type"] === STATEMENT_TYPE ? [] : ["_type"]),
    ],
  });
}

function digestsOf(parts: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, digestOf(part)]));
}

function digestOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(sorted(value)).digest("hex")}`;
}

/** The same JSON for the same value, whatever the order of its keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    const object = objectIn(one);
    if (object === null) return one;
    return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
