/** The languages whose cue words are known, and which of them a text can be in. */
import { DE } from "./cues/de.ts";
import { EN } from "./cues/en.ts";
import { ES } from "./cues/es.ts";
import { JA } from "./cues/ja.ts";
import { ZH } from "./cues/zh.ts";
import { languageOf, type Language } from "./language.ts";

const LANGUAGES: readonly Language[] = [EN, DE, ES, JA, ZH].map(languageOf);
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HAN = /\p{Script=Han}/u;

/** A text in kana is Japanese, one in Han characters alone Chinese; one in Latin letters may be any of the others. */
export function languagesOf(text: string): readonly Language[] {
  const script = KANA.test(text) ? "kana" : HAN.test(text) ? "han" : "latin";
  return LANGUAGES.filter((language) => language.script === script);
}

/** A line that announces somebody else's words, in any of the languages. */
export const INTRODUCTION = new RegExp(
  LANGUAGES.map(({ introduction }) => `(?:${introduction.source})`).join("|"),
  "iu",
);

/** Whether an agent's answer begins by saying sorry. */
export function isApology(text: string): boolean {
  return languagesOf(text.slice(0, 200)).some(({ apology }) => apology.test(text.slice(0, 200)));
}

/** Whether an agent's answer begins by saying that the person is right. */
export function agrees(text: string): boolean {
  return /^\W*(?:you(?:'|’)re (?:absolutely |completely |totally |quite )?(?:right|correct)|good (?:point|catch|call|idea)|fair (?:point|enough)|got it|understood|makes sense)\b/iu.test(
    text.slice(0, 80),
  );
}
