/**
 * AoT Loop as a library: everything that `aot` does, as typed functions.
 *
 * Expected failure is a value (`Result`, `RunEnd`), never an exception. Functions that take a `stateFile` work on
 * the file under its lock, as the commands do; functions that take a `State` are pure.
 */

// ── the state file (SPEC section 2) ─────────────────────────────────────────
export { createStateFile, editStateFile, readStateFile } from "./adapters/store/state-file.ts";
export { findStateFile, projectOf } from "./project/find-state-file.ts";
export { showState, type ShownState } from "./edit/show-state.ts";
export { createStateText } from "./statefile/create.ts";
export type { StateDocument } from "./statefile/document.ts";
export { stateJsonSchema } from "./statefile/json-schema.ts";
export { parseState, type ParseResult } from "./statefile/parse.ts";
export { printState } from "./statefile/print.ts";

// ── working a loop (SPEC sections 4 to 9) ───────────────────────────────────
export { loopReport, planPhases, planRun, redirectLoop, runLoop, runPhases, stopLoop } from "./library.ts";
export type { PhasesRunOptions, RunOptions } from "./library.ts";
export type { UnattendedOptions, RunControl, RunEnd, RunWatch } from "./run/options.ts";
export { readPrices, type Price, type PriceTable } from "./run/prices.ts";
export type { Notice } from "./run/notify.ts";
export { attachLoop, type AttachEnd } from "./run/attach.ts";
export { detachRun, readDetached, type DetachedRecord, type Detaching, type Launch } from "./run/detach.ts";
export type { RunReport } from "./run/report.ts";
export type { StopAsked } from "./run/stop.ts";
export type { RedirectDone } from "./edit/redirect-loop.ts";
export { loopStatus, type LoopStatus } from "./status/loop-status.ts";
export type { LoopReport } from "./status/loop-report.ts";
export { followLog, readLog, type LogFilter, type LoopLog } from "./history/loop-log.ts";
export { createAgent, firstInstalled } from "./adapters/agents/find.ts";
export { redFirst, type RedFirstReport } from "./adapters/checks/red-first.ts";
export { runCheck, verifyIn, type Deciders } from "./verify/verify-loop.ts";
export { tamperedIn, tamperingTold } from "./verify/tampered-files.ts";
export { examine, type Examination } from "./doctor/doctor.ts";
export type { Finding } from "./doctor/finding.ts";
export { cleanUp } from "./doctor/leftovers.ts";
export { loadConfig, type Config } from "./project/config.ts";
export type { Settings } from "./project/config-schema.ts";
export { setUpOf } from "./run/config-set-up.ts";

// ── by hand, on the file (SPEC section 10) ──────────────────────────────────
export { addAtomTo, addBindingTo, decomposeAtomIn, failAtomIn, switchChoiceIn, type NamedChild } from "./edit/atoms.ts";
export type { EditedLoop } from "./edit/edit-loop.ts";
export { setLoopStatus, type StatusSet } from "./edit/set-loop-status.ts";

// ── by hand, on a state: pure ───────────────────────────────────────────────
export { decompose } from "./core/decompose.ts";
export {
  addAtom,
  addBinding,
  gateOf,
  markFailed,
  requestStop,
  restarted,
  setStatus,
  switchChoice,
  updateAtom,
  type Done,
  type Gate,
} from "./core/operations.ts";
export { applyRedirect, type Redirected } from "./core/apply-redirect.ts";
export type { NewAtom, Redirect } from "./core/redirect.ts";

// ── questions to a state: pure (SPEC sections 3 and 6) ──────────────────────
export { dotText, graphJson, mermaidText, type GraphJson } from "./view/graph-text.ts";
export { graphPicture, type PictureFormat } from "./view/graph-picture.ts";
export { measureOf } from "./edit/show-state.ts";
export { graphOf, idAt, type Graph } from "./core/graph.ts";
export { checkInvariants } from "./core/invariants.ts";
export { executableOf, viewOf, type View } from "./core/view.ts";
export { waitsFor } from "./core/waiting.ts";
export {
  judge as judgeBaseCase,
  leavesOf,
  type ChecklistVerdict,
  type LeafResult,
  type LeafVerdict,
} from "./core/verdict.ts";

