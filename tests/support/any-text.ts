import * as fc from "fast-check";

/** Anything a person or a program could have written, markup and control characters among it. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "</title><script>alert(1)</script>",
    "]]>",
    "&amp;&#0;",
    '" onload="x',
    "<!--",
    "説明 👍🏽 \u202e",
    "\u001b[2J\u0000\ufffe\ud800",
  ),
);
