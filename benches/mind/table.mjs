// Recorded results as a table: one line of results/*.jsonl is what run.mjs printed.
//   node benches/mind/table.mjs [FILE...]
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const kept = fileURLToPath(new URL("results/", import.meta.url));
const files = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(kept).map((name) => `${kept}${name}`);
const rows = files.flatMap((file) => readFileSync(file, "utf8").trim().split("\n").map(JSON.parse));

console.log(
  "| task | runs | verified, and true | calls | prompts | answers | minutes |\n| --- | --- | --- | --- | --- | --- | --- |",
);
for (const name of new Set(rows.map(({ task, how }) => `${task}, ${how}`))) {
  const all = rows.filter(({ task, how }) => `${task}, ${how}` === name);
  const mean = (of) => Math.round((all.reduce((sum, row) => sum + of(row), 0) / all.length) * 10) / 10;
  const good = all.filter((row) => row.true && ["verified", "its checks pass"].includes(row.ended)).length;
  const roles = [...new Set(all.flatMap(({ roles }) => Object.keys(roles)))]
    .map((role) => `${mean(({ roles }) => roles[role] ?? 0)} ${role}`)
    .join(", ");
  console.log(
    `| ${name} | ${all.length} | ${good} | ${mean(({ calls }) => calls)} (${roles}) | ${mean(({ prompts }) => prompts)} | ${mean(({ answers }) => answers)} | ${mean(({ minutes }) => minutes)} |`,
  );
}
