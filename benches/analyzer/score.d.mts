import type { LabelledTranscript } from "../../tests/fixtures/transcripts/corpus.mjs";
import type { createReader } from "../../src/rules/analyze/read/reader.ts";
import type { createFindings, Finding } from "../../src/rules/analyze/findings.ts";
import type { createSession } from "../../src/rules/analyze/session.ts";

export interface Analyzer {
  readonly createFindings: typeof createFindings;
  readonly createSession: typeof createSession;
  readonly createReader: typeof createReader;
}

export interface Judgement {
  readonly part: string;
  readonly name: string;
  readonly language: string;
  readonly trap: boolean;
  readonly expected: number;
  readonly met: number;
  readonly missed: readonly { readonly kinds: readonly string[]; readonly calls: readonly string[] }[];
  readonly right: number;
  readonly wrong: readonly Finding[];
  readonly kinds: number;
  readonly findings: readonly Finding[];
}

export interface Tally {
  readonly transcripts: number;
  readonly traps: number;
  readonly fooled: number;
  readonly expected: number;
  readonly met: number;
  readonly right: number;
  readonly wrong: number;
  readonly kinds: number;
}

export function judgements(analyzer: Analyzer, transcripts: readonly LabelledTranscript[]): readonly Judgement[];
export function tallyOf(judged: readonly Judgement[]): Tally;
