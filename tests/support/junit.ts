/** JUnit XML, read as little of it as is written, and never what is not well-formed. */
import { expect } from "vitest";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function decoded(raw: string): string {
  if (/[<>]/.test(raw)) throw new Error(`not escaped: ${raw}`);
  return raw.replaceAll(/&(#?\w*);?/g, (whole, name: string) => {
    const known = name.startsWith("#") ? String.fromCodePoint(Number(name.slice(1))) : ENTITIES[name];
    if (known === undefined || !whole.endsWith(";")) throw new Error(`no entity: ${whole}`);
    return known;
  });
}

/** Throws on what is not well-formed, or holds what XML 1.0 cannot. */
function parse(xml: string): Element {
  // eslint-disable-next-line no-control-regex
  const foreign = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/.exec(xml);
  if (foreign !== null) throw new Error(`not in XML 1.0: ${JSON.stringify(foreign[0])}`);
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  for (const [, tag, text] of xml.replace(/^<\?xml[^?]*\?>/, "").matchAll(/<([^>]*)>|([^<]+)/g)) {
    const here = open.at(-1);
    if (here === undefined) throw new Error("closed too often");
    if (tag === undefined) here.text += decoded(text ?? "");
    else if (tag.startsWith("/")) {
      if (open.pop()?.name !== tag.slice(1)) throw new Error(`</${tag}> closes nothing`);
    } else {
      const [name = ""] = tag.split(/\s/, 1);
      const rest = tag.slice(name.length);
      if (!/^(\s+[\w-]+="[^"]*")*$/.test(rest)) throw new Error(`odd attributes: ${rest}`);
      const attributes = [...rest.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [
        key,
        decoded(value),
      ]);
      const element: Element = {
        name,
        attributes: Object.fromEntries(attributes) as Record<string, string>,
        children: [],
        text: "",
      };
      here.children.push(element);
      open.push(element);
    }
  }
  const [top] = root.children;
  if (open.length !== 1 || root.children.length !== 1 || top === undefined) throw new Error("not one whole element");
  return top;
}

/** `suite/case: state`, and the counts that the file states. */
export function readJunit(xml: string): { readonly cases: readonly string[]; readonly top: Element } {
  const top = parse(xml);
  const cases = top.children.flatMap((suite) =>
    suite.children.map((one) => {
      const state = one.children.find(({ name }) => name !== "system-out")?.name ?? "passed";
      return `${suite.attributes["name"]}/${one.attributes["name"]}: ${state}`;
    }),
  );
  const count = (state: string): string => String(cases.filter((one) => one.endsWith(`: ${state}`)).length);
  expect(top.attributes).toMatchObject({
    tests: String(cases.length),
    failures: count("failure"),
    errors: count("error"),
  });
  expect(top.attributes["skipped"]).toBe(count("skipped"));
  return { cases, top };
}
