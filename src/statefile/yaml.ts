/**
 * All of YAML 1.2 to text positions: runs js-yaml's event parser over the frontmatter and hands its events to
 * `compose.ts`. What it refuses becomes a problem with its place.
 */
import { type Event, parseEvents, YAMLException } from "js-yaml";
import { compose } from "./compose.ts";
import type { ContentNode, Range } from "./node.ts";
import type { Finding } from "./problems.ts";

/** Levels of nesting; each level of a checklist takes two. */
export const MAX_DEPTH = 200;

/** The frontmatter's root node, or the first thing that is wrong with the text as YAML. */
export function readYaml(text: string, range: Range): { readonly root: ContentNode } | { readonly finding: Finding } {
  const source = text.slice(range.start, range.end);
  const stray = /\r(?!\n)/.exec(source);
  if (stray !== null) {
    return {
      finding: {
        code: "yaml_syntax",
        message: "a carriage return without a line feed",
        at: range.start + stray.index,
        hint: "end lines with LF or CRLF",
      },
    };
  }
  const parsed = parse(source);
  return "events" in parsed ? compose(text, range, parsed.events) : { finding: translate(parsed, range) };
}

interface Fault {
  readonly reason: string;
  readonly at: number;
}

/** Closing brackets that stand under their key, or left of it, that a text may have: for each of them it is parsed once more. */
const MOST_CLOSERS = 200;

/**
 * Parses the text with js-yaml, which alone among readers refuses a closing bracket that is not indented deeper than its key. Blanks
 * are put before such a bracket; offsets are those of the text without these blanks.
 */
function parse(source: string): { readonly events: readonly Event[] } | Fault {
  let blanks = "";
  const closers: number[] = [];
  const inSource = (offset: number): number => offset - blanks.length * closers.filter((at) => at < offset).length;
  for (let given = source; ;) {
    try {
      const events = parseEvents(given, { maxDepth: MAX_DEPTH });
      return { events: closers.length === 0 ? events : events.map((event) => withOffsets(event, inSource)) };
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      const { reason, mark } = error;
      const at = mark?.position ?? 0;
      const isCloser = reason === "deficient indentation" && /[\]}]/.test(given[at] ?? "");
      if (!isCloser || closers.length === MOST_CLOSERS) return { reason, at: inSource(at) };
      // Deeper than any key.
      if (blanks === "") blanks = " ".repeat(Math.max(...source.split("\n").map(({ length }) => length)));
      closers.push(at);
      given = given.slice(0, at) + blanks + given.slice(at);
    }
  }
}

function withOffsets(event: Event, change: (offset: number) => number): Event {
  const moved = Object.entries(event).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "number" && /^start|Start$|End$/.test(name) ? change(value) : value,
  ]);
  return Object.fromEntries(moved) as Event;
}

function translate(fault: Fault, range: Range): Finding {
  const { reason } = fault;
  const at = Math.min(range.start + fault.at, range.end);
  if (reason.startsWith("nesting exceeded")) {
    return {
      code: "too_deep",
      message: `the frontmatter is nested deeper than ${MAX_DEPTH} levels`,
      at,
      hint: `flatten it: at most ${MAX_DEPTH / 2} checklist groups inside one another`,
    };
  }
  return { code: "yaml_syntax", message: `the frontmatter is not valid YAML: ${reason}`, at, hint: hintFor(reason) };
}

function hintFor(reason: string): string {
  if (reason.includes("tab characters")) return "indent with spaces";
  if (reason.includes("deficient indentation"))
    return "close the quote or bracket that is open here, or indent this line deeper than its key";
  if (reason.includes("quoted scalar")) return 'close the quote; a " inside double quotes is written \\"';
  if (reason.includes("escape")) return "write a backslash inside double quotes as \\\\, or use single quotes";
  if (reason.includes("document")) return "the frontmatter is one YAML document: remove the extra `---` or `...`";
  if (reason.includes("flow collection")) return "close the bracket, and separate the items with commas";
  return 'check the indentation here, and quote values that hold ": " or " #"';
}
