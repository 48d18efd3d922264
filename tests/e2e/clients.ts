/**
 * The real clients, pinned: where they are, and an environment in which they can reach nothing but a scripted model on
 * loopback. A scratch HOME, a dummy key, a proxy that is a closed port, and nothing else of this machine but its PATH.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, test } from "vitest";
import type { Model } from "./scripted-model.ts";

export type ClientName = "claude" | "codex" | "gemini" | "opencode";

/** Where the client is, or why it cannot be had. AOT_E2E_<NAME> names another one. */
function findClient(name: ClientName): { readonly path: string } | { readonly missing: string } {
  const variable = `AOT_E2E_${name.toUpperCase()}`;
  const given = process.env[variable];
  if (given !== undefined)
    return existsSync(given) ? { path: given } : { missing: `${variable} names ${given}, which does not exist` };
  const script = fileURLToPath(new URL("../../scripts/install-clients.mjs", import.meta.url));
  const run = spawnSync(process.execPath, [script, "--only", name], { encoding: "utf8", timeout: 300_000 });
  const path = new RegExp(`^${name} \\S+ (.+)$`, "m").exec(run.stdout)?.[1];
  return path === undefined ? { missing: `scripts/install-clients.mjs: ${run.stderr.trim().slice(-400)}` } : { path };
}

/** Runs the suite with the client, or says loudly that it was not tested; in CI that is a failure. */
export function withClient(name: ClientName, suite: (path: string) => void): void {
  const client = findClient(name);
  if (!("missing" in client)) return suite(client.path);
  console.error(`\nNOT TESTED against the real ${name}: ${client.missing}\n`);
  test.skipIf(process.env["CI"] !== "true")(`the real ${name} is here (${client.missing})`, () => {
    throw new Error(client.missing);
  });
}

/** For a folder that a client which is just ending may still write to. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** A scratch HOME that goes when the test ends. */
export function scratchHome(): string {
  const home = mkdtempSync(join(tmpdir(), "aot-client-"));
  onTestFinished(() => removeFolder(home));
  return home;
}

export function scrubbed(home: string): Record<string, string | undefined> {
  return {
    PATH: process.env["PATH"],
    HOME: home,
    TMPDIR: home,
    TERM: "dumb",
    LANG: "C.UTF-8",
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
  };
}

/**
 * The scripted model as codex's provider, and nothing that would look for the network.
 * @param retries of one request
 */
export function codexEnvironment(model: Model, home: string, retries = 0): Record<string, string | undefined> {
  mkdirSync(join(home, ".codex"), { recursive: true });
  writeFileSync(
    join(home, ".codex", "config.toml"),
    `model_provider = "scripted"
[features]
plugins = false
apps = false
[model_providers.scripted]
name = "scripted"
base_url = "${model.url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
`,
  );
  return { ...scrubbed(home), OPENAI_API_KEY: "dummy" };
}

/** gemini's own settings ask for nothing but the key, and one model, so that none is chosen by another call. */
export function geminiEnvironment(model: Model, home: string): Record<string, string | undefined> {
  mkdirSync(join(home, ".gemini"), { recursive: true });
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true, disableUpdateNag: true },
    model: { name: "gemini-2.5-flash" },
  };
  writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
  return { ...scrubbed(home), GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: model.url };
}

/** One model, which its list of models does not have to know, and nothing that would look for the network. */
export function opencodeEnvironment(model: Model, home: string): Record<string, string | undefined> {
  const folder = join(home, ".config", "opencode");
  mkdirSync(folder, { recursive: true });
  const settings = {
    model: "scripted/one",
    small_model: "scripted/one",
    share: "disabled",
    autoupdate: false,
    provider: {
      scripted: {
        npm: "@ai-sdk/anthropic",
        name: "scripted",
        options: { baseURL: `${model.url}/v1`, apiKey: "dummy" },
        models: { one: { name: "one" } },
      },
    },
  };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(settings));
  const quiet = {
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
  return { ...scrubbed(home), ...quiet };
}
