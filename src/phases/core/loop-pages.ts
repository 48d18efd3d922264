/** What is written beside a new definition: a page for people, a client's command, stubs of skills. Pure. */
import { gatesAfter, type LoopDefinition } from "./definition.ts";

/** The page that tells people what the loop does. @param file its definition's @param skills what they do, by id */
export function loopPage(definition: LoopDefinition, file: string, skills: ReadonlyMap<string, string>): string {
  const lines = definition.phases.flatMap((phase) => [
    `## ${phase.name}${phase.required ? "" : " (optional)"}`,
    "",
    ...phase.skills.map(({ id }) => `- \`${id}\`${skills.has(id) ? `: ${skills.get(id)}` : ""}`),
    ...phase.deliverables.map((deliverable) => `- leaves behind \`${deliverable}\``),
    ...gatesAfter(definition, phase.name).map(({ id, approval, deliverables, checks }) => {
      const wants = [...deliverables, ...checks.map((check) => `\`${"value" in check ? check.value : check.type}\``)];
      return `- gate \`${id}\` (${approval})${wants.length === 0 ? "" : `: ${wants.join(", ")}`}`;
    }),
    "",
  ]);
  const run = ["## Run it", "", "```sh", `aot phases init ${file} --task "..."`, "aot phases run", "```", ""];
  return [`# ${definition.name ?? definition.id}`, "", ...lines, ...run].join("\n");
}

/** The command of a client that begins the loop and goes on with it. @param file its definition's */
export function loopCommand({ id, name = id }: LoopDefinition, file: string): string {
  return `---
description: ${JSON.stringify(`Work the loop ${name}`)}
argument-hint: "[what it is about]"
---

Work the phase loop \`${id}\`. What it is about: $ARGUMENTS

1. If \`aot phases status --loop ${id}\` knows no loop: \`aot phases init ${file} --task "..."\` with what it is about.
2. \`aot phases run --loop ${id} --detach\`, then \`aot phases status --loop ${id}\` until a gate waits or the loop is complete.
3. A gate that waits is the user's: show what it is about, ask, and pass the answer on as it was given
   (\`aot phases approve GATE\`, or \`aot phases reject GATE --reason "..."\`). Never answer it yourself. Then go on with 2.
`;
}

/** A skill that nobody described yet. */
export function skillStub(skill: string, words: string): string {
  return `---
name: ${skill}
description: ${JSON.stringify(words)}
---

# ${words}

State what has to be done, what it leaves behind, and how to see that it is right.
`;
}
