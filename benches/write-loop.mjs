/** Writes the state file of a loop that has not started. Arguments: file, shape, atoms, slots. */
import { writeFileSync } from "node:fs";
import { createStateText } from "../dist/lib/statefile/create.js";
import { stateOf } from "./graphs.mjs";

const [, , file, shape, atoms, slots] = process.argv;
writeFileSync(file, createStateText(stateOf(shape, Number(atoms), Number(slots)), "Do the steps."));
