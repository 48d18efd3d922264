// A worker of the engines' bench, as a process of its own: `node engine-worker.mjs '{"ingress" or "database", "name", "slots",
// "agent_ms", "confirm", "bare"}'`. Says its port on stdout once it works, on a database nothing but that it does, and ends with
// its standard input.
import { loadDbosSdk } from "../dist/lib/engines/adapters/dbos/dbos-sdk.js";
import { serveDbosWorker } from "../dist/lib/engines/adapters/dbos/dbos-worker.js";
import { loadRestateSdk } from "../dist/lib/engines/adapters/restate/restate-sdk.js";
import { serveWorker } from "../dist/lib/engines/adapters/restate/restate-worker.js";
import { serveBareDbos, serveBareRestate } from "./engine-bare.mjs";
import { placesWith } from "./engine-world.mjs";

const settings = JSON.parse(process.argv[2]);
const { ingress, database, name, slots, agent_ms, confirm, bare } = settings;
const common = { name, slots, open: placesWith(agent_ms, confirm) };
if (bare === true)
  console.log((await (database === undefined ? serveBareRestate : serveBareDbos)(settings)) ?? "ready");
else if (database === undefined) {
  const { sdk } = await loadRestateSdk();
  const worker = await serveWorker(sdk, { ...common, ingress: { url: ingress }, host: "127.0.0.1", port: 0 });
  console.log(worker.port);
} else {
  await serveDbosWorker(loadDbosSdk().sdk, { ...common, url: database });
  console.log("ready");
}
process.stdin.on("end", () => process.exit(0)).resume();
