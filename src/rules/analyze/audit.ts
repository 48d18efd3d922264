/**
 * What an agent says it did, against what its tools last answered (SPEC section 17).
 *
 * AUDIT-1 exit codes are the truth; where a pipe hides one, the report's own count of failures is;
 * AUDIT-2 a claim is named only where a recorded answer is against it, or where nothing that could back it was run since the
 *    last edit: what a sub-agent or an unknown command may have done speaks for the agent.
 */
import { clip } from "./clip.ts";
import { looks, type Piece } from "./command-pieces.ts";
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

export type Claim = Pick<Unbacked, "kind" | "claim">;

export interface Audit {
  take(entry: Entry, at: Position, cwd: string): void;
  /** The agent stops: what it said last is compared. */
  stop(): void;
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
/** "`npm test` passed" */
const COMMAND_PASSED =
  /`[^`]*\b(?:tests?|vitest|jest|pytest)\b[^`]*`(?:,? (?:and )?`[^`]*`)*:? (?:all |both |now )*(?:pass|passed|passes|succeeded|is green|are green)\b/u;
/** A command that may run tests, of whatever project; a commit may by its hooks. */
const MAY_TEST =
  /test|spec|check|commit|push|\bci\b|verify|valid|\b(?:make|just|task|mise|tox|nox|jest|mocha|bazel|gradlew?|mvn|ctest|rspec|phpunit|node|python3?|bash|sh|run|hook)\b|\.\//iu;
/** One that looks at style, types or the build, and tests nothing. */
const NO_TEST =
  /^(?!.*\btest)(?:\S+ ){0,4}(?:lint\S*|fmt|format\S*|build|typecheck|type-check|tsc|eslint|golangci-lint|clippy|prettier|biome|gofmt|vet)(?: |$)/u;
/** One that is known to. */
const TESTS =
  /^(?:(?:rtk|test|proxy|npx|pnpm|yarn|bunx|uv|run|exec|--) )*(?:(?:npm|pnpm|yarn|bun|mise|deno|cargo|go|dotnet|mix|make|nx) (?:(?:--?\S+ (?:[@\w]\S* )?)*)(?:run )?tests?\b\S*|(?:vitest|jest|mocha|pytest|ava|rspec|phpunit)|python3? -m (?:pytest|unittest))(?: |$)/u;
/** What a report's last lines say of failures: vitest and jest, bun, pytest, cargo, go, mocha, node's, rspec and phpunit. */
const FAILED_REPORT =
  /^\s*(?:Tests:?|Test Suites:|Test Files)\s+(?:\S+ \w+, )?[1-9]\d* failed\b|^\s*[1-9]\d* fail(?:ing)?$|^=+ .*\b[1-9]\d* failed\b.* in [\d.]+m?s|^test result: FAILED|^FAIL(?:\t\S+.*)?$|^(?:#|ℹ) fail [1-9]|^\d+ examples?, [1-9]\d* failures?|^FAILURES!$/mu;
/** Characters of an answer's end. */
const REPORT = 4_000;
const HERE_DOCUMENT = /<<-?\s*(['"]?)(\w+)\1[^]*?\n\s*\2\b(?:\s*\)"?)?/gu;
/** A tool that nobody here knows changes something if its name says so. */
const CHANGES =
  /^(?!Todo|TaskCreate|TaskUpdate|update_plan).*(?:create|update|delete|write|send|post|push|add|remove|comment|merge|Task|Agent)/;
const NOT_CODE = /\.(?:md|mdx|txt|rst|adoc)$|CHANGELOG|LICENSE|\.gitignore$/iu;
/** Notes and trials of the agent's own. */
const TEMPORARY = /^(?:\/private)?\/(?:tmp|var)\/|[\\/](?:Temp|scratchpad)[\\/]/u;
const MOST = 200;
const LONGEST_CLAIM = 200;

interface Ran {
  readonly call: PastCall;
  exit: number | null;
  over: boolean;
  /** The end of what it answered. */
  report: string;
}

/** @param onClaim called for each claim; `found` null: nothing is against it */
export function createAudit(onClaim: (claim: Claim, found: Unbacked | null) => void): Audit {
  let ran: Ran[] = [];
  let edit: PastCall | null = null;
  /** Calls since the last edit that nobody can judge: a sub-agent, an MCP tool. */
  let unknown = false;
  let calls = 0;
  let said: { readonly text: string; readonly at: Position } | null = null;
  const stop = (): void => {
    if (said === null || calls === 0) return;
    for (const claim of claimsIn(said)) {
      const found = againstClaim(claim.kind, { ran, edit, unknown });
      onClaim(claim, found === null ? null : { ...claim, ...found });
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
        const call = pastCallOf(entry, at, cwd);
        if (call.event === "file" && !NOT_CODE.test(call.path) && !TEMPORARY.test(call.path)) {
          edit = call;
          unknown = false;
        }
        if (call.event === "other" && CHANGES.test(call.tool)) unknown = true;
        if (call.event === "bash") ran = [...ran.slice(-MOST), { call, exit: null, over: false, report: "" }];
      }
      if (entry.kind === "shell") unknown = true;
      if (entry.kind === "result") {
        const one = ran.findLast(({ call }) => call.id === entry.id);
        if (one !== undefined)
          Object.assign(one, { exit: entry.exit, over: true, report: clip(entry.text.slice(-REPORT), REPORT) });
        if (edit?.id === entry.id && entry.outcome !== "done") edit = null;
      }
    },
    stop,
  };
}

/** Sentences of the agent's that say it without an if. */
export function claimsIn({ text, at }: Unbacked["claim"]): readonly Claim[] {
  const sentences = readSpeech(text);
  return sentences.flatMap(({ text: said, quote, question }) => {
    if (question || NOT_SAID.test(said)) return [];
    const claim = { text: clip(quote, LONGEST_CLAIM), at };
    const tests = COMMAND_PASSED.test(quote) ? ["tests" as const] : [];
    const kinds = CLAIMS.filter(({ pattern }) => pattern.test(said)).map(({ kind }) => kind);
    return [...new Set([...tests, ...kinds])].map((kind) => ({ kind, claim }));
  });
}

function againstClaim(
  kind: ClaimKind,
  { ran, edit, unknown }: { readonly ran: readonly Ran[]; readonly edit: PastCall | null; readonly unknown: boolean },
): Pick<Unbacked, "why" | "against"> | null {
  const git = kind === "committed" || kind === "pushed";
  const last = ran.findLast(({ call }) => (git ? runsGit(call, kind) : call.pieces.some(mayTest)));
  if (last !== undefined && (edit === null || isAfter(last.call, edit))) {
    const said = last.over ? failureOf(last, git ? isGit : isTest) : null;
    return said === null
      ? null
      : { why: "failed", against: { text: `${last.call.command} ${said}`, at: last.call.at } };
  }
  if (unknown || edit === null || kind !== "tests") return null;
  const what = { text: `${edit.tool} ${edit.path}`, at: edit.at };
  return { why: last === undefined ? "never" : "before_edit", against: what };
}

function isAfter(one: PastCall, other: PastCall): boolean {
  return one.at.line > other.at.line;
}

function mayTest(piece: Piece): boolean {
  const text = piece.words.join(" ");
  if (isGit(piece)) return /^git (?:-\S+ \S+ )*(?:commit|push)\b/u.test(text);
  return !looks(piece) && MAY_TEST.test(text) && !NO_TEST.test(text);
}

function isTest({ words }: Piece): boolean {
  return TESTS.test(words.join(" "));
}

function isGit({ words }: Piece): boolean {
  return words[0] === "git";
}

function runsGit({ pieces }: PastCall, kind: "committed" | "pushed"): boolean {
  return pieces.some((piece) => isGit(piece) && piece.words.includes(kind === "committed" ? "commit" : "push"));
}

/** AUDIT-1: how it failed; null: it did not, or nobody can say. */
function failureOf({ call, exit, report }: Ran, isKnown: (piece: Piece) => boolean): string | null {
  const chain = call.command.replace(HERE_DOCUMENT, "").trim();
  // The exit code is that of the command itself, not of a pipe's end or of what came behind it.
  if (exit !== null && !/\||;|&\s*$|\n/u.test(chain)) {
    const last = call.pieces.findLast((piece) => !looks(piece));
    return exit !== 0 && last !== undefined && isKnown(last) ? `exited ${exit}` : null;
  }
  return call.pieces.some(isTest) && FAILED_REPORT.test(report.trimEnd()) ? "reported failures" : null;
}
