/** The products beside the loop, as the loop's ports: loaded where they are used. */
import type { Extensions } from "./history/extensions.ts";

export const EXTENSIONS: Extensions = {
  guard: (project, aot) => ({
    ...(aot === undefined
      ? {}
      : { settings: async () => await (await import("./rules/worker.ts")).workerSettings(project, aot) }),
    files: async () => (await import("./rules/place.ts")).ruleFilesOf(project),
    forbids: async (read, warn) => {
      const { whyForbiddenIn } = await import("./rules/gate.ts");
      return await whyForbiddenIn(project, read, warn);
    },
  }),
  engines: {
    steer: async (owner, request) => {
      const { sendRequest } = await import("./engines/owned-loop.ts");
      return await sendRequest(owner, request, process.env);
    },
    readLog: async (owner, filter) => {
      const { readHostedLog } = await import("./engines/journal.ts");
      return await readHostedLog(owner, filter, process.env);
    },
    followLog: async (owner, filter, view, options) => {
      const { followHostedLog } = await import("./engines/journal.ts");
      return await followHostedLog(owner, filter, view, { ...options, env: process.env });
    },
  },
};
