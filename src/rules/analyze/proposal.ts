/**
 * The rule that would have stopped a call, as far as code can word it (SPEC section 12).
 *
 * PROPOSAL-1 the rule matches the call that it was made from;
 * PROPOSAL-2 a pattern is anchored at a command's, a path's or a word's edges, and made of what the person named, of
 *    the program with its first word, and of flags that take something away: never of an argument that nobody named, of a
 *    file that git is given, or of a plain word of an edit, which is in too much else;
 * PROPOSAL-3 it never blocks, and there is none for what was said about one moment.
 */
import { baseName, looks, type Piece } from "./command-pieces.ts";
import type { Occurrence } from "./session.ts";
import { addedLines, type PastCall } from "./past-call.ts";

export interface ProposedCondition {
  readonly field: "command" | "file_path" | "new_text";
  /** A regular expression of the common kind: no looking around, nothing that refers back. */
  readonly pattern: string;
}

export interface Proposal {
  readonly name: string;
  readonly event: Exclude<PastCall["event"], "other">;
  /** All of them must hold. */
  readonly conditions: readonly ProposedCondition[];
  /** Words alone never block: whether it shall is for the person to say. */
  readonly action: "warn";
  readonly message: string;
}

/** @returns null: it was about the moment, or no pattern tells such a call from a good one */
export function proposalFor(occurrence: Occurrence): Proposal | null {
  const { call } = occurrence;
  const { event } = call;
  if (event === "other" || !occurrence.lasting) return null;
  const shape = event === "bash" ? commandShape(occurrence) : fileShape(occurrence);
  if (shape === null) return null;
  return {
    name: slug(shape.name),
    event,
    conditions: shape.conditions,
    action: "warn",
    message: messageFor(occurrence),
  };
}

interface Shape {
  readonly name: string;
  readonly conditions: readonly ProposedCondition[];
}

// ── commands ────────────────────────────────────────────────────────────────

/** Programs whose first word says what they do. */
const COMMANDED =
  /^(?:git|gh|npm|pnpm|yarn|bun|npx|pnpx|bunx|uvx|pip3?|uv|poetry|conda|docker|docker-compose|podman|kubectl|helm|terraform|cargo|go|dotnet|mvn|gradlew?|make|just|task|nvm|brew|apt|apt-get|systemctl|service|aws|gcloud|az|heroku|fly|vercel|prisma|rails|rake|bundle|composer|php|flutter|deno|nx|turbo)$/;
/** First words behind which another one says what is done. */
const CARRYING = /^(?:run|exec|x|compose|dlx|tool|test|prisma)$/;
const RISKY =
  /^(?:-f|-rf|-fr|-D|-u|-af|--force\S*|--hard|--no-verify|--volumes|--all|--delete|--mirror|--prune|-delete)$/;
/** Where a command begins: at the text's beginning or behind another one, with assignments and `sudo` before it. */
const START = String.raw`(?:^|[\n;&|(]\s*)(?:\w+=\S*\s+)*(?:sudo\s+)?`;
const EDGE = String.raw`(?:\s|$)`;
const MOST_WORDS = 6;

function commandShape(occurrence: Occurrence): Shape | null {
  const { call, tie, misuse } = occurrence;
  const named = new Set([...tie.names, ...(misuse === null || misuse.word === "" ? [] : [misuse.word])]);
  const piece = pieceAbout(call, named, tie.sibling?.used);
  const [program] = piece?.words ?? [];
  if (piece === undefined || program === undefined || (misuse === null && tie.sibling === null && looks(piece)))
    return null;
  const rest = piece.words.slice(1);
  const swapped = tie.sibling?.used;
  const programAlone =
    swapped === baseName(program) || (misuse !== null && misuse.word === program && /not found/.test(misuse.key));
  const lead = programAlone ? 0 : leadLength(baseName(program), rest);
  const chosen = programAlone
    ? []
    : rest
        .map((word, at) => ({ word, at }))
        .filter(({ word }) => program !== "git" || !word.includes("/"))
        .filter(({ word, at }) => at < lead || RISKY.test(word) || isNamed(word, named) || word === swapped)
        .slice(0, MOST_WORDS);
  const words = chosen.map(({ word }) => word);
  // Everything that the program does is too much, unless it was named itself.
  if (!programAlone && words.length === 0 && !isNamed(baseName(program), named)) return null;
  const pattern = `${START}${escaped(program)}${joined(chosen, lead)}${EDGE}`;
  return {
    name: ["no", baseName(program), ...words].join("-"),
    conditions: [{ field: "command", pattern: withFallback(pattern, call, program, words) }],
  };
}

function pieceAbout(call: PastCall, named: ReadonlySet<string>, swapped: string | undefined): Piece | undefined {
  const marks = (piece: Piece): number =>
    piece.words.filter((word) => isNamed(word, named) || baseName(word) === swapped).length * 2 +
    (piece.words.some((word) => RISKY.test(word)) ? 1 : 0);
  let best: Piece | undefined;
  for (const piece of call.pieces) if (best === undefined || marks(piece) > marks(best)) best = piece;
  return best;
}

/** How many words behind the program say what it does. */
function leadLength(program: string, words: readonly string[]): number {
  if (!COMMANDED.test(program)) return 0;
  let length = 0;
  while (length < 3 && /^[a-z][\w:-]*$/i.test(words[length] ?? "")) {
    length++;
    if (!CARRYING.test(words[length - 1] ?? "") && !(length === 1 && /^(?:npx|pnpx|bunx|uvx)$/.test(program))) break;
  }
  return length;
}

