import { basename, relative, resolve } from "node:path";
import { definitionText, parseGate, parseGateCheck, parsePhase, withChecks } from "../new.ts";
import type { WantedLoop } from "../core/wanted-loop.ts";
import { AUTONOMIES } from "../core/definition.ts";
import type { Call } from "../../command/call.ts";
import { quoted } from "../../command/next-step.ts";
import { failure } from "../../command/problem-text.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import type { Answer, Run } from "../../command/spec.ts";
import type { Result } from "../../core/problem.ts";
import { composeLoop, loopOfSkills, slug } from "../core/loop-of-words.ts";
import { readDefinition } from "../core/read-definition.ts";
import { filesOf, skillsIn, writeFiles } from "../make-loop.ts";
import { skillFolders } from "../phase-skills.ts";
import { askYes, canAsk, needsPerson } from "../../terminal/ask-yes.ts";
import { Unusable, usable } from "../../command/unusable.ts";

export const run: Run = async (call) => {
  const said = call.arg("id");
  const folder = call.text("skills");
  if (folder !== undefined) return await fromSkills(call, resolve(call.io.cwd, folder));
  if (said !== undefined && /\s/.test(said) && call.texts("phase").length === 0) return await fromWords(call, said);
  return await fromFlags(call);
};

async function fromFlags(call: Call): Promise<Answer> {
  const known = given(call);
  const asking = await canAsk(call);
  const wanted = complete(known) ?? (asking ? await asked(known) : null);
  if (wanted === null) {
    if (asking) return { exit: 1, json: {}, text: "" };
    throw new Unusable(
      known.id === undefined ? "the loop has no id" : "the loop has no phases",
      'write them: `aot phases new my-loop --phase "BUILD: compile"`, describe the loop (`aot phases new "plan, build, then I approve"`), or answer questions on a terminal',
    );
  }
  const text = definitionText(wanted);
  if (!text.ok) return failure(text.problems);
  const path = resolve(call.io.cwd, `${wanted.id}.loop.json`);
  const written = writeFiles(call.io.cwd, [{ path, text: text.value }], call.isSet("force"));
  if (!written.ok) return failure(written.problems);
  const shown = relative(call.io.cwd, path);
  return {
    exit: 0,
    json: { success: true, file: path, definition: JSON.parse(text.value) as object },
    text: `written: ${shown}\nnext: \`aot phases init ${quoted(shown)}\``,
  };
}

/** Its steps as they are written, or an agent's draft of them. */
async function fromWords(call: Call, description: string): Promise<Answer> {
  const agentName = call.text("agent");
  const { id: _, mode = "greenfield", ...rest } = given(call);
  if (agentName === undefined) {
    const composed = composeLoop(description, { ...rest, mode });
    if (composed === null)
      throw new Unusable("the description names no step", 'write them: "plan, build, then I approve"');
    return await made(call, composed.skills, definitionText(composed.loop));
  }
  call.io.err("the planner agent drafts the loop ...\n");
  const { draftLoop } = await import("../draft-loop.ts");
  const known = skillFolders(call.io.cwd, []).flatMap((folder) => {
    const found = skillsIn(folder);
    return found.ok ? found.value.map((skill) => skill.id) : [];
  });
  const drafted = await untilInterrupted(call.io, (signal) =>
    draftLoop(description, { agentName, known, dir: call.io.cwd }, signal),
  );
  if (!drafted.ok) return failure(drafted.problems);
  return await made(call, drafted.value.skills, { ok: true, value: drafted.value.text });
}

async function fromSkills(call: Call, folder: string): Promise<Answer> {
  const found = skillsIn(folder);
  if (!found.ok) return failure(found.problems);
  const { id = slug(basename(folder)), mode = "greenfield", ...rest } = given(call);
  const composed = loopOfSkills(found.value, { ...rest, id, mode });
  if (composed === null) throw new Unusable(`${folder} holds no skill`, "a skill is ID/SKILL.md or ID.md");
  return await made(call, composed.skills, definitionText(composed.loop), [folder]);
}

/** Shown, confirmed, written. */
async function made(
  call: Call,
  skills: ReadonlyMap<string, string>,
  text: Result<string>,
  folders: readonly string[] = [],
): Promise<Answer> {
  const read = text.ok ? readDefinition(text.value) : text;
  if (!text.ok || !read.ok) return failure(read.ok ? [] : read.problems);
  const { cwd } = call.io;
  const { files, undescribed } = filesOf(cwd, text.value, read.definition, { skills, folders });
  const [definition, page] = files;
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
  const next = `next: \`aot phases init ${quoted(`${read.definition.id}.loop.json`)} --task "..."\``;
  return {
    exit: 0,
    json: {
      success: true,
      file: definition?.path,
      files: files.map(({ path }) => path),
      undescribed,
      definition: JSON.parse(text.value) as object,
    },
    text: [...(call.isSet("yes") ? shown : ["written"]), `${stubs}\n${next}`.trim()].join("\n"),
  };
}

/** What flags and arguments say. */
function given(call: Call): Partial<WantedLoop> {
  const [id, mode] = [call.arg("id"), call.text("mode")];
  const autonomy = AUTONOMIES.find((one) => one === call.text("autonomy"));
  const phases = call.texts("phase").map((text) => usable(parsePhase(text)));
  const named = call.texts("gate").map((text) => usable(parseGate(text)));
  const checks = call.texts("check").map((text) => usable(parseGateCheck(text)));
  const gates = usable(withChecks(named, checks));
  return {
    ...(id === undefined ? {} : { id }),
    ...(mode === undefined ? {} : { mode }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(phases.length === 0 ? {} : { phases }),
    ...(gates.length === 0 ? {} : { gates }),
  };
}

function complete({ id, phases, gates = [], mode = "greenfield", ...rest }: Partial<WantedLoop>): WantedLoop | null {
  return id === undefined || phases === undefined ? null : { ...rest, id, phases, gates, mode };
}

/** Null: the person left the questions. */
async function asked(known: Partial<WantedLoop>): Promise<WantedLoop | null> {
  const { Cancelled, tellCancelled } = await import("../../align/commands/align-questions.ts");
  const { askLoop } = await import("./questions.ts");
  try {
    return await askLoop(known);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    tellCancelled();
    return null;
  }
}
