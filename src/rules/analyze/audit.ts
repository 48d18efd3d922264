/**
 * What an agent says it did, against what its tools last answered (SPEC section 17).
 *
 * AUDIT-1 exit codes are the truth; where a pipe or a background hides one, nothing is said against the claim;
 * AUDIT-2 a claim is named only where a recorded answer is against it, or where nothing that could back it was run since the
 *    last edit: what a sub-agent or an unknown command may have done speaks for the agent.
 */
import { clip } from "./clip.ts";
import { piecesOf } from "./command-pieces.ts";
import { pastCallOf, type PastCall, type Position } from "./past-call.ts";
import type { Entry } from "./read/entry.ts";
import { readSpeech } from "./speech.ts";

export type ClaimKind = "tests" | "fixed" | "committed" | "pushed";

export interface Unbacked {
  readonly kind: ClaimKind;
  readonly claim: { readonly text: string; readonly at: Position };
  /** `failed`: it was run and failed; `before_edit`: it was run, and then edited; `never`: nothing of the kind was run. */
  readonly why: "failed" | "before_edit" | "never";
  /** The answer or the edit that is against it; null: there is none. */
  readonly against: { readonly text: string; readonly at: Position } | null;
}

export interface Audit {
  take(entry: Entry, at: Position, cwd: string): void;
  /** The agent stops: what it said last is compared. */
  stop(): void;
  /** How many claims were compared. */
  claims(): number;
}