// ── the engine, for those who embed it: pure (SPEC section 4) ───────────────
export { decide, type Decision, type Standing } from "./core/converge.ts";
export { createLoop, type Loop, type Step } from "./core/loop.ts";
export { step } from "./core/step.ts";
export type { Attempt, Effect, Fact, Role } from "./core/effect.ts";
export { attemptId, type Event, type Memory, type RunSettings, type Usage } from "./core/event.ts";
export { createRecall } from "./core/journal.ts";
export { lineOfEvent, lineOfFact, type JournalLine } from "./core/journal-line.ts";
export { createCoordinator, type Coordinator, type CoordinatorOptions } from "./loop/coordinator.ts";
export { RunFailure } from "./loop/run-failure.ts";
export type { CallLimits, Ports } from "./loop/perform.ts";
export type {
  Agent,
  AgentAnswer,
  AgentRequest,
  Checker,
  Clock,
  Judge,
  Store,
  Verifier,
  Workspace,
} from "./loop/ports.ts";

// ── beyond one machine (SPEC section 13) ────────────────────────────────────
export { createEmbeddedEngine, type EmbeddedOptions } from "./loop/embedded-engine.ts";
export type { Answer, Engine, LoopSpec, LoopView, Signal, Wish } from "./loop/engine.ts";
export type { Delivered, HostedLoop, Task } from "./loop/hosted-loop.ts";
export type { TaskPlace } from "./loop/perform-task.ts";

// ── phase loops (SPEC section 11) ───────────────────────────────────────────
export { actOnPhases, beginPhases, phaseProblems, readPhases, type ActedOn, type Begun } from "./phases/answer.ts";
export { definitionText, parseGate, parsePhase } from "./phases/new.ts";
export { pausePhases } from "./phases/pause.ts";
export { phasesPage } from "./phases/report.ts";
export { phasesStatus, type PhasesStatus } from "./phases/status.ts";
export { attachPhases, type PhasesLook } from "./phases/attach.ts";
export { findPhaseFile } from "./project/find-phase-file.ts";
export { readHistory as readPhaseHistory } from "./phases/phase-history.ts";
export type { PhasesEnd, PhasesReport, PhasesWatch } from "./phases/run-options.ts";
export type { Action as PhaseLoopAction } from "./phases/core/action.ts";
export { allowedActions } from "./phases/core/allowed-actions.ts";
export { apply as applyToPhases } from "./phases/core/apply.ts";
export type { LoopDefinition } from "./phases/core/definition.ts";
export { generate as generatePhases } from "./phases/core/generate.ts";
export { phaseDot, phaseMermaid, phaseNodes } from "./phases/core/graph-text.ts";
export { loopJsonSchema, phaseStateJsonSchema } from "./phases/core/json-schema.ts";
export { readDefinition } from "./phases/core/read-definition.ts";
export { resume as resumePhases } from "./phases/core/resume.ts";
export { breachesOf, RULES as PHASE_RULES } from "./phases/core/rules.ts";
export type { PhaseLoop } from "./phases/core/state.ts";

// ── guard rules (SPEC section 12) ───────────────────────────────────────────
export { analyzeFiles, analyzeTranscripts, wantedRule, type Analysis, type AnalyzedFinding } from "./rules/analyze.ts";
export { ruleText, switchRule, tryExamples, writeNewRule, type NewRule, type WantedRule } from "./rules/edit.ts";
export type { RuleFile } from "./rules/file.ts";
export { countFirings, recordFirings, type FiredCount, type Firing } from "./rules/fired.ts";
export { loadRules } from "./rules/load.ts";
export { ruleFolders, type RuleFolder } from "./rules/place.ts";
export { replayRules, type Catch, type Replayed, type RuleReplay } from "./rules/replay.ts";
export { findTranscripts, type TranscriptChoice, type TranscriptFile } from "./rules/replay-sources.ts";
export { judgeAction, type RuleVerdict } from "./rules/verdict.ts";
export { matchRules, type Match } from "./rules/match/match.ts";
export { readRule, type ReadRule } from "./rules/match/read-rule.ts";
export type { Condition, Operator, Pattern, Rule, RuleAction, RuleEvent } from "./rules/match/rule.ts";
export { promptSubject, stopSubject, toolSubject, type Subject } from "./rules/match/subject.ts";
export type { Finding as TranscriptFinding, Severity } from "./rules/analyze/findings.ts";
export type { FindingKind } from "./rules/analyze/session.ts";

// ── vocabulary ──────────────────────────────────────────────────────────────
export { describeProblems, type Problem, type ProblemCode, type Result } from "./core/problem.ts";
export { DEFAULT_CONSTRAINTS, EXIT_CODES, INITIAL_CONTROL } from "./core/state.ts";
export type {
  Atom,
  AtomStatus,
  BaseCase,
  Binding,
  Check,
  ChecklistItem,
  Constraints,
  Control,
  Correction,
  Decomposition,
  Objective,
  OrGroup,
  Outcome,
  State,
  TrailEntry,
} from "./core/state.ts";
export { toArray, vecOf, type Vec } from "./core/vec.ts";
export { updateAtomIn } from "./edit/update-atom.ts";
