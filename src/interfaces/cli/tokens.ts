/**
 * The words of a command line, distinguished as `util.parseArgs` does with `strict: false` (a law of the tests), but for
 * `-abc`, which is one unknown flag here. Its first use costs a process 0.6 ms, which every command would pay.
 */

export type Token =
  | { readonly kind: "positional"; readonly value: string }
  | {
      readonly kind: "option";
      readonly name: string;
      /** As typed, without a value. */
      readonly rawName: string;
      readonly value: string | undefined;
      /** The value was given as `--name=value`. */
      readonly inlineValue: boolean;
    };

/** @param takesValue whether the word behind the flag of this name is its value, whatever it looks like */
export function tokensOf(argv: readonly string[], takesValue: (name: string) => boolean): readonly Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") return [...tokens, ...argv.slice(index + 1).map(positional)];
    if (!word.startsWith("-") || word === "-") {
      tokens.push(positional(word));
      continue;
    }
    const equals = word.startsWith("--") && word.includes("=", 3) ? word.indexOf("=") : -1;
    const rawName = equals < 0 ? word : word.slice(0, equals);
    const name = rawName.replace(/^--?/, "");
    const inlineValue = equals >= 0;
    const next = argv[index + 1];
    const takesNext = !inlineValue && next !== undefined && takesValue(name);
    if (takesNext) index++;
    tokens.push({
      kind: "option",
      name,
      rawName,
      value: inlineValue ? word.slice(equals + 1) : takesNext ? next : undefined,
      inlineValue,
    });
  }
  return tokens;
}

function positional(value: string): Token {
  return { kind: "positional", value };
}
