/**
 * What GitHub's runner does with a composite action: its steps in order, each with the action's inputs where it asks for
 * them, and the outputs that they write into files. An expression that it does not know is an error.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { cleanEnv } from "./aot.ts";

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly shell: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}
export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}
export interface Acted {
  /** Of the last step that ran. */
  readonly code: number | null;
  readonly out: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

export const readAction = (folder: string): Action => load(readFileSync(join(folder, "action.yml"), "utf8")) as Action;

interface Job {
  /** The checkout that the job works in. */
  readonly cwd: string;
  /** The action's own checkout. */
  readonly action: string;
  /** What steps leave for later ones, and for the job. */
  readonly temp: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs the action until a step fails.
 * @param given inputs by name, as `with` has them
 * @param steps those to run; default all
 */
export function runAction(
  { cwd, action, temp, env = {} }: Job,
  given: Readonly<Record<string, string>>,
  steps: readonly Step[] = readAction(action).runs.steps,
): Acted {
  const { inputs, outputs } = readAction(action);
  for (const name of Object.keys(given)) if (!(name in inputs)) throw new Error(`no such input: ${name}`);
  const known: Record<string, string> = { "github.token": "secret", "github.action_path": action };
  const filled = (text: string): string =>
    text.replace(/\$\{\{\s*(.+?)\s*\}\}/g, (whole, expression: string) => {
      const value = known[expression];
      if (value === undefined) throw new Error(`not known to the runner: ${whole}`);
      return value;
    });
  for (const [name, { default: usual = "" }] of Object.entries(inputs))
    known[`inputs.${name}`] = given[name] ?? filled(usual);
  for (const { value } of Object.values(outputs)) known[/\$\{\{\s*(.+?)\s*\}\}/.exec(value)?.[1] ?? ""] = "";
  mkdirSync(temp, { recursive: true });
  const summary = join(temp, "summary");
  writeFileSync(summary, "");
  const own = { GITHUB_ACTION_PATH: action, GITHUB_WORKSPACE: cwd, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp };
  const acted = { code: 0 as number | null, out: "" };
  for (const [
    at,
    { id = String(at), shell, run, env: asked = {}, "working-directory": where = cwd },
  ] of steps.entries()) {
    if (shell !== "bash") throw new Error(`no such shell: ${shell}`);
    const [script, written] = [join(temp, `${id}.sh`), join(temp, `${id}.outputs`)];
    writeFileSync(script, filled(run));
    writeFileSync(written, "");
    const values = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, filled(value)]));
    const ran = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
      cwd: filled(where),
      env: cleanEnv({ ...own, ...env, ...values, GITHUB_OUTPUT: written }),
      encoding: "utf8",
    });
    acted.code = ran.status;
    acted.out += ran.stdout + ran.stderr;
    for (const line of readFileSync(written, "utf8").split("\n").filter(Boolean))
      known[`steps.${id}.outputs.${line.slice(0, line.indexOf("="))}`] = line.slice(line.indexOf("=") + 1);
    if (ran.status !== 0) break;
  }
  const handed = Object.entries(outputs).flatMap(([name, { value }]) => {
    const text = filled(value);
    return text === "" ? [] : [[name, text] as const];
  });
  return { ...acted, outputs: Object.fromEntries(handed), summary: readFileSync(summary, "utf8") };
}
