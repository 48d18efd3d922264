// How right the analyzer is on labelled turns of real sessions. Both stay outside of the repository: they are personal data.
//   node benches/analyzer-turns.mjs --labels labels.json --cache FOLDER [--part tuned] [--wrong] [--missed]
//
// labels.json: [{ id, part, file, line, label, calls }, ...]. `file` is below the folder, `line` that of the person's words.
// `label`: `unwanted` (`calls`: the lines of the calls that the words are about), `words` (about what was only said), `doubtful`
// (counted neither way), `none`.
import { createReadStream, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { analyzeFiles } from "../dist/lib/rules/analyze.js";
import { intervalOf } from "./stall/study.mjs";

const { values } = parseArgs({
  options: {
    labels: { type: "string" },
    cache: { type: "string" },
    part: { type: "string" },
    wrong: { type: "boolean" },
    missed: { type: "boolean" },
    rules: { type: "boolean" },
  },
});
if (values.labels === undefined || values.cache === undefined) {
  console.error("name the labels and the folder of sessions: --labels labels.json --cache FOLDER");
  process.exit(2);
}

const labels = JSON.parse(readFileSync(values.labels, "utf8")).filter(
  ({ part }) => values.part === undefined || part === values.part,
);
const parts = [...new Set(labels.map(({ part }) => part))];
for (const part of parts) await report(part);

async function report(part) {
  const own = labels.filter((label) => label.part === part);
  const files = [...new Set(own.map(({ file }) => file))].map((file) => transcriptAt(join(values.cache, file)));
  const analysis = await analyzeFiles(files);
  const said = analysis.findings.filter(({ finding }) => finding.quotes.length > 0 && finding.kind !== "repeated");
  const byPlace = new Map(own.map((label) => [`${join(values.cache, label.file)}:${label.line}`, label]));
  for (const sure of [true, false]) {
    const found = said.filter(({ finding }) => !sure || !finding.doubtful);
    const quotes = found.flatMap(({ finding }) =>
      finding.quotes.flatMap((quote) => {
        const label = byPlace.get(`${quote.at.file}:${quote.at.line}`);
        return label === undefined ? [] : [{ label, quote, right: isRight(label, quote), score: finding.score }];
      }),
    );
    const judged = quotes.filter(({ label }) => label.label !== "doubtful");
    const right = judged.filter((one) => one.right);
    const wanted = own.filter(({ label }) => label === "unwanted");
    const met = wanted.filter((label) => right.some((one) => one.label === label));
    console.log(
      `${part}, ${sure ? "sure" : "with doubtful"}: ${own.length} turns, ${wanted.length} unwanted; ` +
        `precision ${shareOf(right.length, judged.length)}, recall ${shareOf(met.length, wanted.length)}`,
    );
    if (!sure && values.wrong)
      for (const { label, quote, score, right } of judged)
        console.log(`  ${right ? "right" : "wrong"} ${label.id} ${label.label} ${score.toFixed(2)}: ${quote.text}`);
    if (!sure && values.missed)
      for (const label of wanted.filter((one) => !met.includes(one))) console.log(`  missed ${label.id} ${label.kind}`);
  }
  const rules = said.flatMap(({ finding, proposed }) => (proposed === null ? [] : [{ finding, ...proposed }]));
  const narrow = rules.filter(({ replay }) => replay.harmless <= replay.caught);
  console.log(
    `${part}: ${shareOf(narrow.length, rules.length)} proposed rules catch no more harmless calls than bad ones`,
  );
  if (values.rules)
    for (const { finding, proposal, replay } of rules)
      console.log(
        `  ${proposal.name} ${JSON.stringify(proposal.conditions)} ${replay.caught}/${replay.harmless} "${finding.quotes[0]?.text}"`,
      );
}

function isRight({ label, calls }, { call }) {
  return label === "unwanted" && calls.includes(call.line);
}

function transcriptAt(path) {
  const { size, mtimeMs } = statSync(path);
  return { path, bytes: size, changed: mtimeMs, pieces: () => createReadStream(path, { highWaterMark: 256 * 1024 }) };
}

function shareOf(part, total) {
  const interval = intervalOf(part, total);
  return interval === null
    ? "none"
    : `${((100 * part) / total).toFixed(0)} % (${part} of ${total}, ${interval.join(" to ")})`;
}
