/** What the flags for long runs mean (`unattended-flags.ts`). */
import { resolve } from "node:path";
import { whyNoReport } from "../report-file.ts";
import { MAX_WAIT_MS, type UnattendedOptions } from "../options.ts";
import type { RunSettings } from "../../core/event.ts";
import { parseDuration } from "../../core/fuel.ts";
import type { CallLimits } from "../../loop/perform.ts";
import type { Call } from "../../command/call.ts";
import { Unusable } from "../../command/unusable.ts";

const NOTIFY_WAIT_MS = 10 * 60_000;
const MAX_DEATHS = 5;
const MB = 1024 * 1024;

interface UnattendedFlags {
  readonly settings: Pick<RunSettings, "max_tokens" | "max_deaths">;
  readonly limits: Pick<CallLimits, "max_wait_ms" | "max_call_tokens">;
  readonly options: UnattendedOptions;
}

/** @throws Unusable */
export function unattendedOf(call: Call): UnattendedFlags {
  const max_tokens = call.number("max-tokens");
  const max_call_tokens = call.number("max-call-tokens");
  const deaths = call.number("breaker") ?? MAX_DEATHS;
  return {
    settings: {
      ...(max_tokens === undefined ? {} : { max_tokens }),
      ...(deaths === 0 ? {} : { max_deaths: deaths }),
    },
    limits: {
      max_wait_ms: durationIn(call, "max-wait") ?? MAX_WAIT_MS,
      ...(max_call_tokens === undefined ? {} : { max_call_tokens }),
    },
    options: { ...notifyIn(call), ...reportIn(call), room: diskSpaceIn(call) },
  };
}

/** Milliseconds. @throws Unusable */
export function durationIn(call: Call, flag: string): number | undefined {
  const text = call.text(flag);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === null)
    throw new Unusable(
      `invalid value for --${flag}: ${JSON.stringify(text)}`,
      'write a time such as "90s", "30m" or "1h30m"',
    );
  return ms;
}

function notifyIn(call: Call): Pick<UnattendedOptions, "notify"> {
  const command = call.text("notify");
  const wait_ms = durationIn(call, "notify-wait") ?? NOTIFY_WAIT_MS;
  return command === undefined ? {} : { notify: { command, wait_ms } };
}

function reportIn(call: Call): Pick<UnattendedOptions, "reports"> {
  const names = call.texts("report");
  const problem = names.flatMap((name) => whyNoReport(name) ?? [])[0];
  if (problem !== undefined) throw new Unusable("--report cannot be written", problem);
  return names.length === 0 ? {} : { reports: names.map((name) => resolve(call.io.cwd, name)) };
}

function diskSpaceIn(call: Call): NonNullable<UnattendedOptions["room"]> {
  const free = call.number("min-free-mb");
  const logs = call.number("max-log-mb");
  return {
    ...(free === undefined ? {} : { min_free_bytes: free * MB }),
    ...(logs === undefined ? {} : { max_log_bytes: logs * MB }),
  };
}
