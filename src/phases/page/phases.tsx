/** A phase loop: its phases in their order, the gates between them, and what a person decides. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PhasesMessage } from "../messages.ts";
import { describePhaseEvent } from "../event-text.ts";
import type { GateState, GateStatus, PhaseState, PhaseStatus } from "../core/state.ts";
import type { Api, Link, LoopEntry, Reply } from "../../dashboard/page/api.ts";
import { GateDialog } from "../../dashboard/page/dialogs.tsx";
import { Problem } from "../../dashboard/page/parts.tsx";
import { Icon } from "../../view/icons.tsx";
import type { Standing } from "../../view/standing.ts";
import { Header } from "../../dashboard/page/header.tsx";
import { clock, moment } from "../../view/words.ts";

/** The sign of a phase or a gate: that of the standing which means the same. */
const PHASE_SIGNS: Readonly<Record<PhaseStatus | GateStatus, Standing>> = {
  pending: "waiting",
  active: "running",
  complete: "resolved",
  passed: "resolved",
  skipped: "not_selected",
  failed: "failed",
};

type Decision = "approve" | "reject" | "skip-gate";

interface PhasesProps {
  readonly api: Api;
  readonly loop: LoopEntry;
  readonly canAct: boolean;
  readonly chooser: JSX.Element | null;
  readonly onReply: (reply: Reply) => void;
}

export function PhasesView({ api, loop, canAct, chooser, onReply }: PhasesProps): JSX.Element {
  const [reported, setReported] = useState<PhasesMessage | null>(null);
  const [link, setLink] = useState<Link>("connecting");
  const [problem, setProblem] = useState<string | null>(null);
  const [deciding, setDeciding] = useState<{ readonly gate: string; readonly decision: Decision } | null>(null);
  useEffect(
    () =>
      api.follow(
        `/api/loops/${loop.key}/events`,
        (event, value) => {
          if (event === "phases") setReported(value as PhasesMessage);
          setProblem(event === "problem" ? ((value as { readonly message: string | null }).message ?? null) : null);
        },
        setLink,
      ),
    [loop.key],
  );
  const close = (reply: Reply | null): void => {
    setDeciding(null);
    if (reply !== null) onReply(reply);
  };
  const title = reported === null ? loop.name : (reported.definition.name ?? reported.definition.id);
  return (
    <>
      <Header title={title} status={reported?.loop.status ?? "pending"} link={link} chooser={chooser}>
        {null}
      </Header>
      <main class="phases">
        <Problem>{problem}</Problem>
        {reported === null ? (
          <p class="empty">Reading the loop…</p>
        ) : (
          <Track reported={reported} canAct={canAct} onDecide={(gate, decision) => setDeciding({ gate, decision })} />
        )}
        {reported !== null && <PhaseLog reported={reported} />}
      </main>
      {deciding === null ? null : (
        <GateDialog api={api} loop={loop.key} gate={deciding.gate} decision={deciding.decision} onClose={close} />
      )}
    </>
  );
}

interface TrackProps {
  readonly reported: PhasesMessage;
  readonly canAct: boolean;
  readonly onDecide: (gate: string, decision: Decision) => void;
}

function Track({ reported, canAct, onDecide }: TrackProps): JSX.Element {
  const { definition, loop } = reported;
  return (
    <section class="panel" aria-labelledby="track-title">
      <h2 id="track-title">
        Phases and gates
        <small>
          {loop.mode}, begun {moment(loop.started_at)}
        </small>
      </h2>
      {reported.problems.map((problem) => (
        <p key={problem} class="advice">
          {problem}
        </p>
      ))}
      <ol class="track">
        {loop.phases.map((phase) => (
          <li key={phase.name}>
            <PhaseCard phase={phase} current={phase.name === loop.phase && loop.status !== "complete"} />
            {definition.gates
              .filter((gate) => gate.after === phase.name)
              .map((gate) => {
                const state = loop.gates.find((one) => one.id === gate.id);
                return state === undefined ? null : (
                  <GateCard
                    key={gate.id}
                    gate={state}
                    words={gate.name ?? gate.auto_check ?? gate.condition ?? ""}
                    waits={reported.gate === gate.id}
                    reported={reported}
                    canAct={canAct}
                    onDecide={onDecide}
                  />
                );
              })}
          </li>
        ))}
      </ol>
    </section>
  );
}

function PhaseCard({ phase, current }: { readonly phase: PhaseState; readonly current: boolean }): JSX.Element {
  const sign = PHASE_SIGNS[phase.status];
  return (
    <article class={`card is-${sign} ${current ? "is-current" : ""}`}>
      <h3>
        <Icon name={sign} /> {phase.name}
      </h3>
      <p class="note">
        {phase.status}
        {phase.required ? "" : ", optional"}
        {phase.startedAt === null ? "" : `, begun ${clock(phase.startedAt)}`}
        {phase.completedAt === null ? "" : `, over ${clock(phase.completedAt)}`}
      </p>
      {phase.skills.length > 0 && <p>{phase.skills.join(", ")}</p>}
      {phase.deliverables.length > 0 && <p class="note">made {phase.deliverables.join(", ")}</p>}
    </article>
  );
}

interface GateCardProps extends TrackProps {
  readonly gate: GateState;
  readonly words: string;
  readonly waits: boolean;
}

const DECISIONS = [
  { action: "pass_gate", decision: "approve", words: "Approve", look: "main" },
  { action: "fail_gate", decision: "reject", words: "Send back", look: "plain" },
  { action: "skip_gate", decision: "skip-gate", words: "Skip", look: "plain" },
] as const;

function GateCard({ gate, words, waits, reported, canAct, onDecide }: GateCardProps): JSX.Element {
  const sign = PHASE_SIGNS[gate.status];
  const may = (type: string): boolean =>
    canAct && reported.allowed.some((action) => action.type === type && "gate" in action && action.gate === gate.id);
  return (
    <article class={`card gate is-${sign} ${waits ? "is-current" : ""}`}>
      <h3>
        <Icon name={sign} /> {gate.id}
      </h3>
      <p class="note">
        {gate.status}, {gate.approvalType}
        {gate.required ? "" : ", optional"}
        {gate.passedAt === null ? "" : `, ${clock(gate.passedAt)}`}
      </p>
      {words === "" ? null : <p>{words}</p>}
      {gate.deliverables.length > 0 && <p class="note">wants {gate.deliverables.join(", ")}</p>}
      {gate.skippedReason === null ? null : <p class="note">{gate.skippedReason}</p>}
      <div class="card-buttons">
        {DECISIONS.filter(({ action }) => may(action)).map(({ decision, words, look }) => (
          <button
            key={decision}
            type="button"
            class={look}
            aria-label={`${words} ${gate.id}`}
            onClick={() => onDecide(gate.id, decision)}
          >
            {words}
          </button>
        ))}
      </div>
    </article>
  );
}

function PhaseLog({ reported }: { readonly reported: PhasesMessage }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="log-title">
      <h2 id="log-title">What happened</h2>
      {reported.lines.length === 0 ? <p class="empty">Nothing yet.</p> : null}
      <ol class="events">
        {[...reported.lines].reverse().map((line, index) => (
          <li key={reported.lines.length - index}>
            <time>{clock(String(line["time"]))}</time>
            <span>{describePhaseEvent(line).text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
