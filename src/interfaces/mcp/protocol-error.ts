import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** A request that cannot be answered: what a client asked for is not there, or cannot be read. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
