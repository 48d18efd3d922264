/** The base case: what will be checked, or what the last check found, with its evidence. */
import type { JSX } from "preact";
import type { BaseCase, ChecklistItem } from "../core/state.ts";
import {
  checklistOf,
  describeCheck,
  type CheckNode,
  type ChecklistVerdict,
  type NodeVerdict,
  type Passed,
} from "../core/verdict.ts";
import { evidenceWords } from "./evidence.ts";
import { Icon } from "./icons.tsx";
import type { Scene } from "./scene.ts";
import { luckWords, runsWords, testsChangedWords, UNCONFIRMED, verdictWords } from "./standing.ts";
import { moment } from "./words.ts";

export function ChecksPanel({ scene }: { readonly scene: Scene }): JSX.Element {
  const { checked, checks } = scene.story;
  const { objective, control } = scene.state;
  return (
    <div class="stack">
      {objective.definition_of_done !== "" && <p class="lead">{objective.definition_of_done}</p>}
      {checked === null ? (
        <>
          <p class="note">The base case was not checked yet. What will be:</p>
          <PlannedList baseCase={objective.base_case} />
        </>
      ) : (
        <>
          <p class="note">
            Checked {moment(checked.time, scene.zone)} in iteration {checked.iteration}
            {checked.commit === null ? "" : `, commit ${checked.commit.slice(0, 10)}`};{" "}
            {checks.length === 1 ? "the first check" : `check ${checks.length}`}
          </p>
          <VerdictList verdict={checked.verdict} isConfirmed={control.outcome === "verified"} />
        </>
      )}
    </div>
  );
}

function PlannedList({ baseCase }: { readonly baseCase: BaseCase }): JSX.Element {
  return <ul class="checks">{checklistOf(baseCase).map(plannedItem)}</ul>;
}

interface VerdictProps {
  readonly verdict: ChecklistVerdict;
  /** Of a loop that is verified no confirmation is missing. */
  readonly isConfirmed: boolean;
}

export function VerdictList({ verdict, isConfirmed }: VerdictProps): JSX.Element {
  const luck = luckWords(verdict);
  const changed = testsChangedWords(verdict);
  return (
    <>
      <ul class="checks">{verdict.checklist.map((node) => verdictItem(node, verdict.passed, isConfirmed))}</ul>
      {luck !== null && <p class="note">{luck}</p>}
      {changed !== null && <p class="note">{changed}</p>}
      {verdict.requires_user_confirmation && !isConfirmed && (
        <p class="advice">A human has to confirm this: `aot run --accept assertions`.</p>
      )}
    </>
  );
}

/** A check that has no name of its own is called what it is. */
function nameOf(item: string, check: string): string {
  return check.endsWith(item) ? "" : item;
}

function plannedItem(item: ChecklistItem): JSX.Element {
  if ("check" in item) {
    const check = describeCheck(item.check);
    return (
      <li key={item.item} class="check-line">
        <Icon name="waiting" label="not checked yet" /> <span class="check-item">{nameOf(item.item, check)}</span>{" "}
        <code>{check}</code>
      </li>
    );
  }
  return (
    <li key={item.item}>
      <Icon name="waiting" label="not checked yet" /> <span class="check-item">{item.item}</span>{" "}
      <small>{"group" in item ? "all of" : "any of"}</small>
      <ul class="checks">{("group" in item ? item.group : item.any_of).map(plannedItem)}</ul>
    </li>
  );
}

/** @param above the verdict that it is a part of: what fails is shown with its evidence where that matters */
function verdictItem(node: NodeVerdict, above: Passed, isConfirmed: boolean): JSX.Element {
  if ("check" in node) return leafItem(node, above, isConfirmed);
  return (
    <li key={node.item}>
      <Verdict passed={node.passed} /> <span class="check-item">{node.item}</span>{" "}
      <small>{"group" in node ? "all of" : "any of"}</small>
      <ul class="checks">
        {("group" in node ? node.group : node.any_of).map((child) => verdictItem(child, node.passed, isConfirmed))}
      </ul>
    </li>
  );
}

function leafItem(
  { item, check, passed, evidence, requires_user_confirmation, runs = 1 }: CheckNode,
  above: Passed,
  isConfirmed: boolean,
): JSX.Element {
  const what = describeCheck(check);
  const name = nameOf(item, what);
  const { words, lines, log } = evidenceWords(evidence);
  return (
    <li key={item}>
      <details open={passed !== true && above !== true}>
        <summary>
          <Verdict passed={passed} /> <span class="check-item">{name === "" ? what : name}</span>
          {requires_user_confirmation === true && !isConfirmed && <small> {UNCONFIRMED}</small>}
        </summary>
        <div class="evidence">
          {name !== "" && <code>{what}</code>}
          <p class="note">
            {words}
            {runsWords({ runs })}
          </p>
          {lines.trim() !== "" && (
            <pre tabIndex={0} role="group" aria-label="Evidence">
              {lines}
            </pre>
          )}
          {log !== undefined && (
            <p class="note">
              Whole output: <code>{log}</code>
            </p>
          )}
        </div>
      </details>
    </li>
  );
}

const SIGNS: Readonly<Record<string, string>> = { true: "resolved", false: "failed", null: "undecided" };

function Verdict({ passed }: { readonly passed: Passed }): JSX.Element {
  return (
    <span class={`verdict verdict-${String(passed)}`}>
      <Icon name={SIGNS[String(passed)] ?? "undecided"} /> {verdictWords(passed).words}
    </span>
  );
}
