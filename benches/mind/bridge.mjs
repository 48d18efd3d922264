// An agent that is played by whoever answers in a box: a model, or a person. One program for the loop (a `command:` agent) and
// for the plain loop (run.mjs). For each call BOX gets NNN.prompt.txt, and NNN.request.json with `cwd`: the answer may be worked
// out there. It is NNN.answer.json, {"answer": {...}} or {"text": "..."}; write it under another name and rename it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const MINUTES = 25;

/**
 * @param first a recorded answer to the first call that asks for work: what it changes, and what it says
 * @returns what was answered: the object, or the text
 */
export async function askBox(box, request, first) {
  mkdirSync(box, { recursive: true });
  const call = ticket(box, { role: request.role, cwd: request.cwd, at: Date.now() });
  const put = (name, value) => {
    writeFileSync(join(box, `${call}.${name}.part`), value);
    renameSync(join(box, `${call}.${name}.part`), join(box, `${call}.${name}`));
  };
  put("prompt.txt", request.prompt);
  if (first !== undefined && call === "001") {
    const file = join(request.cwd, first.file);
    writeFileSync(file, readFileSync(file, "utf8").replace(first.from, first.to));
    put("answer.json", JSON.stringify({ answer: first.answer, recorded: true }));
  }
  const file = join(box, `${call}.answer.json`);
  for (const end = Date.now() + MINUTES * 60_000; !existsSync(file); await setTimeout(300))
    if (Date.now() > end) throw new Error(`nobody answered call ${call} in ${MINUTES} minutes`);
  const { answer, text: said } = JSON.parse(readFileSync(file, "utf8"));
  return answer ?? said;
}

/** Calls may come side by side: who makes the file has its number. */
function ticket(box, request) {
  for (let n = 1; ; n++) {
    const call = String(n).padStart(3, "0");
    try {
      writeFileSync(join(box, `${call}.request.json`), JSON.stringify(request), { flag: "wx" });
      return call;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { BOX, BOX_FIRST } = process.env;
  if (BOX === undefined) throw new Error("BOX names no folder");
  const first = BOX_FIRST === undefined ? undefined : JSON.parse(BOX_FIRST);
  const answer = await askBox(BOX, { ...JSON.parse(await text(process.stdin)), cwd: process.cwd() }, first);
  console.log(typeof answer === "string" ? answer : JSON.stringify(answer));
}
