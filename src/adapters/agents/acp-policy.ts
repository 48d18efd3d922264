/** What an ACP agent may do without a person: a worker everything, whoever only reads nothing else (SPEC section 7). */
import type { Role } from "../../core/effect.ts";

export interface PermissionOption {
  readonly optionId: string;
  readonly kind: string;
}

type Outcome = { readonly outcome: "selected"; readonly optionId: string } | { readonly outcome: "cancelled" };

const READING_KINDS: ReadonlySet<string> = new Set(["read", "search", "think"]);

/**
 * The answer to `session/request_permission`. A yes is for this once where that is offered; where no is not offered,
 * the question is cancelled.
 * @param kind the tool's kind as the agent names it; what is not named could be anything
 */
export function permit(role: Role, kind: string | null | undefined, options: readonly PermissionOption[]): Outcome {
  const allowed = role === "worker" || READING_KINDS.has(kind ?? "other");
  const wanted = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  for (const one of wanted) {
    const option = options.find((offered) => offered.kind === one);
    if (option !== undefined) return { outcome: "selected", optionId: option.optionId };
  }
  return { outcome: "cancelled" };
}

/** An agent's setting with a choice of values, as `session/new` offers it. */
export interface OfferedSetting {
  readonly id: string;
  readonly category?: string | null;
  readonly type: string;
  readonly options?: readonly (
    | { readonly value: string }
    | { readonly options: readonly { readonly value: string }[] }
  )[];
}

/** As `readingMode`, of an agent that has its modes among its settings; undefined: leave it as it is. */
export function readingSetting(
  role: Role,
  offered: readonly OfferedSetting[],
): { readonly configId: string; readonly value: string } | undefined {
  const setting = offered.find(({ id, category, type }) => type === "select" && (category ?? id) === "mode");
  const values = (setting?.options ?? []).flatMap((option) => ("value" in option ? [option] : option.options));
  const value = readingMode(
    role,
    values.map((option) => option.value),
  );
  return setting === undefined || value === undefined ? undefined : { configId: setting.id, value };
}

/** The mode in which a reader is to work, if the agent has one that only reads; undefined: leave it as it is. */
export function readingMode(role: Role, offered: readonly string[]): string | undefined {
  return role === "worker" ? undefined : offered.find((mode) => /^(?:plan|read[-_]?only)$/i.test(mode));
}
