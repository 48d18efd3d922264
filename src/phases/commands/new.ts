import { relative } from "node:path";
import { quoted } from "../../command/next-step.ts";
import { failure } from "../../command/problem-text.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import type { Run } from "../../command/spec.ts";
import { draftLoop } from "../draft-loop.ts";
import { filesOf, skillsIn, writeFiles } from "../make-loop.ts";
import { skillFolders } from "../phase-skills.ts";
import { askYes, needsPerson } from "../../terminal/ask-yes.ts";

/** Drafted by an agent, shown, confirmed, written. */
export const run: Run = async (call) => {
  const { cwd } = call.io;
  call.io.err("the planner agent drafts the loop ...\n");
  const known = skillFolders(cwd, []).flatMap(skillsIn);
  const agent = call.text("agent");
  const named = agent === undefined ? {} : { agentName: agent };
  const drafted = await untilInterrupted(call.io, (signal) =>
    draftLoop(call.arg("description") ?? "", { ...named, known, dir: cwd }, signal),
  );
  if (!drafted.ok) return failure(drafted.problems);
  const { text, definition, skills } = drafted.value;
  const { files, undescribed } = filesOf(cwd, text, definition, skills);
  const [file, page] = files;
  const shown = [
    page?.text.replace(/\n## Run it[^]*$/, "") ?? "",
    ...files.map(({ path }) => `  ${relative(cwd, path)}`),
  ];
  if (!call.isSet("yes")) {
    await needsPerson(call);
    call.io.out(`${shown.join("\n")}\n`);
    if (!(await askYes("Write these files?"))) return { exit: 1, json: {}, text: "nothing was written" };
  }
  const written = writeFiles(cwd, files, call.isSet("force"));
  if (!written.ok) return failure(written.problems);
  const stubs = undescribed.length === 0 ? "" : `\nto be filled in: ${undescribed.join(", ")}`;
  const next = `next: \`aot phases init ${quoted(`${definition.id}.loop.json`)} --task "..."\``;
  return {
    exit: 0,
    json: {
      success: true,
      file: file?.path,
      files: files.map(({ path }) => path),
      undescribed,
      definition: JSON.parse(text) as object,
    },
    text: [...(call.isSet("yes") ? shown : ["written"]), `${stubs}\n${next}`.trim()].join("\n"),
  };
};
