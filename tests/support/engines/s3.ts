/** A real S3-compatible server on loopback for a test file, if one is installed: `node scripts/install-engines.mjs`. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../free-ports.ts";

const PROGRAM = join(process.cwd(), "node_modules/.cache/aot-engines/node_modules/s3rver/bin/s3rver.js");

export interface S3Server {
  /** Of a bucket that is there. */
  readonly address: string;
  readonly endpoint: string;
  /** Ends it; what it keeps stays, and `start` brings it back. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends it, and removes what it kept. */
  close(): Promise<void>;
}

/** The credentials that it knows. */
export const S3_ENV = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER", AWS_REGION: "us-east-1" };

/** The server's program; null: it is not installed here. */
export function s3Program(): string | null {
  return existsSync(PROGRAM) ? PROGRAM : null;
}

export async function startS3(program: string): Promise<S3Server> {
  const dir = mkdtempSync(join(tmpdir(), "aot-s3-"));
  const [port = 0] = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  let stop = async (): Promise<void> => {};
  const start = async (): Promise<void> => {
    const args = [program, "-d", dir, "-a", "127.0.0.1", "-p", String(port), "--configure-bucket", "logs", "--silent"];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    stop = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    for (const end = Date.now() + 60_000; !(await isUp(endpoint));) {
      if (Date.now() > end || child.exitCode !== null) throw new Error("the S3 server did not start");
      await new Promise((resume) => setTimeout(resume, 50));
    }
  };
  await start();
  return {
    address: `s3://logs/aot?endpoint=${endpoint}`,
    endpoint,
    stop: () => stop(),
    start,
    close: async () => {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function isUp(endpoint: string): Promise<boolean> {
  return await fetch(endpoint).then(
    () => true,
    () => false,
  );
}
