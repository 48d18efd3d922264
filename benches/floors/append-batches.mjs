/** What cannot be avoided of a durable loop: each batch of lines written and synced, and one turn of the event loop's queue. */
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";

/** What that takes, in milliseconds. */
export async function appendBatches(path, batches) {
  const fd = openSync(path, "a+");
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (const batch of batches) {
    writeSync(fd, `${batch}\n`);
    fdatasyncSync(fd);
    await Promise.resolve();
  }
  const wall_ms = performance.now() - start;
  const used = process.cpuUsage(cpu);
  closeSync(fd);
  unlinkSync(path);
  return { wall_ms, user_ms: used.user / 1000, system_ms: used.system / 1000 };
}
