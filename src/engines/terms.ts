/** What a loop was submitted with: where its work travels, who works it, and within which limits (SPEC section 13). */
import type { Preparation } from "../adapters/workspace/prepared-workspace.ts";
import type { SetUp } from "../adapters/workspace/set-up.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { LoopTerms } from "../loop/engine.ts";
import type { CallLimits } from "../loop/perform.ts";
import type { RoleNames } from "../run/role-agents.ts";
import type { HandedRule } from "./handed-rules.ts";

export interface WorkTerms {
  /** Any URL that git can fetch from and push to, from every worker. */
  readonly remote: string;
  /** Names the loop's branches there. */
  readonly line: string;
  /** The project's folder in the repository: empty, or a path with slashes that ends in one. */
  readonly prefix: string;
  /** Path of the state file, from the project. */
  readonly state_file: string;
  readonly crew: RoleNames;
  readonly limits: CallLimits;
  /** How a task's clone is made usable; absent: it is as it comes out of git. */
  readonly set_up?: (SetUp & Pick<Preparation, "port_base">) | undefined;
  /** What attempts' work is not to break; absent: there are none. */
  readonly rules?: readonly HandedRule[] | undefined;
}

/** Version 2 has rules: a worker that does not know of them is not to work such a loop. */
export function termsOf(terms: WorkTerms): LoopTerms {
  return { version: terms.rules === undefined ? 1 : 2, ...terms };
}

/** Refused: this worker does not know such terms, and another version of it may. */
export function readTerms(terms: LoopTerms): Result<WorkTerms> {
  const { version, remote, line, prefix, state_file, crew, limits, set_up, rules } = terms;
  const isText = [remote, line, prefix, state_file].every((value) => typeof value === "string");
  const isWhole = isText && typeof crew === "object" && crew !== null && typeof limits === "object" && limits !== null;
  if ((version === 1 || version === 2) && isWhole)
    return accepted({ remote, line, prefix, state_file, crew, limits, set_up, rules } as WorkTerms);
  return refused(
    `the loop was submitted with terms of version ${String(version)} that this worker does not know`,
    "update this worker, or submit the loop with its version of aot",
  );
}
