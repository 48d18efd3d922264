/** The server of an engine, and who may ask it for what (SPEC section 13). */
import type { CommandSpec } from "../../command/spec.ts";

const TOKENS = "token-file";

const UP: CommandSpec = {
  name: "up",
  summary: "Run an engine's server on this host, until Ctrl-C.",
  description: [
    "PostgreSQL, from your system (apt-get install postgresql) or named with AOT_POSTGRES: its database is made in --dir. On loopback whoever reaches it may use it; elsewhere it asks for the password that is in --dir. A PostgreSQL that you have already needs no `aot engine up`.",
    "With --kind restate: Restate, installed by you (npm install @restatedev/restate-server) or named with AOT_RESTATE_SERVER. Its own interfaces ask nobody who they are. With --token-file it stays on loopback, and what listens is a front that lets in who bears a token; see docs/engine-operation.md.",
    "It signs what it asks of workers, with a key that is kept in its folder; give workers the public half, which it says (aot worker --identity-key), and they refuse everybody else.",
  ],
  flags: [
    {
      name: "kind",
      type: "text",
      choices: ["postgres", "restate"],
      summary: "The server.",
      fallback: "postgres",
    },
    {
      name: "metrics",
      type: "text",
      value: "HOST:PORT",
      summary: "Where its figures are read, by whoever reaches it (GET /metrics); port 0: any that is free.",
      fallback: "nowhere",
    },
    { name: "dir", type: "text", value: "DIR", summary: "Where the loops are kept.", fallback: ".aot-engine" },
    { name: "host", type: "text", value: "ADDRESS", summary: "What it listens on.", fallback: "127.0.0.1" },
    {
      name: "port",
      type: "integer",
      value: "N",
      min: 1,
      summary: "Port for commands and workers.",
      fallback: "5462; of Restate 8080",
    },
    {
      name: TOKENS,
      type: "text",
      value: "FILE",
      summary:
        "Of Restate: let in only clients of this file (aot engine token writes it); it is read again when it changes.",
      fallback: "whoever reaches it",
    },
    {
      name: "cert",
      type: "text",
      value: "FILE",
      summary: "Speak TLS with this certificate; of Restate it needs --token-file.",
    },
    { name: "key", type: "text", value: "FILE", summary: "The certificate's private key." },
    {
      name: "admin-port",
      type: "integer",
      value: "N",
      min: 1,
      summary:
        "Of Restate: port where workers register; with --token-file they do so at --port, and this one is for you alone.",
      fallback: "9070",
    },
    {
      name: "node-port",
      type: "integer",
      value: "N",
      min: 1,
      summary: "Of Restate: port for other servers.",
      fallback: "5122",
    },
  ],
  exits: [[1, "the server is not there, did not become ready, or ended by itself"]],
  examples: [
    { command: "aot engine up --dir engine-data", note: "loopback only, data where a back-up finds it" },
    { command: "aot engine up --host 10.0.0.5 --cert cert.pem --key key.pem", note: "for other hosts" },
    {
      command:
        "aot engine up --kind restate --host 10.0.0.5 --port 8443 --token-file tokens --cert cert.pem --key key.pem",
      note: "Restate, with tokens and TLS",
    },
  ],
  effect: "changes",
  load: () => import("./up.ts"),
};

const TOKEN: CommandSpec = {
  name: "token",
  summary: "Make a client's token, or revoke it.",
  description: [
    "The token is printed once and kept nowhere: the file has its digest. A token that is revoked is refused from the next request on.",
  ],
  args: [{ name: "name", summary: "Who will bear it: a person, a worker, a monitor." }],
  flags: [
    { name: TOKENS, type: "text", value: "FILE", summary: "The clients of an engine.", required: true },
    {
      name: "may",
      type: "text",
      choices: ["view", "steer", "work"],
      summary: "See loops; also submit, stop and redirect them; or be a worker.",
      fallback: "view",
    },
    { name: "revoke", type: "boolean", summary: "Take its line out of the file." },
  ],
  exits: [[1, "there is such a client already, or none to revoke"]],
  examples: [
    { command: "aot engine token anna --may steer --token-file tokens", note: "give it to her as AOT_ENGINE_TOKEN" },
    { command: "aot engine token anna --revoke --token-file tokens", note: "she is let in no more" },
  ],
  effect: "changes",
  load: () => import("./token.ts"),
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
  commands: [UP, TOKEN, MONITORING],
};
