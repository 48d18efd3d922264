/** The server of an engine (SPEC section 13). */
import type { CommandSpec } from "../../command/spec.ts";

const UP: CommandSpec = {
  name: "up",
  summary: "Run an engine's server on this host, until Ctrl-C.",
  description: [
    "PostgreSQL, from your system (apt-get install postgresql) or named with AOT_POSTGRES: its database is made in --dir. On loopback whoever reaches it may use it; elsewhere it asks for the password that is in --dir. A PostgreSQL that you have already needs no `aot engine up`.",
  ],
  flags: [
    {
      name: "metrics",
      value: "HOST:PORT",
      summary: "Where its figures are read, by whoever reaches it (GET /metrics); port 0: any that is free.",
      fallback: "nowhere",
    },
    { name: "dir", value: "DIR", summary: "Where the loops are kept.", fallback: ".aot-engine" },
    {
      name: "host",
      value: "ADDRESS",
      summary: "What it listens on.",
      fallback: "127.0.0.1",
    },
    {
      name: "port",
      type: "integer",
      value: "N",
      min: 1,
      summary: "Port for commands and workers.",
      fallback: "5462",
    },
    { name: "cert", value: "FILE", summary: "Speak TLS with this certificate." },
    { name: "key", value: "FILE", summary: "The certificate's private key." },
  ],
  exits: [[1, "the server is not there, did not become ready, or ended by itself"]],
  examples: [
    { command: "aot engine up --dir engine-data", note: "loopback only, data where a back-up finds it" },
    { command: "aot engine up --host 10.0.0.5 --cert cert.pem --key key.pem", note: "for other hosts" },
  ],
  effect: "changes",
  load: () => import("./up.ts"),
};

const MONITORING: CommandSpec = {
  name: "monitoring",
  summary: "Print a Grafana dashboard, or alert rules of Prometheus, for an engine's figures.",
  description: ["For what --metrics of `aot engine up` and `aot worker` tells (docs/engine-operation.md)."],
  args: [{ name: "what", summary: "What to print.", choices: ["grafana", "alerts"] }],
  examples: [
    { command: "aot engine monitoring grafana", note: "redirect it into a file, and import that in Grafana" },
    { command: "aot engine monitoring alerts", note: "a rule_files entry of Prometheus" },
  ],
  effect: "reads",
  load: () => import("./monitoring.ts"),
};

export const ENGINE_SERVER: CommandSpec = {
  name: "engine",
  summary: "The server of a durable engine.",
  commands: [UP, MONITORING],
};
