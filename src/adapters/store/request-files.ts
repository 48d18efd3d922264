/** The three shapes a request has on its way: asked, taken by the runner, answered. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../core/reading.ts";
import { clearWay } from "../../host/own-file.ts";
import { readOwnFile, ownNames, refuseLinks } from "../../host/regular-file.ts";

/** `refused`: taken, and no request. */
export type Stage = "request" | "taken" | "answer" | "refused";

export interface Asked {
  /** Identity of the asking process, see host/liveness.ts. */
  readonly from: string;
  readonly body: unknown;
}

export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

let asked = 0;

/** `<time>-<pid>-<nonce>`: names sort by the time of asking. */
export function newRequestName(): string {
  const nonce = `${(asked++).toString(36)}${Math.floor(Math.random() * 2 ** 40).toString(36)}`;
  return `${String(Date.now()).padStart(15, "0")}-${process.pid}-${nonce}`;
}

export function fileOf(dir: string, name: string, stage: Stage): string {
  return join(dir, `${name}.${stage}.json`);
}

/** Names of what is at that stage, earliest first; none when the folder cannot be read. */
export function namesAt(dir: string, stage: Stage): string[] {
  const suffix = `.${stage}.json`;
  const files = ownNames(dir).filter((file) => file.endsWith(suffix));
  return files.map((file) => file.slice(0, -suffix.length)).toSorted();
}

/** Of any number of callers one gets true: the rename is what decides. */
export function takeRequest(dir: string, name: string): boolean {
  return move(dir, name, "request", "taken");
}

/** Puts what was taken where nobody takes it for a request, if it can. @returns where it is, in words */
export function setAside(dir: string, name: string): string {
  return move(dir, name, "taken", "refused") ? `kept as ${fileOf(dir, name, "refused")}` : "gone";
}

function move(dir: string, name: string, from: Stage, to: Stage): boolean {
  const path = fileOf(dir, name, to);
  try {
    refuseLinks(path);
    clearWay(path);
    renameSync(fileOf(dir, name, from), path);
    return true;
  } catch {
    return false;
  }
}

/** null: not there, or nothing that can be read. */
export function readJson(path: string): unknown {
  const text = readOwnFile(path);
  const read = text === null ? null : parseJson(text);
  return read?.ok === true ? read.value : null;
}

export function askedIn(value: unknown): Asked | null {
  if (typeof value !== "object" || value === null || !("from" in value) || !("body" in value)) return null;
  return typeof value.from === "string" ? { from: value.from, body: value.body } : null;
}

export function replyIn(value: unknown): Reply | null {
  if (typeof value !== "object" || value === null || !("ok" in value)) return null;
  if (value.ok === true) return { ok: true, value: "value" in value ? value.value : undefined };
  return "message" in value && typeof value.message === "string" ? { ok: false, message: value.message } : null;
}
