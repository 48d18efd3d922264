/** Where what is too large for an engine's state is kept: logs and transcripts of attempts (SPEC section 13). */
export interface BlobStore {
  /** @param name parts with slashes between them; written anew, it holds the newer bytes. @throws Error when it cannot be kept */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Null: there is none of that name. */
  get(name: string): Promise<Uint8Array | null>;
}
