/** What a phase loop came to: as `aot phases run --json` says it, for a CI server, and as a page (SPEC sections 9 and 11). */
import { learn } from "../adapters/store/journal-reader.ts";
import { accepted, type Result } from "../core/problem.ts";
import { isoNow } from "../host/clock.ts";
import type { PhaseWork } from "./core/history.ts";
import { stateDocument } from "./core/state-document.ts";
import { journalOf } from "../history/loop-log.ts";
import type { WorkedLoop } from "./page.tsx";
import { writeReportForm } from "../run/report-file.ts";
import { createStory } from "../history/run-story.ts";
import { spentBy, type Spent } from "./phase-budget.ts";
import { readHistory, readTask } from "./file.ts";
import { readWork, workFile } from "./phase-work.ts";
import { phasesJunitOf } from "./junit.ts";
import type { PhasesEnd } from "./run-options.ts";
import { readPhases } from "./answer.ts";

/** The document of `aot phases run --json`. */
export function phasesDocument(end: PhasesEnd, stateFile: string): object {
  const { exit_code } = end;
  if (!end.ok) return { success: false, exit_code, errors: end.problems };
  const { loop, ...rest } = end.report;
  return { success: exit_code === 0, state_file: stateFile, ...rest, exit_code, ...stateDocument(loop) };
}

/** Writes the form that the file's name asks for. @returns why it could not be written; null: it was */
export async function writePhasesReport(file: string, end: PhasesEnd, stateFile: string): Promise<string | null> {
  return await writeReportForm(file, {
    document: () => phasesDocument(end, stateFile),
    junit: () => phasesJunitOf(end),
    page: async () => {
      const page = await phasesPage(stateFile);
      return page.ok ? accepted(page.value.html) : page;
    },
  });
}

export interface PhasesPage {
  readonly html: string;
  readonly loop: string;
  readonly status: string;
  readonly spent: Spent;
}

/** A phase loop as it is, complete or not, as one HTML file. @returns problems of its files */
export async function phasesPage(stateFile: string): Promise<Result<PhasesPage>> {
  const read = readPhases(stateFile);
  if (!read.ok) return read;
  const { definition, loop } = read.value;
  const history = readHistory(stateFile, definition);
  const spent = spentBy(stateFile, history);
  const works: WorkedLoop[] = [];
  for (const work of history.all_works) works.push(await workedLoop(stateFile, work));
  // Pictures are loaded only where they are wanted.
  const { phasesHtml } = await import("./page.tsx");
  const { answers, last_halt: halted } = history;
  const html = phasesHtml({ definition, loop, task: readTask(stateFile), answers, halted, works, spent }, isoNow());
  return accepted({ html, loop: loop.loop, status: loop.status, spent });
}

async function workedLoop(stateFile: string, work: PhaseWork): Promise<WorkedLoop> {
  const story = learn(journalOf(workFile(stateFile, work.file)), createStory());
  return { phase: work.phase, file: work.file, state: await readWork(stateFile, work), story };
}
