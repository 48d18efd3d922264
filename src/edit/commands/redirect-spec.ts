/** Row of `aot redirect`: one command for each kind (SPEC section 8). */
import { REDIRECT_KINDS, REDIRECTS, type Redirect } from "../../core/redirect.ts";
import type { CommandSpec, Elsewhere } from "../../command/spec.ts";
import type { Engines } from "../../history/extensions.ts";
import { flagsOfRedirect, REASON } from "./flags.ts";

export const redirectCommand = (engines: Engines, elsewhere: Elsewhere<Redirect>): CommandSpec => ({
  name: "redirect",
  summary: "Change the course of a loop, running or stopped; recorded in its corrections.",
  description: [
    "A running loop kills its agents, discards what they had not finished, applies the change and goes on. A stopped one is changed in its file; the next run goes on from there.",
  ],
  commands: REDIRECT_KINDS.map((kind): CommandSpec => ({
    name: kind,
    summary: REDIRECTS[kind].summary,
    args: REDIRECTS[kind].fields.flatMap(({ name, flag, summary, choices }) =>
      flag === undefined ? [{ name, summary, ...(choices === undefined ? {} : { choices }) }] : [],
    ),
    flags: [...flagsOfRedirect(kind), REASON, ...elsewhere.flags],
    examples: REDIRECTS[kind].examples,
    effect: "discards",
    load: async () => ({ run: (await import("./redirect.ts")).redirectWith(kind, engines, elsewhere) }),
  })),
});
