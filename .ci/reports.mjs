// What the reports of the vitest runs, and of scripts/nodes.mjs, say together.
//   node .ci/reports.mjs failed REPORT             the files with failures, one per line
//   node .ci/reports.mjs tally FOLDER [STEP...]    counts; STEPs are those that failed. Exit 0: nothing failed
// NAME.again.json is the second run of the files that failed in NAME.json: its results stand.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const [verb, path = "", ...steps] = process.argv.slice(2);

function filesOf(report) {
  return existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : [];
}

function countsOf(file) {
  const failed = file.assertionResults.filter((test) => test.status === "failed").length;
  const passed = file.assertionResults.filter((test) => test.status === "passed").length;
  // A file that cannot be read or whose set-up failed has no failing test of its own.
  return { passed, failed: failed === 0 && file.status === "failed" ? 1 : failed };
}

function tally() {
  let [passed, failed] = [0, 0];
  const told = new Set();
  for (const name of readdirSync(path).filter((entry) => entry.endsWith(".json") && !entry.endsWith(".again.json"))) {
    const again = new Map(filesOf(join(path, name.replace(/json$/, "again.json"))).map((file) => [file.name, file]));
    for (const file of filesOf(join(path, name))) {
      const counts = countsOf(again.get(file.name) ?? file);
      passed += counts.passed;
      failed += counts.failed;
      if (counts.failed > 0) told.add(name.replace(/\.json$/, ""));
      else if (again.has(file.name)) console.log(`unsteady: ${relative(process.cwd(), file.name)}: ${unsteady(file)}`);
    }
  }
  const failing = steps.filter((step) => step !== "" && !step.endsWith(", again"));
  failed += failing.filter((step) => !told.has(step)).length;
  if (failing.length > 0) console.log(`failed steps: ${failing.join(", ")}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

function unsteady(file) {
  const failures = file.assertionResults.filter((test) => test.status === "failed");
  return failures.map((test) => test.fullName).join("; ") || "the file as a whole";
}

if (verb === "tally") tally();
else for (const file of filesOf(path)) if (countsOf(file).failed > 0) console.log(file.name);
