import type { Run } from "../../../command/spec.ts";
import { SCRIPTS, type Shell } from "./scripts.ts";

export function scriptOf(shell: Shell): { readonly run: Run } {
  const text = SCRIPTS[shell];
  return { run: () => ({ exit: 0, json: { success: true, shell, text }, text }) };
}
