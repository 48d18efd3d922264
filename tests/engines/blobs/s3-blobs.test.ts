import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openS3Blobs, readS3Address } from "../../../src/engines/blobs/s3-blobs.ts";
import { accepted, describeProblems, type Result } from "../../../src/core/problem.ts";
import type { BlobStore } from "../../../src/loop/blob-store.ts";
import { blobsContract, textIn } from "../../contracts/blobs.ts";
import { S3_ENV, s3Program, startS3, type S3Server } from "../../support/engines/s3.ts";
import { tempFolder } from "../../fixtures/programs.ts";

Object.assign(process.env, S3_ENV);

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(describeProblems(result.problems));
  return result.value;
}

async function openAt(address: string): Promise<BlobStore> {
  return valueOf(await openS3Blobs(valueOf(readS3Address(address))));
}

test("SPEC 13: a bucket is named with its prefix, and with an endpoint where it is not Amazon's", () => {
  expect(readS3Address("s3://logs")).toEqual(accepted({ bucket: "logs", prefix: "" }));
  expect(readS3Address("s3://logs/team/aot/?region=eu-west-1")).toEqual(
    accepted({ bucket: "logs", prefix: "team/aot", region: "eu-west-1" }),
  );
  expect(readS3Address("s3://logs/a?endpoint=http://127.0.0.1:9000")).toEqual(
    accepted({ bucket: "logs", prefix: "a", endpoint: "http://127.0.0.1:9000" }),
  );
  for (const wrong of ["s3://", "s3:///x", "logs", "s3://logs?endpoint=here", "s3://logs?key=1", "s3://logs#x"])
    expect(readS3Address(wrong)).toMatchObject({ ok: false, problems: [{ hint: expect.stringContaining("s3://") }] });
});

test("SPEC 13: a store that does not answer is named", async () => {
  const store = await openAt("s3://logs/aot?endpoint=http://127.0.0.1:1");
  const source = join(tempFolder(), "source");
  writeFileSync(source, "1");
  await expect(store.put("a", source)).rejects.toThrow(/s3:\/\/logs\/aot cannot be used: .*ECONNREFUSED/);
  await expect(store.list("a")).rejects.toThrow(/s3:\/\/logs\/aot cannot be used/);
});

const program = s3Program();
describe.skipIf(program === null)("on a real server (node scripts/install-engines.mjs installs it)", () => {
  let server: S3Server;
  let stores = 0;
  beforeAll(async () => {
    server = await startS3(program ?? "");
  });
  afterAll(async () => await server?.close());

  blobsContract({
    name: "s3",
    rounds: 8,
    open: async () => await openAt(`s3://logs/aot/store-${++stores}?endpoint=${server.endpoint}`),
  });

  test("SPEC 13: stores with different prefixes of one bucket do not see each other", async () => {
    const [one, two, all] = await Promise.all(
      ["/p/1", "/p/12", ""].map((prefix) => openAt(`s3://logs${prefix}?endpoint=${server.endpoint}`)),
    );
    if (one === undefined || two === undefined || all === undefined) throw new Error("there are three");
    const source = join(tempFolder(), "source");
    writeFileSync(source, "mine");
    await two.put("a/log", source);
    expect(await one.list("a")).toEqual([]);
    expect((await all.list("p")).map(({ name }) => name)).toEqual(["p/12/a/log"]);
    expect(await textIn(all, "p/12/a/log")).toBe("mine");
  });

  test("SPEC 13: a bucket that is not there is reported, and not made", async () => {
    const store = await openAt(`s3://none/x?endpoint=${server.endpoint}`);
    await expect(store.list("a")).rejects.toThrow(/s3:\/\/none\/x cannot be used/);
    await expect(store.get("a")).rejects.toThrow(/s3:\/\/none\/x cannot be used/);
  });
});
