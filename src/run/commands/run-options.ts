/** What the settings and the flags of a run say, as its options. */
import { resolve } from "node:path";
import { parseDuration } from "../../core/fuel.ts";
import type { Call } from "../../command/call.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import type { Extensions } from "../../history/extensions.ts";
import type { Config } from "../../project/config.ts";
import type { Settings } from "../../project/config-schema.ts";
import { setUpOf } from "../../project/config-set-up.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { sandboxOf, type SandboxTerms } from "../../verify/sandbox.ts";
import { ATTEMPT_TIMEOUT_MS, MAX_WAIT_MS, type RunOptions } from "../options.ts";
import { whyNoReport } from "../report-file.ts";

const NOTIFY_WAIT_MS = 10 * 60_000;
const MAX_DEATHS = 5;
const MB = 1024 * 1024;

interface Options extends RunOptions {
  readonly sandbox: SandboxTerms;
}

/** A run that flags and settings describe. */
export interface PreparedRun {
  readonly options: Options;
  readonly file: NamedFile;
  readonly config: Config;
}

/** @throws Unusable */
export function optionsOf(call: Call, file: NamedFile, settings: Settings): Omit<Options, "guard" | "engines"> {
  const root = projectOf(file.path);
  const accepted = call.texts("accept");
  const { breaker = MAX_DEATHS, commit_subject, min_free_mb, max_log_mb, notify } = settings;
  return {
    stateFile: file.path,
    root,
    restart: call.isSet("restart"),
    take_over: call.isSet("take-over"),
    accept_checkout: accepted.includes("checkout"),
    accept_goal: accepted.includes("goal"),
    forget_answers: accepted.includes("answers"),
    ...given("record", call.text("record")),
    reports: reportsIn(call),
    merge: settings.merge !== false,
    set_up: setUpOf(settings, root),
    sandbox: sandboxOf(settings),
    commits: {
      squash: settings.squash === true,
      signoff: settings.signoff === true,
      hooks: settings.hooks !== false,
      ...given("subject", commit_subject),
    },
    ...picked(settings, "agent", "worker", "probe", "planner", "judge", "escalate", "replay_speed"),
    ...(notify === undefined
      ? {}
      : { notify: { command: notify, wait_ms: ms(settings.notify_wait) ?? NOTIFY_WAIT_MS } }),
    room: {
      ...given("min_free_bytes", min_free_mb === undefined ? undefined : min_free_mb * MB),
      ...given("max_log_bytes", max_log_mb === undefined ? undefined : max_log_mb * MB),
    },
    settings: {
      ...picked(settings, "parallel", "max_iterations", "max_cost_usd", "max_tokens", "trust"),
      ...given("max_duration_ms", ms(settings.max_duration)),
      ...(breaker === 0 ? {} : { max_deaths: breaker }),
      verify_each: settings.verify_each === true,
      confirmed: accepted.includes("assertions"),
    },
    limits: {
      ...picked(settings, "max_call_usd", "max_call_tokens"),
      timeout_ms: ms(settings.attempt_timeout) ?? ATTEMPT_TIMEOUT_MS,
      max_wait_ms: ms(settings.max_wait) ?? MAX_WAIT_MS,
      ...given("idle_timeout_ms", ms(settings.idle_timeout)),
    },
  };
}

/** The options of a run by this program. */
export function withExtensions<O extends { readonly root: string }>(
  options: O,
  { guard, engines }: Extensions,
): O & Pick<RunOptions, "guard" | "engines"> {
  return { ...options, guard: guard(options.root, [process.execPath, ...process.argv.slice(1, 2)]), engines };
}

/** @throws Unusable */
function reportsIn(call: Call): readonly string[] {
  const names = call.texts("report");
  const problem = names.flatMap((name) => whyNoReport(name) ?? [])[0];
  if (problem !== undefined) throw new Unusable("--report cannot be written", problem);
  return names.map((name) => resolve(call.io.cwd, name));
}

/** @param duration as the settings have it */
function ms(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : (parseDuration(duration) ?? undefined);
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

/** Those that somebody set. */
export function picked<K extends keyof Settings>(settings: Settings, ...keys: readonly K[]): Pick<Settings, K> {
  return Object.fromEntries(keys.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]]]))) as Pick<
    Settings,
    K
  >;
}