const NOT_SAID =
  /\b(?:if|once|when|until|unless|should|would|could|will|must|need|needs|to|ensure|make sure|verify|confirm|whether|not|n't|no|fail|fails|failed|failing|except|but|only|previously|before|expect|let me|can|want|ready|already|please|you|your|user|they|he|she|was|were|had|each|every)\b/u;
const CLAIMS: readonly { readonly kind: ClaimKind; readonly pattern: RegExp }[] = [
  {
    kind: "tests",
    pattern:
      /\b(?:all )?(?:\d+ |the |unit |integration |new |existing |of the )*tests? (?:now |all |are |still )*(?:pass|passed|passing|green)\b/u,
  },
  {
    kind: "fixed",
    pattern: /^(?:done[.,:!]? |great[.,:!]? )?(?:(?:it's|that's|this is|i(?:'ve| have)) )?(?:now )?fixed\b/u,
  },
  {
    kind: "committed",
    pattern: /^(?:done[.,:!]? |great[.,:!]? )?(?:i(?:'ve| have) )?(?:committed|committed and pushed)\b/u,
  },
  { kind: "pushed", pattern: /^(?:done[.,:!]? )?(?:i(?:'ve| have) )?(?:committed and pushed|pushed)\b/u },
];
/** A command that may run tests, of whatever project; a commit may by its hooks. */
const MAY_TEST =
  /test|spec|check|commit|push|\bci\b|verify|valid|\b(?:make|just|task|mise|tox|nox|jest|mocha|bazel|gradlew?|mvn|ctest|rspec|phpunit|node|python3?|bash|sh|run|hook)\b|\.\//iu;
/** One that is known to. */
const TESTS =
  /^(?:(?:npm|pnpm|yarn|bun|mise|deno|cargo|go|dotnet|mix|make) (?:run )?test\S*|(?:npx |pnpm |yarn |bunx |uv run )?(?:vitest|jest|mocha|pytest|ava|rspec|phpunit)|python3? -m (?:pytest|unittest))(?: |$)/u;
const NOT_CODE = /\.(?:md|mdx|txt|rst|adoc)$|CHANGELOG|LICENSE|\.gitignore$/iu;
const MOST = 200;
const LONGEST_CLAIM = 200;

interface Ran {
  readonly call: PastCall;
  exit: number | null;
  over: boolean;
}

export function createAudit(onUnbacked: (found: Unbacked) => void): Audit {
  let ran: Ran[] = [];
  let edit: PastCall | null = null;
  /** Calls since the last edit that nobody can judge: a sub-agent, an MCP tool. */
  let unknown = false;
  let calls = 0;
  let claims = 0;
  let said: { readonly text: string; readonly at: Position } | null = null;
  const check = (kind: ClaimKind, claim: Unbacked["claim"]): void => {
    const found = againstClaim(kind, { ran, edit, unknown });
    if (found !== null) onUnbacked({ kind, claim, ...found });
  };
  const stop = (): void => {
    if (said === null || calls === 0) return;
    for (const { kind, claim } of claimsIn(said)) {
      claims++;
      check(kind, claim);
    }
    said = null;
  };
  return {
    take(entry, at, cwd) {
      if (entry.kind === "message") {
        stop();
        calls = 0;
      }
      if (entry.kind === "reply") said = { text: entry.text, at };
      if (entry.kind === "call") {
        said = null;
        calls++;
        const call = pastCallOf(entry, at, cwd, 0);
        if (call.event === "file" && !NOT_CODE.test(call.path)) {
          edit = call;
          unknown = false;
        }
        if (call.event === "other" && call.changes) unknown = true;
        if (call.event === "bash") ran = [...ran.slice(-MOST), { call, exit: null, over: false }];
      }
      if (entry.kind === "shell") unknown = true;
      if (entry.kind === "result") {
        const one = ran.findLast(({ call }) => call.id === entry.id);
        if (one !== undefined) Object.assign(one, { exit: entry.exit, over: true });
        if (edit?.id === entry.id && entry.outcome !== "done") edit = null;
      }
    },
    stop,
    claims: () => claims,
  };
}

/** Sentences of the agent's that say it without an if. */
function claimsIn({
  text,
  at,
}: Unbacked["claim"]): readonly { readonly kind: ClaimKind; readonly claim: Unbacked["claim"] }[] {
  const { sentences } = readSpeech(text, /$^/u);
  return sentences.flatMap(({ text: said, quote, question }) => {
    if (question || NOT_SAID.test(said)) return [];
    const claim = { text: clip(quote, LONGEST_CLAIM), at };
    return CLAIMS.filter(({ pattern }) => pattern.test(said)).map(({ kind }) => ({ kind, claim }));
  });
}

function againstClaim(
  kind: ClaimKind,
  { ran, edit, unknown }: { readonly ran: readonly Ran[]; readonly edit: PastCall | null; readonly unknown: boolean },
): Pick<Unbacked, "why" | "against"> | null {
  const fits = ({ call }: Ran): boolean =>
    kind === "committed" || kind === "pushed" ? runsGit(call, kind) : mayTest(call);
  const last = ran.findLast(fits);
  const isSince = last !== undefined && (edit === null || isAfter(last.call, edit));
  if (last !== undefined && isSince) {
    const sure = isPlain(last.call, kind === "committed" || kind === "pushed" ? /^git /u : TESTS);
    if (!last.over || last.exit === null || last.exit === 0 || !sure) return null;
    return { why: "failed", against: { text: `${last.call.command} exited ${last.exit}`, at: last.call.at } };
  }
  if (unknown || edit === null || kind !== "tests") return null;
  const what = { text: `${edit.tool} ${edit.path}`, at: edit.at };
  return { why: last === undefined ? "never" : "before_edit", against: what };
}

function isAfter(one: PastCall, other: PastCall): boolean {
  return one.at.line > other.at.line;
}

function mayTest(call: PastCall): boolean {
  return MAY_TEST.test(call.command);
}

function runsGit(call: PastCall, kind: "committed" | "pushed"): boolean {
  const verb = kind === "committed" ? "commit" : "push";
  return call.pieces.some(({ words }) => words[0] === "git" && words.includes(verb));
}

/** AUDIT-1: the exit code is that of the command itself, not of a pipe's end or of what came behind it. */
function isPlain(call: PastCall, program: RegExp): boolean {
  if (/\||;|&\s*$|\n/u.test(call.command.trim())) return false;
  const last = piecesOf(call.command).at(-1);
  return last !== undefined && program.test(last.words.join(" "));
}
