// AoT Loop as a library: `node examples/library.mjs FOLDER` makes a state file in a git repository, changes it, and
// works it with a command as the agent. Prints one JSON object. tests/library.test.ts runs it.
import { join } from "node:path";
import {
  addAtomTo,
  createStateFile,
  createStateText,
  DEFAULT_CONSTRAINTS,
  describeProblems,
  INITIAL_CONTROL,
  planRun,
  readStateFile,
  runLoop,
  showState,
  vecOf,
} from "aot-loop";

const root = process.argv[2] ?? process.cwd();
const stateFile = join(root, ".claude", "aot-loop-state.md");

/** Expected failure is a value; here it ends the program. */
function must(result) {
  if (!result.ok) throw new Error(describeProblems(result.problems));
  return result.value;
}

const state = {
  objective: {
    goal: "Greet in two languages",
    base_case: { checklist: [{ item: "both greet", check: { type: "command", value: "cat en.txt de.txt" } }] },
    background_intent: "An example",
    deliverables: "en.txt and de.txt",
    definition_of_done: "Both files are there",
    constraints: { ...DEFAULT_CONSTRAINTS, max_iterations: 5 },
  },
  control: INITIAL_CONTROL,
  atoms: vecOf([{ id: "en", description: "Greet in English", status: "pending", depends_on: [] }]),
  decompositions: [],
  or_groups: vecOf([]),
  trail: [],
  corrections: [],
};
must(await createStateFile(stateFile, createStateText(state, "Greet in English, then in German.")));
must(await addAtomTo(stateFile, { id: "de", description: "Greet in German", depends_on: ["en"] }));

// The smallest agent: any command. It works in the attempt's folder and answers with a JSON object.
const agent = `node -e "
  const file = process.env.AOT_ATOM + '.txt';
  fs.writeFileSync(file, 'Hello');
  console.log(JSON.stringify({ success: true, summary: 'wrote ' + file, artifacts: [file] }));
"`.replaceAll("\n", " ");

const options = {
  stateFile,
  root,
  agent: `command:${agent}`,
  judge: "none",
  in_place: false,
  merge: true,
  restart: false,
  settings: { verify_each: false, confirmed: false },
  limits: { timeout_ms: 60_000, max_wait_ms: 0 },
};
const planned = await planRun(options);
if (!planned.ok) throw new Error(describeProblems(planned.problems));
const { plan } = planned;
const events = [];
const end = await runLoop(options, { line: ({ event }) => events.push(event) });
if (!end.ok) throw new Error(describeProblems(end.problems));
const shown = showState(must(await readStateFile(stateFile)).state);
process.stdout.write(
  `${JSON.stringify({ plan, exit_code: end.exit_code, report: end.report, events, status: shown.status, bindings: shown.bindings })}\n`,
);
