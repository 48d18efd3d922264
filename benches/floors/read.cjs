// What any command that reads the state file pays: Node, the file, an answer.
const { readFileSync, writeSync } = require("node:fs");
const text = readFileSync("state.md", "utf8");
writeSync(1, text);
