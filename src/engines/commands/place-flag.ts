import { Unusable } from "../../command/unusable.ts";

/** `HOST:PORT`. @throws Unusable */
export function placeIn(flag: string, text: string): { readonly host: string; readonly port: number } {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match?.[1] === undefined || Number(match[2]) > 65_535)
    throw new Unusable(
      `invalid value for --${flag}: ${JSON.stringify(text)}`,
      "write HOST:PORT, such as 127.0.0.1:9080",
    );
  return { host: match[1].replace(/^\[(.*)\]$/, "$1"), port: Number(match[2]) };
}
