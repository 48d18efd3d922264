// A worker of the engine's bench, as a process of its own: `node engine-worker.mjs '{"database", "name", "slots", "agent_ms",
// "bare"}'`. Says a line on stdout once it works, and ends with its standard input.
import { loadDbosSdk } from "../dist/lib/engines/adapters/dbos/dbos-sdk.js";
import { serveDbosWorker } from "../dist/lib/engines/adapters/dbos/dbos-worker.js";
import { serveBareDbos } from "./engine-bare.mjs";
import { placesWith } from "./engine-world.mjs";

const settings = JSON.parse(process.argv[2]);
const { database, name, slots, agent_ms, bare } = settings;
if (bare === true) await serveBareDbos(settings);
else await serveDbosWorker(loadDbosSdk().sdk, { name, slots, open: placesWith(agent_ms), url: database });
console.log("ready");
process.stdin.on("end", () => process.exit(0)).resume();
