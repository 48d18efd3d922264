/**
 * Repositories for `honest.mjs`, each with its own test command on the test files that a fix changed, where it takes files.
 * `tests`, `source`: by path. `packages`: what its tests need of its package.json besides its dependencies.
 */
const those = (tests, name) => tests.filter((path) => name.test(path)).join(" ");
const pytest = (tests) => `python3 -m pytest -q ${those(tests, /(^|\/)(test_[^/]*|[^/]*_test)\.py$/)}`;
const python = { language: "python", tests: /(^|\/)(tests?|testing)\//, source: /\.py$/, check: pytest };
const inSrc = { ...python, check: (tests) => `PYTHONPATH=src ${pytest(tests)}` };
const go = {
  language: "go",
  tests: /_test\.go$|(^|\/)(testdata|_test|testutil)\//,
  source: /\.go$/,
  check: () => "go test ./...",
};
const js = {
  language: "javascript",
  tests: /(^|\/)(tests?|__tests__)\/|\.(test|spec)\.[jt]s$|^test\.js$/,
  source: /\.[jt]s$/,
};
const runs = (runner, ...packages) => ({
  ...js,
  packages,
  check: (tests) => `node_modules/.bin/${runner} ${those(tests, /\.[jt]s$/)}`,
});
const perl = {
  language: "perl",
  tests: /^(t|corpus)\//,
  source: /\.pm$/,
  check: (tests) => `prove -l ${those(tests, /\.t$/) || "t"}`,
};
const rust = {
  language: "rust",
  tests: /(^|\/)tests?(\/|\.rs$)/,
  source: /\.rs$/,
  check: () => "cargo test --offline --tests",
};
const ruby = (flags) => ({
  language: "ruby",
  tests: /^test\//,
  source: /\.rb$/,
  check: (tests) => `ruby ${flags} -e 'ARGV.each { |path| require "./#{path}" }' ${those(tests, /test_[^/]*\.rb$/)}`,
});
const c = { language: "c", tests: /(^|\/)tests?(\/|\.c$)/, source: /\.[ch]$/ };

export const REPOSITORIES = {
  "micromatch/picomatch": runs("mocha", "mocha", "minimatch", "fill-range"),
  "dagolden/Path-Tiny": perl,
  "ruby/csv": ruby("-Ilib -Itest/csv -rhelper"),
  "pallets/click": inSrc,
  "makamaka/JSON-PP": perl,
  "ljharb/qs": runs(
    "tape",
    "tape",
    "object-inspect",
    "iconv-lite",
    "safer-buffer",
    "qs-iconv",
    "has-symbols",
    "for-each",
    "mock-property",
  ),
  "Perl-Toolchain-Gang/YAML-Tiny": perl,
  "andialbrecht/sqlparse": python,
  "ruby/optparse": ruby("-Ilib -Itest/lib -Itest -rhelper"),
  "benhoyt/inih": { ...c, check: () => "cd tests && ./unittest.sh && git diff --exit-code ." },
  "pytest-dev/pluggy": inSrc,
  "chansen/p5-http-tiny": perl,
  "bottlepy/bottle": python,
  "minimistjs/minimist": runs("tape", "tape"),
  "ruby/rake": ruby("-Ilib -Itest -rhelper"),
  "pallets/itsdangerous": inSrc,
  "d3/d3-array": runs("mocha", "mocha", "d3-random", "d3-dsv"),
  "Perl-Toolchain-Gang/Test-Harness": perl,
  "r1chardj0n3s/parse": python,
  "pypa/packaging": inSrc,
  "python-attrs/attrs": inSrc,
  "tj/commander.js": runs("jest", "jest"),
  "jonschlinkert/braces": runs("mocha", "mocha", "bash-path", "gulp-format-md", "ansi-colors"),
  "unjs/ufo": runs("vitest run", "vitest"),
  "spf13/pflag": go,
  "gorilla/mux": go,
  "BurntSushi/toml": { ...go, check: () => "go test ." },
  "gorilla/schema": go,
  "Masterminds/semver": go,
  "mattn/go-shellwords": go,
  "google/uuid": go,
  "yuin/goldmark": { ...go, check: () => "go test . ./extension/... ./util/..." },
  "dtolnay/semver": rust,
  "DaveGamble/cJSON": {
    ...c,
    check: () => "cmake -S . -B build -DENABLE_CJSON_TEST=On && cmake --build build && cd build && ctest",
  },
  "servo/rust-smallvec": rust,
  "bitflags/bitflags": rust,
};
