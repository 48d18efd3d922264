/** Loops on an engine that hosts share (SPEC section 13). */
import { EXIT_CODES } from "../../core/state.ts";
import type { ArgumentSpec, CommandSpec, FlagSpec } from "../../command/spec.ts";
import { AGENT_FLAGS, SANDBOX } from "../../run/commands/spec.ts";
import { LIMITS } from "../../align/commands/spec.ts";
import { SET, withSettings } from "../../run/commands/call-config.ts";

const ENGINE: FlagSpec = {
  name: "engine",
  value: "URL",
  env: "AOT_ENGINE",
  summary: "The engine: postgres://USER@HOST:PORT/DATABASE (its password: PGPASSWORD).",
};
const HERE = "the one that works the loop of this project";
const LOOP: ArgumentSpec = {
  name: "loop",
  summary: "Name of the loop; without it: the loop of this project.",
  optional: true,
};

const WORKER: CommandSpec = {
  name: "worker",
  summary: "Work loops of an engine on this host, until Ctrl-C.",
  description: [
    "It asks PostgreSQL for its tasks, and nobody calls it: start as many as you like, on any host. Agents are those that are installed and logged in here.",
  ],
  atTerminal: [
    "Ctrl-C or SIGTERM takes nothing new and lets what was begun end; a second one ends it, and another worker begins it again.",
  ],
  flags: withSettings([
    { ...ENGINE, fallback: "postgres://aot@127.0.0.1:5432/aot" },
    SANDBOX,
    SET,
    { name: "slots", type: "integer", value: "N", min: 1, summary: "Tasks at a time.", fallback: "3" },
    {
      name: "name",
      value: "NAME",
      summary: "Its name in journals and lists.",
      fallback: "host and process id",
    },
    {
      name: "dir",
      value: "DIR",
      summary: "Its own folder; no other worker may use it.",
      fallback: ".aot-worker",
    },
    {
      name: "metrics",
      value: "HOST:PORT",
      summary: "Where its figures are read (GET /metrics); port 0: any that is free.",
      fallback: "nowhere",
    },
  ]),
  exits: [[1, "the engine does not answer, or the figures cannot be served"]],
  examples: [
    { command: "aot worker --slots 4", note: "on the database of this host" },
    { command: "aot worker --engine postgres://aot@127.0.0.1/aot --name build-1", note: "nobody calls it" },
  ],
  effect: "changes",
  programs: "named",
  load: () => import("./worker.ts"),
};

const SUBMIT: CommandSpec = {
  name: "submit",
  summary: "Hand the loop to an engine, whose workers go on with it.",
  description: [
    "The loop's branch is pushed to the remote, its state goes to the engine, and the state file becomes a view that names its owner: every other writer is refused.",
    "What earlier runs spent stays spent.",
  ],
  flags: withSettings([
    ENGINE,
    {
      name: "remote",
      value: "URL",
      summary: "The shared repository: any URL that git reads and writes here and on the workers.",
      fallback: "that of `git remote get-url origin`",
    },
    ...AGENT_FLAGS,
    ...LIMITS,
    SET,
  ]),
  exits: [
    [1, "the engine or the remote refused it"],
    [3, "the loop is not aligned"],
  ],
  examples: [
    {
      command: "aot submit --engine postgres://aot@10.0.0.5/aot --agent claude",
      note: "`aot run --engine` looks on, too",
    },
  ],
  effect: "changes",
  load: () => import("./submit.ts"),
};

