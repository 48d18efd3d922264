/**
 * The rules as they were read last, in one file, so that of a thousand rules a hook reads the few that its action may be
 * about. Its first line is `aot-rules 7 STAMP SIZE`; then SIZE bytes of index, one line for each rule file: `LENGTH \t EVENTS \t
 * FIELD \t NEEDS`; then, in the same order, what was read of each as LENGTH bytes of JSON. NEEDS is what the field's text
 * has to hold for the rule to fire at all, see `needed-text.ts`.
 *
 * CACHE-1 it is no second truth: an entry counts as long as its file looks as it did (`key`), or the mark says so for
 *    all of them. The mark names the STAMP, a digest of what follows it: a cache that somebody else wrote meanwhile is
 *    not the one it means;
 * CACHE-2 what it leaves out for an action could not have fired on it.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { Problem } from "../core/problem.ts";
import { openOwnFile } from "../host/regular-file.ts";
import type { Rule } from "./match/rule.ts";
import type { Subject } from "./match/subject.ts";
import { lacks, textFacts, type TextFacts } from "./match/trial.ts";

export interface Kept {
  /** What the file looked like. */
  readonly key: string;
  /** Null: it is a bad one. */
  readonly rule: Rule | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Another one when what is there, or in the mark that is written with it, means something else. */
const HEAD = /^aot-rules 7 ([0-9a-f]+) (\d+)\n$/;
const STAMP_LENGTH = 32;
/** Read at once: the index of two thousand rules. */
const CHUNK = 64 * 1024;

interface Named extends Kept {
  readonly name: string;
}

export interface Cache {
  /** Null: there is none that can be read. */
  readonly stamp: string | null;
  /** By the file's name. */
  readonly kept: ReadonlyMap<string, Kept>;
}

/** @returns its stamp; null: it could not be written */
export async function writeCache(path: string, kept: readonly (readonly [string, Kept])[]): Promise<string | null> {
  const [{ writeOwnFile }, { createHash }] = await Promise.all([import("../host/own-file.ts"), import("node:crypto")]);
  const bodies = kept.map(([name, one]) => JSON.stringify({ name, ...one } satisfies Named));
  const index = kept
    .map(([, { rule }], at) => `${[Buffer.byteLength(bodies[at] ?? ""), ...indexOf(rule)].join("\t")}\n`)
    .join("");
  const text = `${index}${bodies.join("")}`;
  const stamp = createHash("sha256").update(text).digest("hex").slice(0, STAMP_LENGTH);
  const head = `aot-rules 7 ${stamp} ${Buffer.byteLength(index)}\n`;
  return writeOwnFile(path, head + text, { durable: false }).ok ? stamp : null;
}

export function readCache(path: string): Cache {
  const read = readEntries(path, () => true);
  return {
    stamp: read?.stamp ?? null,
    kept: new Map((read?.entries ?? []).map(({ name, ...kept }) => [name, kept])),
  };
}

/**
 * CACHE-2: the enabled rules that could fire on this action.
 * @param stamp what the mark names
 * @returns null: there is no cache that can be read, or another one than the mark means (CACHE-1)
 */
export function readCandidates(path: string, stamp: string, subject: Subject): readonly Rule[] | null {
  const facts = new Map<string, readonly TextFacts[]>();
  const texts = (field: string): readonly TextFacts[] => {
    const known = facts.get(field) ?? (subject.valuesOf(field) ?? []).map(textFacts);
    facts.set(field, known);
    return known;
  };
  const own = `,${subject.event},`;
  // Every line of a thousand passes here in a process that has just started: taking the cells apart by pattern or by
  // closure doubles what it costs.
  const read = readEntries(path, (cells) => {
    const events = cells[1] ?? "";
    if (!events.includes(own) && !events.includes(",all,")) return false;
    const needs = cells[3] ?? "";
    if (needs === "") return true;
    const needed = needs.split("\u001f");
    for (const one of texts(cells[2] ?? "")) if (!lacks(needed, one)) return true;
    return false;
  });
  return read?.stamp === stamp ? read.entries.flatMap(({ rule }) => rule ?? []) : null;
}

interface Read {
  readonly stamp: string;
  readonly entries: readonly Named[];
}

/** The entries whose cells in the index are wanted; null: the file is not there, or damaged. */
function readEntries(path: string, wanted: (cells: readonly string[]) => boolean): Read | null {
  let file;
  try {
    file = openOwnFile(path);
    const first = Buffer.allocUnsafe(CHUNK);
    const start = first.subarray(0, readSync(file, first, 0, CHUNK, 0));
    const from = start.indexOf(10) + 1;
    const [, stamp, size] = HEAD.exec(start.toString("utf8", 0, from)) ?? [];
    if (stamp === undefined) return null;
    let at = from + Number(size);
    const index = at <= start.length ? start.toString("utf8", from, at) : textAt(file, from, Number(size));
    const entries: Named[] = [];
    for (const line of index.split("\n").slice(0, -1)) {
      const cells = line.split("\t");
      const length = Number(cells[0]);
      if (wanted(cells)) entries.push(JSON.parse(textAt(file, at, length)) as Named);
      at += length;
    }
    return fstatSync(file).size === at ? { stamp, entries } : null;
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function textAt(file: number, from: number, length: number): string {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.toString("utf8", 0, readSync(file, bytes, 0, length, from));
}

/** EVENTS, FIELD and NEEDS. A rule that can never fire has no events. */
function indexOf(rule: Rule | null): readonly [string, string, string] {
  if (rule === null || !rule.enabled) return ["", "", ""];
  const events = `,${rule.events.join(",")},`;
  for (const { field, operator, patterns } of rule.conditions) {
    if (operator !== "regex_match" || /[\t\n]/.test(field)) continue;
    const needs = patterns.flatMap(({ needs: one }) => one ?? [""]);
    // An empty text is in every text; what separates here must not be in one.
    if (needs.every((one) => one !== "" && !/[\t\n\u001f]/.test(one))) return [events, field, needs.join("\u001f")];
  }
  return [events, "", ""];
}
