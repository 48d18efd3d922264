// AoT Loop as a library: `node examples/library.mjs FOLDER` aligns a goal in a git repository, changes the loop, runs it
// with a command as the agent, and reads what happened. Prints one JSON object.
import { join } from "node:path";
import { addAtomTo, alignLoop, describeProblems, loopStatus, planRun, readLog, runLoop, verifyLoop } from "aot-loop";

const stateFile = join(process.argv[2] ?? process.cwd(), ".claude", "aot-loop-state.md");

/** Expected failure is a value; here it ends the program. */
function must(result) {
  if (!result.ok) throw new Error(describeProblems(result.problems));
  return result.value ?? result;
}

const alignment = {
  goal: "Greet in two languages",
  base_case: { checklist: [{ item: "both greet", check: { type: "command", value: "cat en.txt de.txt" } }] },
  atoms: [{ id: "en", description: "Greet in English" }],
  constraints: { max_iterations: 5 },
};
must(await alignLoop(alignment, { stateFile }));
must(await addAtomTo(stateFile, { id: "de", description: "Greet in German", depends_on: ["en"] }));

// The smallest agent: any command. It works in the attempt's folder and answers with a JSON object.
const agent = `command:node -e "
  const file = process.env.AOT_ATOM + '.txt';
  fs.writeFileSync(file, 'Hello');
  console.log(JSON.stringify({ success: true, summary: 'wrote ' + file, artifacts: [file] }));
"`.replaceAll("\n", " ");

const { plan } = must(await planRun({ stateFile, agent, judge: "none" }));
const events = [];
const { exit_code, report } = must(
  await runLoop({ stateFile, agent, judge: "none" }, { line: ({ event }) => events.push(event) }),
);

const { state } = must(await loopStatus(stateFile));
const { passed } = must(await verifyLoop(stateFile));
const { lines } = await readLog(stateFile, { atom: "de" });
console.log(JSON.stringify({ plan, exit_code, report, events, status: state.control.status, passed, lines }));
