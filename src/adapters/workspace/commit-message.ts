/**
 * The messages of the loop's own commits: a subject and a body for people, trailers for the loop.
 *
 * COMMIT-MESSAGE-1 the trailers are the last paragraph, and nothing else in a message is read;
 * COMMIT-MESSAGE-2 a value that does not fit a line is written as a JSON string, so that every value comes back as it was;
 * COMMIT-MESSAGE-3 the body is the summary, which is a trailer only where the body cannot hold it as it is, or the subject says it.
 */
import type { Attempt } from "../../core/effect.ts";
import { oneLine, shortened, SUBJECT, subjectOf } from "./commit-subject.ts";

export interface WorkTrailers {
  /** The loop's name; absent in commits of earlier versions. */
  readonly loop?: string;
  /** Attempt id, `A1.2`. */
  readonly attempt: string;
  readonly atom: string;
  /** Who worked it, where that is known: `claude:opus`. */
  readonly agent?: string;
  /** Name of the attempt's branch and folder. */
  readonly workspace: string;
  readonly summary: string;
  readonly artifacts: readonly string[];
  /** Commit that holds the attempt's own change, where it differs from what was merged. */
  readonly work?: string;
}

export type ReadMessage =
  | { readonly kind: "work"; readonly trailers: WorkTrailers }
  | { readonly kind: "revert"; readonly atoms: readonly string[]; readonly lost: readonly string[] }
  | { readonly kind: "other" };

/** @param said the subject as who did the work words it. @param pattern as of `subjectBy` */
export function workMessage(
  attempt: Attempt,
  description: string,
  trailers: WorkTrailers,
  { said = "", pattern }: { readonly said?: string | undefined; readonly pattern?: string | undefined } = {},
): string {
  const { loop, agent, work, summary } = trailers;
  const subject = subjectBy([said, description, summary], oneLine(attempt.atom), pattern);
  const body = subject === summary ? "" : paragraph(summary);
  return [
    subject,
    body,
    trailerBlock([
      ...row("Aot-Loop", loop),
      ...row("Aot-Atom", trailers.atom),
      ...row("Aot-Attempt", trailers.attempt),
      ...row("Aot-Agent", agent),
      ...row("Aot-Workspace", trailers.workspace),
      ...row("Aot-Summary", body === trailers.summary ? undefined : trailers.summary),
      ...trailers.artifacts.flatMap((artifact) => row("Aot-Artifact", artifact)),
      ...row("Aot-Work", work),
    ]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/**
 * @param atom what it is called where nobody said anything
 * @param pattern the person's own way, with `{atom}` and `{what}`
 */
export function subjectBy(texts: readonly string[], atom: string, pattern = "{what}"): string {
  const what = subjectOf(texts) || `Work on ${atom}`;
  return oneLine(pattern.replaceAll("{atom}", () => atom).replaceAll("{what}", () => what));
}

/** @param atoms those that were asked for; `lost` are those that could not stand without them */
export function revertMessage(atoms: readonly string[], lost: readonly string[], reason: string): string {
  return [
    `Take out ${shortened(oneLine([...atoms, ...lost].join(", ")), SUBJECT - "Take out ".length)}`,
    paragraph(reason),
    trailerBlock([
      ...[...atoms, ...lost].flatMap((atom) => row("Aot-Reverts", atom)),
      ...lost.flatMap((atom) => row("Aot-Lost", atom)),
    ]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

export function shelveMessage(attempt: Attempt | string, reason: string): string {
  const name = typeof attempt === "string" ? attempt : attempt.id;
  return `${oneLine(name)}: kept, not integrated\n\n${paragraph(reason)}\n`;
}

export function readMessage(message: string): ReadMessage {
  const trailers = new Map<string, string[]>();
  for (const row of (message.trimEnd().split(/\n\n+/).at(-1) ?? "").split("\n")) {
    const match = /^(Aot-[A-Za-z]+): (.*)$/s.exec(row);
    if (match?.[1] !== undefined) trailers.set(match[1], [...(trailers.get(match[1]) ?? []), decoded(match[2] ?? "")]);
  }
  const one = (name: string): string | undefined => trailers.get(name)?.[0];
  const atoms = trailers.get("Aot-Reverts");
  if (atoms !== undefined) return { kind: "revert", atoms, lost: trailers.get("Aot-Lost") ?? [] };
  const attempt = one("Aot-Attempt");
  const atom = one("Aot-Atom");
  if (attempt === undefined || atom === undefined) return { kind: "other" };
  const [work, loop, agent] = ["Aot-Work", "Aot-Loop", "Aot-Agent"].map(one);
  return {
    kind: "work",
    trailers: {
      ...(loop === undefined ? {} : { loop }),
      ...(agent === undefined ? {} : { agent }),
      attempt,
      atom,
      workspace: one("Aot-Workspace") ?? "",
      summary: one("Aot-Summary") ?? bodyOf(message),
      artifacts: trailers.get("Aot-Artifact") ?? [],
      ...(work === undefined ? {} : { work }),
    },
  };
}

/** What is between the first paragraph and the last. */
function bodyOf(message: string): string {
  const all = message.trimEnd();
  return all.slice(all.indexOf("\n\n") + 2, Math.max(0, all.lastIndexOf("\n\n")));
}

function row(name: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]];
}

function trailerBlock(rows: readonly (readonly [string, string])[]): string {
  return `${rows.map(([name, value]) => `${name}: ${encoded(value)}`).join("\n")}\n`;
}

function encoded(value: string): string {
  const plain = value !== "" && value === value.trim() && !value.startsWith('"') && value === wellFormed(value);
  return plain && value.search(CONTROL) < 0 ? value : JSON.stringify(value).replaceAll(CONTROL, escaped);
}

/** JSON leaves some of them as they are; to some readers they end a line. */
// oxlint-disable-next-line no-control-regex -- control characters are what must not be in a line
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function decoded(written: string): string {
  if (!written.startsWith('"')) return written;
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "string" ? value : written;
  } catch {
    return written;
  }
}

/** Text for people: bounded, and without what git or a terminal would stumble over. */
function paragraph(text: string): string {
  // oxlint-disable-next-line no-control-regex -- as said
  const clean = wellFormed(text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "").trim());
  return clean.length <= 4_000 ? clean : `${clean.slice(0, 4_000)}...`;
}

/** Half a surrogate pair has no UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
