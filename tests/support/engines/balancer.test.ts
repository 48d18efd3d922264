/** The balancer of the engines' tests ends without a word, whatever its connections are at. */
import { once } from "node:events";
import { createServer } from "node:http2";
import { connect, type AddressInfo } from "node:net";
import { onTestFinished, test } from "vitest";
import { startBalancer } from "./balancer.ts";

test("closed while it still connects, it throws nothing into the process", async () => {
  const worker = createServer();
  worker.listen(0, "127.0.0.1");
  await once(worker, "listening");
  onTestFinished(() => void worker.close());
  const { port } = worker.address() as AddressInfo;
  for (let times = 0; times < 3; times++) {
    const balancer = await startBalancer([`http://127.0.0.1:${port}`]);
    await balancer.close();
    // What its own connection had still to say was said before this one is there.
    const later = connect(port, "127.0.0.1");
    await once(later, "connect");
    later.destroy();
  }
});
