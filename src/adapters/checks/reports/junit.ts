/** JUnit XML: surefire, pytest, gotestsum, jest-junit, mocha-junit-reporter, vitest, node:test. Pure; no library: tags and their attributes are all that is read. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder, type TestOutcome } from "./report-builder.ts";

/** Comments, CDATA, declarations; or a tag: closing, name, attributes, empty. */
const TOKEN =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<[?!][^>]*>|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

export function readJunit(text: string): TestReport | null {
  const begin = /<testsuites?[\s>]/.exec(text);
  if (begin === null) return null;
  const builder = createReportBuilder();
  const open: string[] = [];
  const suites: string[] = [];
  let test: { readonly parts: readonly string[]; outcome: TestOutcome; isError: boolean } | null = null;
  let broken: string | null = null;
  TOKEN.lastIndex = begin.index;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [, closing, name, attributes = "", empty] = token;
    if (name === undefined) continue;
    const isEnd = closing === "/";
    if (!isEnd && name === "testsuite") suites.push(attributesOf(attributes)["name"] ?? "");
    if (!isEnd && name === "testcase") {
      const { name: title = "", classname = "", file = "" } = attributesOf(attributes);
      test = { parts: [file, ...suites, classname, title], outcome: "passed", isError: false };
    }
    if (!isEnd && test !== null) {
      if (name === "failure" || name === "error") test.outcome = "failed";
      if (name === "skipped" && test.outcome !== "failed") test.outcome = "skipped";
      // pytest: a module that could not be imported.
      if (name === "error" && attributesOf(attributes)["message"] === "collection failure") test.isError = true;
    }
    if (!isEnd && empty !== "/") open.push(name);
    else if (isEnd && open.pop() !== name) broken ??= `its tags do not match at </${name}>`;
    if (!isEnd && empty !== "/") continue;
    if (name === "testsuite") suites.pop();
    if (name !== "testcase" || test === null) continue;
    if (test.isError) builder.error(test.parts);
    else builder.add(test.parts, test.outcome);
    test = null;
  }
  if (open.length > 0) broken ??= `<${open[0]}> is not closed, so it may be cut off`;
  return builder.report("junit", broken);
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [, name = "", double, single] of text.matchAll(ATTRIBUTE)) found[name] = plain(double ?? single ?? "");
  return found;
}

function plain(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (whole, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    if (name !== undefined) return ENTITIES[String(name)] ?? String(whole);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : String(whole);
  });
}
