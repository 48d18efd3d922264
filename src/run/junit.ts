/** JUnit XML, as CI servers read it. Pure. */
import { markupAttribute, markupText } from "../view/markup.ts";

export interface Case {
  readonly name: string;
  readonly seconds?: number;
  readonly state: "passed" | "failed" | "skipped" | "error";
  /** Why it is not passed. */
  readonly message?: string;
  /** What it rests on. */
  readonly evidence?: string;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** @param seconds of the whole */
export function junitText(name: string, suites: readonly Suite[], seconds: number): string {
  const all = suites.flatMap((suite) => suite.cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${markupAttribute(name)}" ${counts(all)} time="${seconds}">`,
    ...suites.flatMap(suiteLines),
    "</testsuites>",
    "",
  ].join("\n");
}

/** The one suite of a run that came to no outcome. @param name what was to hold */
export function brokenSuite(name: string, message: string): Suite {
  return { name: "run", cases: [{ name, state: "error", message }] };
}

function suiteLines({ name, cases }: Suite): string[] {
  return [
    `  <testsuite name="${markupAttribute(name)}" ${counts(cases)}>`,
    ...cases.flatMap((one) => caseLines(name, one)),
    "  </testsuite>",
  ];
}

function counts(cases: readonly Case[]): string {
  const of = (state: Case["state"]): number => cases.filter((one) => one.state === state).length;
  return `tests="${cases.length}" failures="${of("failed")}" errors="${of("error")}" skipped="${of("skipped")}"`;
}

const ELEMENTS = { failed: "failure", error: "error", skipped: "skipped" } as const;

function caseLines(suite: string, { name, seconds, state, message, evidence }: Case): string[] {
  const time = seconds === undefined ? "" : ` time="${seconds}"`;
  const why = markupAttribute(message ?? "");
  const element =
    state === "passed"
      ? []
      : [
          `      <${ELEMENTS[state]} message="${why}">${markupText(state === "skipped" ? "" : (message ?? ""))}</${ELEMENTS[state]}>`,
        ];
  const out =
    evidence === undefined || evidence.trim() === "" ? [] : [`      <system-out>${markupText(evidence)}</system-out>`];
  return [
    `    <testcase classname="${markupAttribute(suite)}" name="${markupAttribute(name)}"${time}>`,
    ...element,
    ...out,
    "    </testcase>",
  ];
}
