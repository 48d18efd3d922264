// How right the analyzer is on labelled transcripts. A finding is right when it is about a call that the label names.

/** What was found in each transcript, beside what was expected. */
export function judgements({ createFindings, createSession, createReader }, transcripts) {
  return transcripts.map((transcript) => {
    const findings = createFindings();
    const session = createSession(findings.add);
    const read = createReader();
    for (const [index, line] of transcript.lines.entries()) {
      const reading = read(line);
      if (reading.kind !== "entries" || reading.sidechain) continue;
      for (const entry of reading.entries) session.take(entry, { file: transcript.name, line: index + 1 }, reading.cwd);
    }
    session.end();
    return judgementOf(transcript, findings.list());
  });
}

function judgementOf({ part, name, expected }, findings) {
  const about = (expectation) => findings.filter(({ calls }) => expectation.calls.some((call) => calls.has(call)));
  const met = expected.filter((expectation) => about(expectation).length > 0);
  const right = new Set(expected.flatMap(about));
  return {
    part,
    name,
    language: /^(?:trap-)?([a-z]{2})-/.exec(name)?.[1] ?? "",
    trap: expected.length === 0,
    expected: expected.length,
    met: met.length,
    missed: expected.filter((expectation) => !met.includes(expectation)),
    right: right.size,
    wrong: findings.filter((finding) => !right.has(finding)),
    kinds: met.filter((expectation) => about(expectation).some(({ kind }) => expectation.kinds.includes(kind))).length,
    findings,
  };
}

/** Precision: findings that are right of those found. Recall: expectations met of those there are. */
export function tallyOf(judged) {
  const sum = (of) => judged.reduce((total, judgement) => total + of(judgement), 0);
  return {
    transcripts: judged.length,
    traps: judged.filter(({ trap }) => trap).length,
    fooled: judged.filter(({ trap, wrong }) => trap && wrong.length > 0).length,
    expected: sum(({ expected }) => expected),
    met: sum(({ met }) => met),
    right: sum(({ right }) => right),
    wrong: sum(({ wrong }) => wrong.length),
    kinds: sum(({ kinds }) => kinds),
  };
}
