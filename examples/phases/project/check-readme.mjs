// Every function that the package has is in its README.
import { readFileSync } from "node:fs";

const text = readFileSync("README.md", "utf8");
const missing = ["toFahrenheit", "toCelsius"].filter((name) => !text.includes(name));
if (missing.length > 0) {
  process.stdout.write(`README.md says nothing of ${missing.join(", ")}\n`);
  process.exitCode = 1;
}
