// Tells on stderr how much memory a process took at most, in KiB.
process.on("exit", () => require("node:fs").writeSync(2, `peak ${process.resourceUsage().maxRSS}\n`));
