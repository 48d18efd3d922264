/** The clients of an engine: who is let in by its front, and for what (SPEC section 13). */
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { makeToken, parseTokenList, type Right } from "./adapters/front/front-tokens.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { writeFileAtomicSync } from "../host/atomic-write.ts";
import { tryLockSync } from "../host/lock.ts";

const HEAD = "# Clients of an engine: NAME, what it may (view, steer, work), and the digest of its token.\n";

/** Adds a client, and answers with its token, which is kept nowhere. */
export function addClient(file: string, name: string, right: Right): Result<string> {
  if (!/^[\w.@-]{1,64}$/.test(name))
    return refused(`${JSON.stringify(name)} is no name of a client`, "take letters, digits, and any of . _ @ -");
  return write(file, (text) => {
    if (parseTokenList(text, file).entries.some((entry) => entry.name === name))
      return refused(`${file} already has a client ${name}`, "revoke it first, or take another name");
    const { token, line } = makeToken(name, right);
    return accepted({ text: `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`, answer: token });
  });
}

export function revokeClient(file: string, name: string): Result<string> {
  return write(file, (text) => {
    const lines = text.split("\n");
    const kept = lines.filter((line) => line.trim().split(/\s+/)[0] !== name);
    if (kept.length === lines.length)
      return refused(`${file} has no client ${name}`, "its lines begin with their names");
    return accepted({ text: kept.join("\n"), answer: `${name} is let in no more` });
  });
}

/** One at a time: who writes at the same moment would take back the other's line. */
function write(
  file: string,
  change: (text: string) => Result<{ readonly text: string; readonly answer: string }>,
): Result<string> {
  const lock = tryLockSync(`${file}.lock`, { what: "aot engine token" });
  if (!lock.ok) return refused(`${file} is being written: ${lock.message}`, "try again");
  try {
    const changed = change(existsSync(file) ? readFileSync(file, "utf8") : HEAD);
    if (!changed.ok) return changed;
    const isNew = !existsSync(file);
    const written = writeFileAtomicSync(file, changed.value.text);
    // The server's own user has to read it, whatever the umask of whoever wrote it; it holds no token.
    if (written.ok && isNew) chmodSync(file, 0o644);
    return written.ok ? accepted(changed.value.answer) : refused(written.message, written.hint);
  } finally {
    lock.release();
  }
}
