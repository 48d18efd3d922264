/** What a run gets, and how it answers. */
import type { RunSettings } from "../core/event.ts";
import type { JournalLine } from "../core/journal.ts";
import type { Engines, Guard } from "../history/extensions.ts";
import type { Problem } from "../core/problem.ts";
import type { CallLimits } from "../loop/perform.ts";
import type { NotifyOptions } from "./notify.ts";
import type { RunAgentsOptions } from "./agents.ts";
import type { PlaceOptions } from "./place.ts";
import type { RunReport } from "./report.ts";
import type { DiskSpaceOptions } from "../project/disk-space.ts";

/** Limit of one attempt, milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 30 * 60_000;
/** How long a rate limit is waited for, milliseconds. */
export const MAX_WAIT_MS = 60 * 60_000;

/** For long runs that nobody watches. */
export interface UnattendedOptions {
  readonly notify?: Omit<NotifyOptions, "cwd">;
  /** Absolute paths of the reports: NAME.json, NAME.html. */
  readonly reports?: readonly string[];
  /** Absent: the disk is not looked at, and logs are kept for ever. */
  readonly room?: DiskSpaceOptions;
}

export interface RunOptions extends RunAgentsOptions, UnattendedOptions, Omit<PlaceOptions, "run" | "onNote"> {
  readonly guard: Guard;
  readonly engines: Engines;
  /** Works a completed loop from the beginning. */
  readonly restart: boolean;
  /** A human's decision: from a client's session that is running, too. */
  readonly take_over?: boolean;
  /** A person says that the goal is meant as the state file has it now, whoever changed it. */
  readonly accept_goal?: boolean;
  /** A human's decision: what the checks answered in earlier runs does not count any more. */
  readonly forget_answers?: boolean;
  /** What this run narrows of the state file's limits. */
  readonly settings: RunSettings;
  readonly limits: CallLimits;
}

/** How a run can be ended from outside. */
export interface RunControl {
  /** Attempts in flight are finished, then the loop stops. */
  stop(reason: string): void;
  /** As `stop`, and every agent is killed at once. */
  kill(): void;
  /** A line for the journal. */
  note(message: string): void;
}

export interface RunWatch {
  /** Each journal line, once it is on disk. */
  line(line: JournalLine): void;
  /** The run has begun and can be ended. */
  started?(control: RunControl): void;
}

export type RunEnd = { readonly ok: true; readonly exit_code: number; readonly report: RunReport } | NoRun;

/** Nothing was worked, or not to an outcome: why, and what `aot run` exits with. */
export interface NoRun {
  readonly ok: false;
  readonly exit_code: 1 | 2 | 3 | 17;
  readonly problems: readonly Problem[];
}
