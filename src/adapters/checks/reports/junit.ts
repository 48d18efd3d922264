/**
 * JUnit XML: surefire, pytest, gotestsum, jest-junit, mocha-junit-reporter, vitest, node:test. Pure. Tags and attributes
 * are all that is read of it, so it needs no XML library.
 */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder, type ReportBuilder, type TestOutcome } from "./report-builder.ts";

/** The begin of a comment or of CDATA; a declaration; or a tag: closing, name, attributes, empty. */
const TOKEN =
  /<!--|<!\[CDATA\[|<[?!][^<>]*>|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENDS: Readonly<Record<string, string>> = { "<!--": "-->", "<![CDATA[": "]]>" };
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

interface Tag {
  readonly name: string;
  readonly is: "begin" | "end";
  readonly attributes: Readonly<Record<string, string>>;
}

export function readJunit(text: string): TestReport | null {
  const begin = /<testsuites?[\s>]/.exec(text);
  if (begin === null) return null;
  const builder = createReportBuilder();
  const open: string[] = [];
  const suites: string[] = [];
  let test: TestCase | null = null;
  let broken: string | null = null;
  for (const { name, is, attributes } of tagsOf(text, begin.index)) {
    if (is === "begin") {
      open.push(name);
      if (name === "testsuite") suites.push(attributes["name"] ?? "");
      if (name === "testcase") test = testOf(suites, attributes);
      else if (test !== null) test = withMark(test, name, attributes);
      continue;
    }
    if (open.pop() !== name) broken ??= `its tags do not match at </${name}>`;
    if (name === "testsuite") suites.pop();
    if (name === "testcase") {
      take(builder, test);
      test = null;
    }
  }
  if (open.length > 0) broken ??= `<${open[0] ?? ""}> is not closed, so it may be cut off`;
  return builder.report("junit", broken);
}

interface TestCase {
  readonly parts: readonly string[];
  readonly outcome: TestOutcome;
  /** Of a module that could not be imported. */
  readonly isError: boolean;
}

function testOf(suites: readonly string[], { name = "", classname = "", file = "" }: Tag["attributes"]): TestCase {
  return { parts: [file, ...suites, classname, name], outcome: "passed", isError: false };
}

function withMark(test: TestCase, mark: string, { message }: Tag["attributes"]): TestCase {
  if (mark === "skipped" && test.outcome === "passed") return { ...test, outcome: "skipped" };
  if (mark !== "failure" && mark !== "error") return test;
  // As pytest says it.
  return { ...test, outcome: "failed", isError: mark === "error" && message === "collection failure" };
}

function take(builder: ReportBuilder, test: TestCase | null): void {
  if (test === null) return;
  if (test.isError) builder.error(test.parts);
  else builder.add(test.parts, test.outcome);
}

/** An empty tag begins and ends. A comment or CDATA without an end hides the rest. */
function* tagsOf(text: string, from: number): Generator<Tag> {
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [whole, closing, name, attributes = "", empty] = token;
    const { lastIndex } = TOKEN;
    const end = ENDS[whole];
    const next = end === undefined ? lastIndex : text.indexOf(end, lastIndex);
    if (next < 0) return;
    if (name !== undefined && closing !== "/") yield { name, is: "begin", attributes: attributesOf(attributes) };
    if (name !== undefined && (closing === "/" || empty === "/")) yield { name, is: "end", attributes: {} };
    // Another text may have been read meanwhile.
    TOKEN.lastIndex = next;
  }
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [, name = "", double, single] of text.matchAll(ATTRIBUTE)) found[name] = plain(double ?? single ?? "");
  return found;
}

function plain(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (whole: string, ...groups: unknown[]) => {
    const [decimal, hex, name] = groups.map((group) => (typeof group === "string" ? group : ""));
    if (name !== "") return ENTITIES[name ?? ""] ?? whole;
    const code = decimal === "" ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}
