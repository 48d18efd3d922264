// A worker of the engines' bench, as a process of its own: `node engine-worker.mjs '{"ingress", "name", "slots", "agent_ms", "confirm"}'`.
// Says its port on stdout once it serves, and ends with its standard input.
import { loadRestateSdk } from "../dist/lib/adapters/engines/restate-sdk.js";
import { serveWorker } from "../dist/lib/adapters/engines/restate-worker.js";
import { placesWith } from "./engine-world.mjs";

const { ingress, name, slots, agent_ms, confirm } = JSON.parse(process.argv[2]);
const { sdk } = await loadRestateSdk();
const open = placesWith(agent_ms, confirm);
const worker = await serveWorker(sdk, { name, ingress: { url: ingress }, slots, host: "127.0.0.1", port: 0, open });
console.log(worker.port);
process.stdin.on("end", () => process.exit(0)).resume();
