/**
 * Blobs in a bucket of S3, or of a store that speaks its protocol (contract BLOB-STORE-1 to 3 of the port). Credentials are found by
 * the SDK itself, by its standard variables and files: none passes through here.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { GetObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { accepted, refused, type Result } from "../../core/problem.ts";
import { importOptional } from "../../host/optional-package.ts";
import type { Blob, BlobStore } from "../../loop/blob-store.ts";
import { nameFrom, pathFrom } from "./blob-name.ts";

type Sdk = typeof import("@aws-sdk/client-s3");

export interface S3Address {
  readonly bucket: string;
  /** Empty, or parts with slashes between them. */
  readonly prefix: string;
  /** Absent: Amazon's own, by region. */
  readonly endpoint?: string;
  /** Absent: as the SDK finds it (AWS_REGION, its profile). */
  readonly region?: string;
}

/** `s3://bucket/prefix?endpoint=https://host:port&region=name`; both parameters may be missing. */
export function readS3Address(text: string): Result<S3Address> {
  const bad = refused(
    `${JSON.stringify(text)} names no bucket`,
    "write s3://BUCKET/PREFIX, with ?endpoint=https://HOST for a store that is not Amazon's",
  );
  const match = /^s3:\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/.exec(text);
  if (match?.[1] === undefined) return bad;
  const more = new URLSearchParams(match[3] ?? "");
  const [endpoint, region] = [more.get("endpoint"), more.get("region")];
  if ([...more.keys()].some((key) => key !== "endpoint" && key !== "region")) return bad;
  if (endpoint !== null && !/^https?:\/\/[^/]+\/?$/.test(endpoint)) return bad;
  return accepted({
    bucket: match[1],
    prefix: (match[2] ?? "").replaceAll(/^\/+|\/+$/g, ""),
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
  });
}

/** How often one blob is tried, and how long is waited between. The SDK itself repeats no streamed body. */
const TRIES_AFTER_MS = [0, 300, 1_500];
const CONNECT_MS = 5_000;
const SILENT_MS = 60_000;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const REGION_OF_OTHERS = "us-east-1";

/** Refused when the SDK is not installed. Whether the bucket can be used shows when it is. */
export async function openS3Blobs(address: S3Address): Promise<Result<BlobStore>> {
  let sdk: Sdk;
  try {
    sdk = (await importOptional("@aws-sdk/client-s3")) as Sdk;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(`the S3 library cannot be loaded: ${why}`, "install it: npm install @aws-sdk/client-s3");
  }
  return accepted(createS3Blobs(sdk, address));
}

function createS3Blobs(sdk: Sdk, { bucket, prefix, endpoint, region }: S3Address): BlobStore {
  const { S3Client, PutObjectCommand, GetObjectCommand, paginateListObjectsV2 } = sdk;
  const client: S3Client = new S3Client({
    ...(region === undefined ? {} : { region }),
    // Of other stores many know neither a host per bucket nor the newer checksums.
    ...(endpoint === undefined
      ? {}
      : { endpoint, forcePathStyle: true, region: region ?? process.env["AWS_REGION"] ?? REGION_OF_OTHERS }),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // What fails is reported by whoever asked.
    logger: SILENT,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
  });
  const above = prefix === "" ? [] : prefix.split("/");
  const keyOf = (name: string): string => [...above, ...pathFrom(name)].join("/");
  const name = `s3://${[bucket, ...above].join("/")}`;
  return {
    name,
    put: async (blob, file) =>
      await named(name, async () => {
        await repeatedly(async () => {
          const { size } = await stat(file);
          const Body = createReadStream(file);
          try {
            await client.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(blob), Body, ContentLength: size }));
          } finally {
            Body.destroy();
          }
        });
      }),
    get: async (blob) =>
      await named(name, async () => {
        const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(blob) })).catch(absent);
        return answer === null ? null : bytesOf(answer);
      }),
    list: async (under) =>
      await named(name, async () => {
        const found: Blob[] = [];
        const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${keyOf(under)}/` });
        for await (const { Contents = [] } of pages)
          for (const { Key, Size, LastModified } of Contents)
            if (Key !== undefined)
              found.push({
                name: nameFrom(Key.split("/").slice(above.length)),
                bytes: Size ?? 0,
                at: (LastModified ?? new Date(0)).toISOString(),
              });
        return found;
      }),
  };
}

function nothing(): void {}

function absent(error: unknown): null {
  if (error instanceof Error && error.name === "NoSuchKey") return null;
  throw error;
}

async function* bytesOf({ Body }: GetObjectCommandOutput): AsyncIterable<Uint8Array> {
  if (Body !== undefined) for await (const part of Body as AsyncIterable<Uint8Array>) yield part;
}

async function repeatedly(work: () => Promise<void>): Promise<void> {
  let last: unknown;
  for (const wait of TRIES_AFTER_MS) {
    await new Promise((resume) => setTimeout(resume, wait));
    try {
      return await work();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** What the SDK throws does not say which store it was about, and of some failures nothing at all. */
async function named<T>(store: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { name: code, message } = error instanceof Error ? error : new Error(String(error));
    throw new Error(`${store} cannot be used: ${message === "" ? code : message}`, { cause: error });
  }
}
