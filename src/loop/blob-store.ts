/**
 * Where what is too large for an engine's state is kept: logs and transcripts of attempts (SPEC section 13). Patches
 * travel by git.
 *
 * BLOB-STORE-1 what was put under a name is got under it and under no other, whatever characters are in it;
 * BLOB-STORE-2 whoever reads sees the old bytes or the new ones, whole;
 * BLOB-STORE-3 memory does not grow with what is kept: bytes are streamed.
 */
export interface BlobStore {
  /** Names it for people: a folder, `s3://bucket/prefix`. */
  readonly name: string;
  /** @param name parts with slashes between them. @param file is read. @throws Error when it cannot be kept */
  put(name: string, file: string): Promise<void>;
  /** Null: there is none of that name. @throws Error when the store cannot be asked */
  get(name: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Everything below a name, in no order; none: nothing is kept there. @throws Error when the store cannot be asked */
  list(under: string): Promise<readonly Blob[]>;
}

export interface Blob {
  readonly name: string;
  readonly bytes: number;
  /** When it was put, ISO 8601. */
  readonly at: string;
}
