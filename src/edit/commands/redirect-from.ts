/** `aot redirect --from FILE`: several changes as one transaction (SPEC section 8). */
import { readStateFile } from "../../adapters/store/state-file.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import { documentOf, readDocument, transactionFor } from "../../statefile/redirect-document.ts";
import { settleRedirect, type Hands } from "./settle-redirect.ts";

export const redirectFrom =
  (hands: Hands): Run =>
  async (call: Call) => {
    const name = call.text("from");
    if (name === undefined)
      throw new Unusable(
        "say what to change",
        "`aot redirect edit`, --from FILE, or one change: `aot redirect --help`",
      );
    const wanted = readDocument(readTextFile(call.io, name));
    if (!wanted.ok) return failure(wanted.problems, name);
    const file = stateFileOf(call);
    const read = await readStateFile(file.path);
    if (!read.ok) return failure(read.problems, file.shown);
    const made = transactionFor(wanted.value, documentOf(read.value.state), "kept");
    if (!made.ok) return failure(made.problems, name);
    const { reason } = made.value;
    return await settleRedirect(call, { ...made.value, reason: call.text("reason") ?? reason }, hands);
  };