const LOOPS: CommandSpec = {
  name: "loops",
  summary: "The loops of an engine.",
  flags: [
    { ...ENGINE, fallback: HERE },
    {
      name: "status",
      value: "VALUE",
      choices: ["running", "stopped", "completed"],
      summary: "Only those.",
    },
  ],
  exits: [[1, "the engine does not answer"]],
  examples: [{ command: "aot loops --status stopped", note: "which ones need a human?" }],
  effect: "reads",
  load: () => import("./loops.ts"),
  commands: [
    {
      name: "pull",
      summary: "Bring the state file of an engine's loop up to date.",
      exits: [[1, "no engine works it, or it does not answer"]],
      examples: [{ command: "aot loops pull", note: "then `aot status` shows what the engine has" }],
      effect: "changes",
      settles: true,
      load: () => import("./loops-pull.ts"),
    },
    {
      name: "take-back",
      summary: "Take a loop that stopped on an engine back into the state file.",
      description: [
        "Its branch is fetched, its journal goes on here, and the engine lets nobody take it up there any more. What it spent stays spent. `aot run` goes on with it, or `aot submit` hands it over again.",
      ],
      flags: [
        {
          name: "remote",
          value: "URL",
          summary: "The shared repository.",
          fallback: "that of `git remote get-url origin`",
        },
      ],
      exits: [[1, "no engine works it, it is running there, or the engine or the remote does not answer"]],
      examples: [{ command: "aot loops take-back", note: "after `aot loops stop`" }],
      effect: "changes",
      load: () => import("./loops-take-back.ts"),
    },
    {
      name: "logs",
      summary: "What an attempt's agent and checks printed: the end of each log, from the engine.",
      args: [{ name: "task", summary: "An atom (its latest attempt), an attempt (A1.2) or another task." }, LOOP],
      flags: [
        { ...ENGINE, fallback: HERE },
        { name: "list", summary: "Name all that is kept of it instead." },
      ],
      exits: [[1, "there is no such log, or the engine does not answer"]],
      examples: [{ command: "aot loops logs A1", note: "the latest attempt on A1" }],
      effect: "reads",
      load: () => import("./loops-logs.ts"),
    },
    steering("stop", "Let attempts in flight finish, then stop the loop.", "attempts in flight end first", [
      { name: "reason", value: "TEXT", summary: "Why; kept in the loop's history." },
      { name: "now", summary: "Kill what is in flight." },
      { name: "all", summary: "Every loop of the engine that is running.", unattended: "absent" },
    ]),
    steering("resume", "Take up a loop that stopped.", "spent limits stay spent", [
      { name: "all", summary: "Every loop of the engine that stopped.", unattended: "absent" },
      {
        name: "outcome",
        value: "VALUE",
        choices: Object.keys(EXIT_CODES).filter((outcome) => outcome !== "verified"),
        summary: "With --all: only those that stopped so.",
        unattended: "absent",
      },
    ]),
    {
      name: "clean",
      summary: "Name the branches of attempts that completed loops left on the remote; with --yes: delete them.",
      description: [
        "They hold what failed, and what came late. While a loop can go on they keep late results out, so only those of completed loops go. The integration branch stays.",
      ],
      args: [LOOP],
      flags: [
        { ...ENGINE, fallback: HERE },
        {
          name: "remote",
          value: "URL",
          summary: "The shared repository.",
          fallback: "that of `git remote get-url origin`",
        },
        { name: "all", summary: "Of every completed loop of the engine.", unattended: "absent" },
        { name: "yes", summary: "Delete them: nothing brings them back.", unattended: "absent" },
      ],
      exits: [[1, "the loop is not completed, or the engine or the remote does not answer"]],
      examples: [{ command: "aot loops clean --all", note: "what would go?" }],
      effect: "discards",
      load: () => import("./loops-clean.ts"),
    },
    {
      ...steering(
        "approve",
        "Your yes to assertions that were judged true: the loop that waits for it goes on.",
        "for a loop that stopped as needs_confirmation",
      ),
      description: ["Only a human does this, never a program."],
    },
  ],
};

const CLEAN: CommandSpec = {
  name: "clean",
  summary: "Name loops that were completed a while ago; with --yes: forget them.",
  description: [
    "PostgreSQL keeps every loop otherwise: its state and journal, and DBOS's rows of its tasks. A loop that runs, waits or stopped stays, however old it is. Branches stay in the remote.",
  ],
  flags: [
    { ...ENGINE, fallback: HERE },
    {
      name: "older-than",
      type: "number",
      value: "DAYS",
      min: 0,
      summary: "Only those of which nothing was heard for so long.",
      fallback: "30",
    },
    { name: "yes", summary: "Forget them: nothing brings them back.", unattended: "absent" },
  ],
  exits: [[1, "the engine does not answer"]],
  examples: [
    { command: "aot engine clean --engine postgres://aot@127.0.0.1/aot --older-than 90", note: "what would go?" },
  ],
  effect: "discards",
  load: () => import("./clean.ts"),
};

function steering(
  name: "stop" | "resume" | "approve",
  summary: string,
  note: string,
  flags: readonly FlagSpec[] = [],
): CommandSpec {
  return {
    name,
    summary,
    args: [LOOP],
    flags: [{ ...ENGINE, fallback: HERE }, ...flags],
    exits: [[1, "it was refused, or the engine does not answer"]],
    examples: [{ command: `aot loops ${name} add-a-login-3f2a-91c0de`, note }],
    effect: "changes",
    load: async () => {
      const { steer } = await import("./loops-steer.ts");
      return { run: (call) => steer(call, name) };
    },
  };
}

export const ENGINE_COMMANDS: readonly CommandSpec[] = [
  { name: "engine", summary: "What an engine keeps.", commands: [CLEAN] },
  WORKER,
  SUBMIT,
  LOOPS,
];
