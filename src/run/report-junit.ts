/** The report of a run as JUnit XML: the run, its atoms and its base case as suites. Pure. */
import { describeProblems } from "../core/problem.ts";
import { describeCheck, type NodeVerdict } from "../core/verdict.ts";
import { evidenceWords } from "../view/evidence.ts";
import type { RunEnd } from "./options.ts";
import type { RunReport } from "./report.ts";
import { markupAttribute, markupText } from "../view/markup.ts";

/** One suite for the run itself, so that a CI server is red whenever nothing was verified. */
export function junitOf(end: RunEnd): string {
  if (!end.ok) return junitText("aot run", [brokenSuite("verified", describeProblems(end.problems))], 0);
  return junitText(end.report.goal, suitesOf(end.report), end.report.active_ms / 1_000);
}

function suitesOf(report: RunReport): Suite[] {
  const verified = report.outcome === "verified";
  const run: Case = {
    name: verified ? "verified" : `verified (${report.outcome})`,
    seconds: report.active_ms / 1_000,
    state: verified ? "passed" : "failed",
    message: report.message,
    evidence: `${report.message}\n${report.place}`,
  };
  const leaves = report.verdict === null ? [] : leavesIn(report.verdict.checklist);
  return [
    { name: "run", cases: [run] },
    { name: "atoms", cases: report.atoms.map(atomCase) },
    { name: "base case", cases: leaves.length === 0 ? [notChecked(verified)] : leaves.map(leafCase) },
  ];
}

function atomCase({ id, description, status, counted, failed, binding }: RunReport["atoms"][number]): Case {
  const name = `${id}: ${description}`;
  if (status === "resolved") {
    const artifacts = binding === undefined || binding.artifacts.length === 0 ? [] : binding.artifacts.join(", ");
    return { name, state: "passed", evidence: [binding?.summary ?? "", artifacts].flat().join("\n") };
  }
  if (!counted) return { name, state: "skipped", message: "not needed: a container, or beside what was chosen" };
  if (failed === undefined) return { name, state: "skipped", message: `not done: ${status}` };
  const message = `failed ${failed.times} ${failed.times === 1 ? "time" : "times"}: ${failed.reason}`;
  return { name, state: "failed", message, evidence: failed.reason };
}

function notChecked(verified: boolean): Case {
  return { name: "base case", state: verified ? "passed" : "skipped", message: "not checked in this run" };
}

type Leaf = Extract<NodeVerdict, { readonly check: unknown }>;

/** `spared`: it is in an `any_of` of which another alternative holds. */
interface PlacedLeaf {
  readonly leaf: Leaf;
  readonly spared: boolean;
}

function leavesIn(nodes: readonly NodeVerdict[], spared = false): readonly PlacedLeaf[] {
  return nodes.flatMap((node) => {
    if ("check" in node) return [{ leaf: node, spared }];
    return "group" in node ? leavesIn(node.group, spared) : leavesIn(node.any_of, spared || node.passed === true);
  });
}

function leafCase({ leaf: { item, check, passed, evidence }, spared }: PlacedLeaf): Case {
  const name = item === "" ? describeCheck(check) : item;
  const what = describeCheck(check);
  const isFlaky = evidence.kind === "flaky";
  const { words, lines } = evidenceWords(evidence);
  return {
    name,
    state: passed === true ? "passed" : (passed === false || isFlaky) && !spared ? "failed" : "skipped",
    message: spared
      ? `not needed, another alternative holds: ${what}`
      : isFlaky
        ? `flaky: ${what}`
        : passed === null
          ? `not decided: ${what}`
          : `failed: ${what}`,
    evidence: [what, words, lines].join("\n"),
    ...(evidence.kind === "command" ? { seconds: evidence.duration_ms / 1_000 } : {}),
  };
}

interface Case {
  readonly name: string;
  readonly seconds?: number;
  readonly state: "passed" | "failed" | "skipped" | "error";
  /** Why it is not passed. */
  readonly message?: string;
  /** What it rests on. */
  readonly evidence?: string;
}

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** @param seconds of the whole */
function junitText(name: string, suites: readonly Suite[], seconds: number): string {
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
function brokenSuite(name: string, message: string): Suite {
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
