import { beginPhases } from "../answer.ts";
import { required } from "../../command/call.ts";
import { printable } from "../../view/words.ts";
import { failure, problemJson } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { loopJson, namedFile, nextText, warningLines } from "./answer.ts";

export const run: Run = async (call) => {
  const file = required(call.arg("file"), "file");
  const [stateFile, mode, task] = [namedFile(call), call.text("mode"), call.text("task")];
  const begun = await beginPhases(file, {
    cwd: call.io.cwd,
    restart: call.isSet("restart"),
    ...(stateFile === undefined ? {} : { stateFile }),
    ...(mode === undefined ? {} : { mode }),
    ...(task === undefined ? {} : { task }),
  });
  if (!begun.ok) return failure(begun.problems, file);
  const { definition, loop, notes } = begun.value;
  const warnings = begun.value.warnings.map((warning) => problemJson(warning, file));
  return {
    exit: 0,
    json: { success: true, state_file: begun.value.stateFile, warnings, ...loopJson(definition, loop) },
    text: [printable(`begun: ${loop.loop} ${loop.version} (${loop.mode})`), nextText(definition, loop)].join("\n"),
    notes: [...(call.json ? [] : warningLines(warnings)), ...notes],
  };
};
