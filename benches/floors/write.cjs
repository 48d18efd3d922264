// What any command that changes the state file pays: read, change one word, write aside, sync, rename, sync.
const fs = require("node:fs");
const text = fs.readFileSync("state.md", "utf8");
const at = text.indexOf("status: in_progress");
const file = fs.openSync("state.md.tmp", "wx");
fs.writeFileSync(file, `${text.slice(0, at)}status: resolved${text.slice(at + 19)}`);
fs.fsyncSync(file);
fs.closeSync(file);
fs.renameSync("state.md.tmp", "state.md");
const folder = fs.openSync(".", "r");
fs.fsyncSync(folder);
fs.closeSync(folder);
