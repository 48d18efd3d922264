import type { CueWords } from "../language.ts";
import { EN_CORRECTIONS } from "./en-corrections.ts";
import { EN_DAMPERS } from "./en-dampers.ts";

export const EN: CueWords = {
  code: "en",
  script: "latin",
  start:
    "(?:^|[,;:.–—!] ?-? ?|- |\\b(?:but|and|so|please|ok|okay|just|also|again|then|though|next time|from now on|in (?:the )?future|hey|dude|said|to|you to|no) )",
  cues: [
    ...EN_CORRECTIONS,
    {
      kind: "frustration",
      weight: 0.52,
      needs: "change",
      asks: true,
      pattern: "^(?:oh,? |no,? )?(?:come on|seriously|for real)\\b[,.!?]",
    },
    {
      kind: "frustration",
      weight: 0.7,
      asks: true,
      pattern: "\\b(?:did|doing|do) (?:it|that|this) again\\b|\\bhow hard can (?:it|that) be\\b",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern: "<start>(?:restore|bring back|go back to|keep) (?:the |my )?(?:old|original|previous|former|earlier)\\b",
    },
    {
      kind: "frustration",
      weight: 0.55,
      needs: "change",
      asks: true,
      pattern:
        "\\b(?:wtf|ffs|fml|omfg|what the (?:hell|fuck|heck)|for (?:fuck'?s|god'?s|heaven'?s|christ'?s) sake|are you (?:kidding|serious|insane)|(?:gotta|got to) be kidding|god ?damn ?it|jesus christ|facepalm)\\b",
    },
    {
      kind: "frustration",
      weight: 0.3,
      needs: "change",
      asks: true,
      pattern: "\\b(?:a+r+gh+|ugh+|gr+r|omg|oh my god|come on|seriously|damn|shit|fuck|fucking|crap|sigh)\\b",
    },
    {
      kind: "frustration",
      weight: 0.8,
      asks: true,
      pattern: "\\bhow (?:many times|often) (?:do|must|have|did|should|will) i\\b",
    },
    {
      kind: "frustration",
      weight: 0.8,
      pattern: "\\bfor the (?:last|third|fourth|fifth|tenth|hundredth|umpteenth|\\d+th|nth) time\\b",
    },
    {
      kind: "frustration",
      weight: 0.75,
      pattern:
        "\\bi(?:'ve| have)? (?:already |just |literally |clearly |explicitly |specifically )+(?:told|said|asked|explained|mentioned)\\b",
    },
    {
      kind: "frustration",
      weight: 0.6,
      asks: true,
      pattern: "\\bi(?:'ve| have)? told you\\b|\\b(?:didn't i|did i not) (?:tell|say|ask|mention)\\b",
    },
    {
      kind: "frustration",
      weight: 0.7,
      asks: true,
      pattern:
        "\\b(?:you keep|you(?:'re| are) still|you still|why do you keep|you always|you constantly|you never listen)\\b(?: on)?(?! \\w+ing me happy)",
    },
    { kind: "frustration", weight: 0.35, asks: true, pattern: "\\b(?:not again|yet again|again with|again)\\b[!?.]*$" },

    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern:
        "<start>(?:please )?(?:revert|undo|roll ?back|restore|back out|take back) (?:please )?(?:that|this|it|your|the last|the change|the edit|those|these|all of|all that|everything|what you|¤|\\S+\\.\\w+)\\b",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern: "<start>(?:revert|undo|roll ?back)(?: please)?[.! ]*$",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      asks: true,
      pattern: "^(?:can|could|would|will) you (?:please )?(?:revert|undo|roll ?back|restore)\\b",
    },
    {
      kind: "revert",
      weight: 0.6,
      needs: "change",
      pattern: "\\b(?:put|roll|change|bring|move|turn|switch|take) \\S+(?: \\S+){0,3} back\\b",
    },
    {
      kind: "revert",
      weight: 0.7,
      needs: "change",
      pattern: "\\bback (?:to )?(?:the way|how|what|as|like) (?:it|they) (?:was|were)\\b|\\bliked it better before\\b",
    },
  ],
  dampers: EN_DAMPERS,
  introduction:
    "\\b(?:wrote|said|says|reviewed|commented|comments?|review|feedback|log|logs|output|error|message|messages|mail|email|ticket|issue|docs?|readme|guide|spec|requirements?|slack|thread|chat|printed|prints|paste|pasted|text|stack ?trace|traceback)\\b[^.!?]*:\\s*$",
  apology:
    "^[^.!?]{0,60}\\b(?:sorry|apologi[sz]e|apologies|my (?:mistake|bad|fault)|i should(?:n't| not)? have|i shouldn't|i was wrong)\\b",
  concepts: [
    { word: "\\bcomments?\\b", call: "(?:^|\\s)(?://|#(?!!)|/\\*|<!--|--\\s)" },
    { word: "\\bemojis?\\b", call: "\\p{Extended_Pictographic}" },
    { word: "\\btests?\\b", call: "(?:^|[\\\\/_.])(?:tests?|specs?|__tests__)(?:[\\\\/_.]|$)|\\btest\\b" },
    { word: "\\bforce[- ]?push", call: "\\bpush\\b.*\\s(?:-f|--force\\S*)(?:\\s|$)" },
    { word: "\\bhooks?\\b", call: "--no-verify\\b" },
    {
      word: "\\b(?:delet|remov|wip|drop|eras)\\w*",
      call: "\\brm\\b|\\bdelete\\b|\\bdrop\\b|\\bprune\\b|\\breset\\b|\\btruncate\\b|\\s-[dD]\\b|\\bclean\\b",
    },
    {
      word: "\\b(?:dbs?|databases?|tables?|schemas?|migrations?)\\b",
      call: "\\b(?:psql|mysql|sqlite3?|prisma|migrate|migrations?|delete from|drop table|create table)\\b",
    },
    { word: "\\bvolumes?\\b", call: "--volumes\\b|\\s-v\\b" },
    { word: "\\bservices?\\b", call: "\\bsystemctl\\b|\\bservice\\b" },
    { word: "\\b(?:all|whole|entire)\\b", call: ":all\\b|--all\\b" },
    { word: "\\bimports?\\b", call: "\\bimport\\b|\\brequire\\(" },
    { word: "\\bmerged\\b", call: "\\bbranch\\b.*\\s-D\\b" },
    { word: "\\bprod(?:uction)?\\b", call: "\\bprod(?:uction)?\\b" },
  ],
};
