/** `aot state show` and `aot atom update` as whole processes, against a Node that does nothing. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rounds } from "./processes.mjs";
import { atWork, startable, stateText } from "./states.mjs";

const bin = fileURLToPath(new URL("../dist/bin.cjs", import.meta.url));
const floor = (name) => fileURLToPath(new URL(`./floors/${name}.cjs`, import.meta.url));
const COMMANDS = ["state show", "update in_progress", "update resolved"];
const STATE = ["--state-file", "state.md", "--json"];

/** The most that a command may take, as a multiple of an empty Node. */
const MOST = 2;

export function cliRows({ quick, folder, python }) {
  const rows = [];
  for (const count of [10, 100, 1_000]) {
    const results = measure(count, folder, quick, python);
    for (const name of COMMANDS) {
      const { ratio, cpu, wall } = results[name];
      const empty = wall / ratio;
      rows.push({
        what: `${name}, ${count} atoms`,
        figure: ratio,
        unit: "x node -e 0",
        most: MOST,
        note: `${wall.toFixed(1)} ms of ${empty.toFixed(1)}${cpu === null ? "" : `; CPU ${cpu.toFixed(2)}x`}`,
      });
    }
    for (const name of ["floor: read, print", "floor: write"])
      rows.push({
        what: `${name}, ${count} atoms`,
        figure: results[name].ratio,
        unit: "x node -e 0",
        note: `${results[name].wall.toFixed(1)} ms: no program in Node can be faster`,
      });
    for (const name of ["python read_state", "python update_atom"])
      if (results[name] !== undefined)
        rows.push({
          what: `${name}, ${count} atoms`,
          figure: results[name].ratio,
          unit: "x node -e 0",
          note: `${results[name].wall.toFixed(1)} ms`,
        });
  }
  return rows;
}

function measure(count, folder, quick, python) {
  const text = stateText(count);
  const file = join(folder, "state.md");
  const loop = join(folder, "state.md.aot-loop");
  const fresh = () => {
    rmSync(loop, { recursive: true, force: true });
    writeFileSync(file, text);
  };
  const freshLoop = () => {
    fresh();
    mkdirSync(loop);
  };
  const node = (name, args, prepare) => ({ name, program: process.execPath, args, prepare });
  const update = (id, status) => [bin, "atom", "update", id, status, ...STATE];
  const empty = node("node -e 0", ["-e", "0"]);
  const contestants = [
    empty,
    node("state show", [bin, "state", "show", ...STATE], fresh),
    node("update in_progress", update(startable(count), "in_progress"), freshLoop),
    node("update resolved", update(atWork(count), "resolved"), freshLoop),
    node("floor: read, print", [floor("read")], fresh),
    node("floor: write", [floor("write")], fresh),
  ];
  if (python !== null) {
    const script = (name) => join(python, "skills", "state-contract", "scripts", name);
    const run = (name, args) => ({ name, program: "python3", args, prepare: fresh });
    contestants.push(
      run("python read_state", [script("read_state.py"), "--state-file", "state.md"]),
      run("python update_atom", [script("update_atom.py"), atWork(count), "resolved", "--state-file", "state.md"]),
    );
  }
  return rounds(contestants, quick ? 12 : 41, folder);
}
