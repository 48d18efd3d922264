import { resolve } from "node:path";
import { phaseProblems, readPhases } from "../answer.ts";
import { problemJson, problemText } from "../../command/problem-text.ts";
import type { Problem } from "../../core/problem.ts";
import type { Call } from "../../command/call.ts";
import { readDefinitionFile } from "../file.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { phaseFileOf, warningLines } from "./answer.ts";

export const run: Run = (call) => {
  const other = call.arg("file");
  const file = phaseFileOf(call);
  if (!file.ok) return other === undefined ? verdict(file.problems, [], undefined) : definitionAlone(call, other);
  const read = readPhases(file.value.path, other === undefined ? undefined : resolve(call.io.cwd, other));
  if (!read.ok) return verdict(read.problems, [], file.value.shown);
  const { definition, loop } = read.value;
  const foreign: readonly Problem[] =
    loop.loop === definition.id
      ? []
      : [
          {
            code: "unknown_value",
            message: `the state is of the loop ${JSON.stringify(loop.loop)}, the definition of ${JSON.stringify(definition.id)}`,
            path: ["loop"],
            hint: "name the definition that it was made from",
          },
        ];
  return verdict([...foreign, ...phaseProblems(read.value)], read.value.warnings, file.value.shown);
};

/** Before a loop has begun there is only its definition. */
function definitionAlone(call: Call, file: string): Answer {
  const read = readDefinitionFile(resolve(call.io.cwd, file), "name a loop definition");
  return read.ok ? verdict([], read.value.warnings, file) : verdict(read.problems, [], file);
}

function verdict(problems: readonly Problem[], doubts: readonly Problem[], file: string | undefined): Answer {
  const errors = problems.map((problem) => problemJson(problem, file));
  // Their places are in the definition.
  const warnings = doubts.map((problem) => problemJson(problem, "loop.json"));
  const valid = errors.length === 0;
  const heading = valid ? `${file} is valid` : `not valid: ${errors.length} to put right`;
  const text = [heading, ...errors.map(problemText), ...warningLines(warnings)].join("\n");
  const json = { valid, errors, warnings };
  return valid ? { exit: 0, json, text } : { exit: 2, json, text: "", trouble: text };
}
