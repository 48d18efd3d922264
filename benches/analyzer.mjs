/** The transcript analyzer on a labelled corpus: how many findings are right, how many mistakes are found, by part and language. */
import { readCorpus } from "../tests/fixtures/transcripts/corpus.mjs";
import { createReader } from "../dist/lib/rules/analyze/read/reader.js";
import { createFindings } from "../dist/lib/rules/analyze/findings.js";
import { createSession } from "../dist/lib/rules/analyze/session.js";
import { judgements } from "./analyzer/score.mjs";
import { rowsOf } from "./analyzer/table.mjs";

export function analyzerRows() {
  const judged = ["tuned", "held-out"].flatMap((part) =>
    judgements({ createFindings, createSession, createReader }, readCorpus(part)),
  );
  return rowsOf(judged);
}
