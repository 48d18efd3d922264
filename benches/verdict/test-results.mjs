/** Which tests passed, by name, from what a runner printed. */
const TAP = /^\s*ok \d+ (?:- )?(.*?)\s*$/gm;
const SKIPPED = /# (SKIP|TODO)|# -$/i;

const READERS = {
  mocha: tapPasses,
  node: tapPasses,
  pytest: (output) => [...output.matchAll(/^PASSED (\S.*?)\s*$/gm)].map(([, name]) => name),
  jest: (output) => {
    const start = output.indexOf('{"num');
    const line = start === -1 ? null : output.slice(start).split("\n", 1)[0];
    if (line === null) return [];
    const tests = JSON.parse(line).testResults.flatMap(({ assertionResults }) => assertionResults);
    return tests.filter(({ status }) => status === "passed").map(({ fullName }) => fullName);
  },
};

function tapPasses(output) {
  return [...output.matchAll(TAP)].map(([, name]) => name).filter((name) => !SKIPPED.test(name));
}

/** @returns names, each once */
export const passedTests = (runner, output) => [...new Set(READERS[runner](output))];
