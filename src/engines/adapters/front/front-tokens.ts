/**
 * Who may ask the front of an engine for what (SPEC section 13). A file with one client per line:
 * `NAME RIGHT sha256:HEX`, where HEX is the digest of the client's token; `#` begins a remark.
 *
 * FRONT-TOKENS-1 the file holds digests: who reads it cannot act as a client;
 * FRONT-TOKENS-2 comparing takes as long whatever is given, and however many clients there are none is passed over;
 * FRONT-TOKENS-3 it is read again when it changed: a line that is taken out is refused from the next request on. A line
 *    that cannot be read lets nobody in, and a file that is gone or cannot be read lets in nobody at all, until it can.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";

/** `view`: loops and figures. `steer`: also hands loops over, stops and redirects them. `work`: a worker's own calls. */
export const RIGHTS = ["view", "steer", "work"] as const;
export type Right = (typeof RIGHTS)[number];

interface Client {
  readonly name: string;
  readonly right: Right;
}

interface Entry extends Client {
  readonly digest: Buffer;
}

interface TokenList {
  readonly entries: readonly Entry[];
  /** Lines that let nobody in, each with why. */
  readonly problems: readonly string[];
}

export interface TokenFile {
  /** Null: none of the clients. @param authorization the header, as it came */
  clientOf(authorization: string | undefined): Client | null;
}

/** @param tell learns what is wrong with the file whenever it changed */
export function createTokenFile(path: string, tell: (problem: string) => void): TokenFile {
  let seen = "";
  let list: ReturnType<typeof readTokenList> | null = null;
  const current = (): readonly Entry[] => {
    const mark = markOf(path);
    if (mark === seen && list?.readable === true) return list.entries;
    list = readTokenList(path);
    if (mark !== seen || list.readable) for (const problem of list.problems) tell(problem);
    seen = mark;
    return list.entries;
  };
  return {
    clientOf: (authorization) => {
      const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? "")?.[1];
      if (token === undefined) return null;
      const digest = digestOf(token);
      let found: Entry | null = null;
      // FRONT-TOKENS-2
      for (const entry of current()) if (timingSafeEqual(entry.digest, digest)) found = entry;
      return found === null ? null : { name: found.name, right: found.right };
    },
  };
}

/** FRONT-TOKENS-3 */
export function readTokenList(path: string): TokenList & { readonly readable: boolean } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { readable: false, entries: [], problems: [`the tokens cannot be read, nobody is let in: ${why}`] };
  }
  return { readable: true, ...parseTokenList(text, path) };
}

const LINE = /^([\w.@-]{1,64})\s+(\w+)\s+sha256:([0-9a-f]{64})$/;

export function parseTokenList(text: string, path: string): TokenList {
  const entries: Entry[] = [];
  const problems: string[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/(^|\s)#.*$/, "").trim();
    if (line === "") continue;
    const [, name = "", word, hex = ""] = LINE.exec(line) ?? [];
    const right = RIGHTS.find((one) => one === word);
    const where = `${path}:${index + 1}`;
    if (right === undefined) problems.push(`${where} is no client: write NAME view|steer|work sha256:DIGEST`);
    else if (entries.some((entry) => entry.name === name)) problems.push(`${where}: there is a client ${name} already`);
    else entries.push({ name, right, digest: Buffer.from(hex, "hex") });
  }
  return { entries, problems };
}

/** A token nobody can guess, and the line that lets its bearer in (FRONT-TOKENS-1). */
export function makeToken(name: string, right: Right): { readonly token: string; readonly line: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, line: `${name} ${right} sha256:${digestOf(token).toString("hex")}` };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function markOf(path: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return "none";
  }
}
