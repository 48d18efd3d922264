/**
 * The tests of each command check as they were at the alignment (SPEC section 6).
 *
 * TEST-RECORD-1 the objective holds a digest of the record: one that is gone, or that somebody changed, is `lost`, and no
 *    check passes on it;
 * TEST-RECORD-2 the record is the alignment's; a run that finds it lost makes the tests anew from the aligned commit, which
 *    nobody can change.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Objective } from "../../core/state.ts";
import {
  isPerTest,
  testsKey,
  type Before,
  type CommandCheck,
  type Tally,
  type TestBaseline,
  type TestRun,
  type RedRun,
} from "../../core/test-report.ts";
import { removeOwnFile, writeOwnFile } from "../../host/own-file.ts";
import { readOwnFile } from "../../host/regular-file.ts";

/** By `testsKey`. */
export type TestsBefore = ReadonlyMap<string, TestBaseline | RedRun>;

/** What a run of a check says for later ones. */
export function baselineOf({ exit_code, report }: TestRun, red: RedRun): TestBaseline | RedRun {
  if (typeof report === "string") return red;
  const { format, tests, errors, incomplete } = report;
  return { format, tests, errors, exit_code, said: red.said, ...(incomplete !== null && { partial: true }) };
}

/** @param before absent: nothing was recorded, and nothing is missed */
export function beforeOf(before: TestsBefore | "lost" | undefined, check: CommandCheck): Before {
  if (before === "lost") return before;
  const known = before?.get(testsKey(check));
  if (known === undefined || "could_run" in known) return "unknown";
  // What is compared test by test needs them all.
  return known.partial !== undefined && isPerTest(check) ? "unknown" : known;
}

export interface TestRecord {
  readonly text: string;
  /** For the objective. */
  readonly digest: string;
}

/** Null: there is no command. */
export function testRecord(tests: TestsBefore): TestRecord | null {
  if (tests.size === 0) return null;
  const rows = [...tests].map(([key, run]): Row => [key, "could_run" in run ? run : withTallies(run)]);
  const text = `${JSON.stringify(rows)}\n`;
  const isRead = [...tests.values()].some((run) => !("could_run" in run));
  return { text, digest: digestOf(text) + (isRead ? "" : UNREAD) };
}

function withTallies({ tests, ...rest }: TestBaseline): KeptBaseline {
  return { ...rest, tests: [...tests].map(([name, { passed, failed, skipped }]) => [name, passed, failed, skipped]) };
}

/** Marks the digest of a record without any test report: its loss costs nothing. */
const UNREAD = " (no report)";

/** Replaces what an earlier alignment left. @param dir the loop's own folder. @returns why it could not, as notes */
export function keepTestRecord(dir: string, record: TestRecord | null): readonly string[] {
  const file = recordPath(dir);
  if (record === null) removeOwnFile(file);
  const written = record === null ? { ok: true as const } : writeOwnFile(file, record.text);
  return written.ok ? [] : [`what the tests are before the work could not be kept: ${written.message}`];
}

/** As it was kept, for somebody who is to read it elsewhere; null: nothing was. */
export function testRecordText(dir: string): string | null {
  return readOwnFile(recordPath(dir));
}

/** TEST-RECORD-1. Undefined: the alignment recorded none. */
export function readTestRecord(dir: string, { aligned_tests }: Objective): TestsBefore | "lost" | undefined {
  if (aligned_tests === undefined) return undefined;
  const text = readOwnFile(recordPath(dir));
  if (text === null || digestOf(text) !== aligned_tests.replace(UNREAD, ""))
    return aligned_tests.endsWith(UNREAD) ? undefined : "lost";
  const rows = JSON.parse(text) as readonly Row[];
  return new Map(
    rows.map(([key, run]) => [key, "could_run" in run ? run : { ...run, tests: new Map(run.tests.map(tallyOf)) }]),
  );
}

type KeptTally = readonly [string, number, number, number];
type KeptBaseline = Omit<TestBaseline, "tests"> & { readonly tests: readonly KeptTally[] };
type Row = readonly [string, KeptBaseline | RedRun];

function tallyOf([name, passed, failed, skipped]: KeptTally): [string, Tally] {
  return [name, { passed, failed, skipped }];
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

function recordPath(dir: string): string {
  return join(dir, "tests.json");
}
