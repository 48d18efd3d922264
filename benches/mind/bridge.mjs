// An agent that is played by whoever answers in a box: a model, or a person. One program for the loop (a `command:` agent) and
// for the plain loop (run.mjs). For each call BOX gets NNN.prompt.txt, and NNN.request.json with `cwd`: the answer may be worked
// out there. It is NNN.answer.json, {"answer": {...}} or {"text": "..."}; write it under another name and rename it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const MINUTES = 25;

/** @returns what was answered: the object, or the text */
export async function askBox(box, request) {
  mkdirSync(box, { recursive: true });
  const call = String(readdirSync(box).filter((name) => name.endsWith(".prompt.txt")).length + 1).padStart(3, "0");
  const put = (name, value) => {
    writeFileSync(join(box, `${call}.part`), value);
    renameSync(join(box, `${call}.part`), join(box, `${call}.${name}`));
  };
  put("request.json", JSON.stringify({ role: request.role, cwd: request.cwd, at: Date.now() }));
  put("prompt.txt", request.prompt);
  const file = join(box, `${call}.answer.json`);
  for (const end = Date.now() + MINUTES * 60_000; !existsSync(file); await setTimeout(300))
    if (Date.now() > end) throw new Error(`nobody answered call ${call} in ${MINUTES} minutes`);
  const { answer, text: said } = JSON.parse(readFileSync(file, "utf8"));
  return answer ?? said;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { BOX } = process.env;
  if (BOX === undefined) throw new Error("BOX names no folder");
  const answer = await askBox(BOX, { ...JSON.parse(await text(process.stdin)), cwd: process.cwd() });
  console.log(typeof answer === "string" ? answer : JSON.stringify(answer));
}