function isNamed(word: string, named: ReadonlySet<string>): boolean {
  const lower = word.toLowerCase();
  if (named.has(lower) || named.has(lower.replace(/^-+/, ""))) return true;
  return [...named].some((name) => name.length > 1 && lower.split(/[\\/.:=@,]+/).includes(name));
}

/** What says what is done stands side by side; before anything else there may be other words of the same command. */
function joined(chosen: readonly { readonly word: string; readonly at: number }[], lead: number): string {
  return chosen
    .map(({ word, at }) => {
      const gap = at < lead ? String.raw`\s+` : String.raw`\s(?:[^;&|]*\s)?`;
      return `${gap}${escaped(word)}`;
    })
    .join("");
}

/** PROPOSAL-1: where quotes or line breaks of the real command are in the way, the words in their order have to do. */
function withFallback(pattern: string, call: PastCall, program: string, words: readonly string[]): string {
  if (new RegExp(pattern, "i").test(call.command)) return pattern;
  const loose = [program, ...words].map(escaped).join(String.raw`[\s\S]*`);
  if (new RegExp(loose, "i").test(call.command)) return loose;
  return escaped(program);
}

// ── files ───────────────────────────────────────────────────────────────────

const COMMENT = String.raw`(?:^|\n)\s*(?://|#|/\*|<!--)`;
const TEST_FILE = String.raw`(?:^|[/\\])(?:tests?|specs?|__tests__)[/\\]|[._-](?:test|spec)s?\.\w+$`;

function fileShape(occurrence: Occurrence): Shape | null {
  const { call, tie, misuse } = occurrence;
  if (misuse !== null || call.path === "") return null;
  const names = [...tie.names, ...(tie.sibling === null ? [] : [tie.sibling.used])];
  const identifiers = names.filter((name) => isIdentifier(name, occurrence.quote.text));
  const path = pathPattern(call.path, names, identifiers);
  const text = textPattern(call, identifiers, tie.concept);
  if (text !== null)
    return {
      name: `no-${text.name}${path === null ? "" : `-in-${path.name}`}`,
      conditions: [
        { field: "new_text", pattern: text.pattern },
        ...(path === null ? [] : [{ field: "file_path" as const, pattern: path.pattern }]),
      ],
    };
  if (path !== null) return { name: `leave-${path.name}`, conditions: [{ field: "file_path", pattern: path.pattern }] };
  return tie.concept && new RegExp(TEST_FILE, "i").test(call.path)
    ? { name: "leave-tests", conditions: [{ field: "file_path", pattern: TEST_FILE }] }
    : null;
}

/** No plain word: the person put it into quotes or code, or it is written as only names are. */
function isIdentifier(name: string, said: string): boolean {
  const at = said.toLowerCase().indexOf(name);
  const written = at === -1 ? name : said.slice(at, at + name.length);
  return /[\W\d_]|\p{Ll}\p{Lu}/u.test(written) || /["'`“„]/u.test(at < 1 ? "" : (said[at - 1] ?? ""));
}

const START_OF_PATH = String.raw`(?:^|[/\\])`;

/** The folder or file that was named, the deepest one. */
function pathPattern(
  path: string,
  names: readonly string[],
  identifiers: readonly string[],
): { readonly name: string; readonly pattern: string } | null {
  const parts = path.split("/");
  const file = parts.at(-1) ?? "";
  const bare = file.replace(/\.[^.]+$/, "").toLowerCase();
  // A file's name without its ending may be a plain word.
  if (names.some((name) => [file.toLowerCase(), path.toLowerCase()].includes(name)) || identifiers.includes(bare))
    return { name: file, pattern: `${START_OF_PATH}${pathText(parts.slice(-2).join("/"))}$` };
  const at = parts
    .slice(0, -1)
    .findLastIndex((part) => names.some((name) => name.replace(/\/$/, "").split("/").includes(part.toLowerCase())));
  const folder = parts[at];
  return folder === undefined
    ? null
    : { name: folder, pattern: `${START_OF_PATH}${escaped(folder)}${String.raw`[/\\]`}` };
}

function textPattern(
  call: PastCall,
  names: readonly string[],
  concept: boolean,
): { readonly name: string; readonly pattern: string } | null {
  const added = addedLines(call).join("\n");
  for (const name of [...names].sort((one, other) => other.length - one.length)) {
    const found = new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`, "i").exec(added);
    if (found === null) continue;
    const edge = (character: string | undefined): string => (/\w/.test(character ?? "") ? String.raw`\b` : "");
    return { name, pattern: `${edge(name[0])}${escaped(name)}${edge(name.at(-1))}` };
  }
  return concept && new RegExp(COMMENT).test(added) ? { name: "comments", pattern: COMMENT } : null;
}

function pathText(path: string): string {
  return path
    .split("/")
    .map(escaped)
    .join(String.raw`[/\\]`);
}

// ── words ───────────────────────────────────────────────────────────────────

function messageFor({ quote, by, tie }: Occurrence): string {
  const instead = tie.sibling === null ? "" : `\n\nUse ${tie.sibling.wanted} instead of ${tie.sibling.used}.`;
  if (by === "tool") return `This failed before, each time with: ${quote.text}`;
  return `The user has corrected this before: "${quote.text}"${instead}`;
}

function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? ["rule"];
  return words.join("-").slice(0, 50).replace(/-$/, "");
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (character) => (character === "/" ? "/" : `\\${character}`));
}
