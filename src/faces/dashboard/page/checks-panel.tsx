/** The base case: what will be checked, or what the last check found, with its evidence. */
import type { JSX } from "preact";
import type { ChecklistItem } from "../../../core/state.ts";
import { checklistOf, describeCheck, type Evidence, type NodeVerdict, type Passed } from "../../../core/verdict.ts";
import { Icon } from "./icons.tsx";
import type { Scene } from "./scene.ts";
import { lasting, moment } from "./words.ts";

export function ChecksPanel({ scene }: { readonly scene: Scene }): JSX.Element {
  const last = scene.story.checked;
  const { objective, control } = scene.state;
  return (
    <div class="stack">
      <p class="lead">{objective.definition_of_done}</p>
      {last === null ? (
        <>
          <p class="note">The base case was not checked yet. What will be:</p>
          <ul class="checks">{checklistOf(objective.base_case).map((item) => plannedItem(item))}</ul>
        </>
      ) : (
        <>
          <p class="note">
            Checked {moment(last.time)} in iteration {last.iteration}
            {last.commit === null ? "" : `, commit ${last.commit.slice(0, 10)}`};{" "}
            {scene.story.checks.length === 1 ? "the first check" : `check ${scene.story.checks.length}`}
          </p>
          <ul class="checks">{last.verdict.checklist.map((node) => verdictItem(node, last.verdict.passed))}</ul>
          {last.verdict.requires_user_confirmation && control.outcome !== "verified" && (
            <p class="advice">A person's yes is needed: `aot run --confirm`.</p>
          )}
        </>
      )}
    </div>
  );
}

function plannedItem(item: ChecklistItem): JSX.Element {
  if ("check" in item) {
    const check = describeCheck(item.check);
    // A check that has no name of its own is called what it is.
    const isNamed = !check.endsWith(item.item);
    return (
      <li key={item.item} class="check-line">
        <Mark passed={null} planned /> {isNamed && <span class="check-item">{item.item}</span>} <code>{check}</code>
      </li>
    );
  }
  return (
    <li key={item.item}>
      <Mark passed={null} planned /> <span class="check-item">{item.item}</span>{" "}
      <small>{"group" in item ? "all of" : "any of"}</small>
      <ul class="checks">{("group" in item ? item.group : item.any_of).map((child) => plannedItem(child))}</ul>
    </li>
  );
}

/** @param above the verdict that it is a part of: what fails is shown with its evidence where that matters */
function verdictItem(node: NodeVerdict, above: Passed): JSX.Element {
  if ("check" in node)
    return (
      <li key={node.item}>
        <details open={node.passed !== true && above !== true}>
          <summary>
            <Mark passed={node.passed} /> <span class="check-item">{node.item}</span>
          </summary>
          <div class="evidence">
            <code>{describeCheck(node.check)}</code>
            <EvidenceOf evidence={node.evidence} />
          </div>
        </details>
      </li>
    );
  return (
    <li key={node.item}>
      <Mark passed={node.passed} /> <span class="check-item">{node.item}</span>{" "}
      <small>{"group" in node ? "all of" : "any of"}</small>
      <ul class="checks">
        {("group" in node ? node.group : node.any_of).map((child) => verdictItem(child, node.passed))}
      </ul>
    </li>
  );
}

function Mark({ passed, planned = false }: { readonly passed: Passed; readonly planned?: boolean }): JSX.Element {
  if (planned) return <Icon name="waiting" label="not checked yet" />;
  const [name, label] =
    passed === true ? ["resolved", "passed"] : passed === false ? ["given_up", "failed"] : ["undecided", "not decided"];
  return (
    <span class={`verdict verdict-${String(passed)}`}>
      <Icon name={name} label={label} />
    </span>
  );
}

function EvidenceOf({ evidence }: { readonly evidence: Evidence }): JSX.Element {
  switch (evidence.kind) {
    case "command": {
      const { exit_code, signal, timed_out, duration_ms, output } = evidence;
      const ended = timed_out
        ? "timed out"
        : exit_code === null
          ? `ended by ${signal ?? "a signal"}`
          : `exit code ${exit_code}`;
      return (
        <>
          <p class="note">
            {ended} after {lasting(duration_ms)}
            {evidence.note === undefined ? "" : `; ${evidence.note}`}
          </p>
          {output.trim() !== "" && (
            <pre tabIndex={0} role="group" aria-label="Output">
              {output}
            </pre>
          )}
        </>
      );
    }
    case "file":
      return (
        <p class="note">
          {evidence.total === 0 ? "nothing matches" : `${evidence.total} match: ${evidence.matches.join(", ")}`}
        </p>
      );
    case "scores":
      return (
        <>
          <p class="note">
            average {evidence.average.toFixed(2)}, {evidence.threshold} wanted
          </p>
          <ul class="scores">
            {evidence.scores.map(({ criterion, score, reason }) => (
              <li key={criterion}>
                <b>{score}</b> {criterion}: {reason}
              </li>
            ))}
          </ul>
        </>
      );
    case "judgement":
    case "undecided":
      return <p class="note">{evidence.reason}</p>;
    case "flaky":
      return <p class="note">flaky: {evidence.reason}</p>;
    case "error":
      return <p class="note">{evidence.message}</p>;
  }
}
