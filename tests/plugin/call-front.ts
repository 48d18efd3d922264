/** The hooks' quick front as a process, called as a client calls it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../support/bundle.ts";
import { shellArgs } from "./hook-groups.ts";
import { stagePlugin } from "./staged-plugin.ts";

export interface Asked {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export const SILENT: Asked = { code: 0, out: "", err: "" };

export interface Calling {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the front is a part of the client's command and given the tool's kind, as by Claude Code; to Codex it is a program. */
  readonly isPart: boolean;
  /** Who calls it; absent: whoever tests. */
  readonly user?: number | undefined;
  /** A shell's line before it. */
  readonly before?: string;
}

export interface Front {
  readonly path: string;
  /** A PATH with what the front needs, and no Node. */
  readonly noNode: string;
  call(event: string, input: object | string, how: Calling): Promise<Asked>;
}

/** It goes after the test file. */
export async function stageFront(): Promise<Front> {
  const path = join(await stagePlugin(), "plugin", "bin", "aot-hook");
  const noNode = temporaryFolder();
  const cat = '#!/bin/sh\nwhile IFS= read -r line || [ -n "$line" ]; do printf "%s\\n" "$line"; done\n';
  writeFileSync(join(noNode, "cat"), cat, { mode: 0o755 });
  return {
    path,
    noNode,
    call: async (event, input, { cwd, env: more, isPart, user, before }) => {
      const text = typeof input === "string" ? input : JSON.stringify(input);
      const name = /"tool_name":\s*"(\w+)"/.exec(text)?.[1] ?? null;
      const args = isPart ? shellArgs(path, event, name) : [path, event];
      const env = { PATH: process.env["PATH"] ?? "", CLAUDE_PLUGIN_ROOT: dirname(dirname(path)), ...more };
      const words = before === undefined ? args : ["-c", `${before}; ${args[1] ?? ""}`];
      const child = spawn("/bin/sh", words, {
        cwd,
        env,
        timeout: 60_000,
        ...(user === undefined ? {} : { uid: user }),
      });
      child.stdin.on("error", () => {});
      child.stdin.end(text);
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
      const [code] = (await once(child, "close")) as [number | null];
      return { code, out, err };
    },
  };
}
