import type { CueWords } from "../language.ts";

export const JA: CueWords = {
  code: "ja",
  script: "kana",
  start: "(?:^|[、。,！])",
  cues: [
    {
      kind: "correction",
      weight: 0.6,
      pattern: "^(?:いや|いいえ|違う|違います|ちがう|ちがいます|だめ|ダメ)(?=$|[、。,！!よ])",
    },
    {
      kind: "correction",
      weight: 0.65,
      pattern:
        "(?:それ|これ)(?:は|じゃ)(?:.{0,4})(?:違う|違います|間違い|間違って|ない)(?!なくて)|そうじゃな|そうではな|間違っています|間違ってる",
    },
    {
      kind: "correction",
      weight: 0.6,
      needs: "subject",
      pattern:
        "(?:しないで|使わないで|触らないで|変えないで|消さないで|やめて|編集しない|変更しない|実行しないで|書かないで|使うな|するな|触るな)",
    },
    {
      kind: "correction",
      weight: 0.6,
      needs: "subject",
      pattern: "(?:ではなく|じゃなく|でなく|の代わりに|のではなく)",
    },
    {
      kind: "correction",
      weight: 0.75,
      pattern: "(?:頼んでいない|頼んでない|言っていない|言ってない|お願いしていない|お願いしてない|求めていない)",
    },
    {
      kind: "correction",
      weight: 0.3,
      needs: "subject",
      pattern: "(?:このプロジェクト|うち|ここ|このリポジトリ)(?:では|は).{0,20}(?:使|です|ます)",
    },
    {
      kind: "correction",
      weight: 0.55,
      asks: true,
      needs: "change",
      pattern: "(?:なぜ|なんで|どうして).{0,20}(?:変え|消し|触っ|編集し|削除し|変更し)",
    },
    {
      kind: "correction",
      weight: 0.55,
      needs: "subject",
      pattern: "(?:いりません|要りません|不要です|ほしくない|欲しくない|してほしくありません)",
    },
    {
      kind: "frustration",
      weight: 0.75,
      asks: true,
      pattern: "(?:何度も|何回も|なんども|何度言|何回言|さっきも言|前にも言|だから言)",
    },
    {
      kind: "frustration",
      weight: 0.5,
      asks: true,
      needs: "change",
      pattern: "(?:またです?か|また同じ|いい加減|ふざけ|勝手に)",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern: "(?:元に戻し|もとに戻し|戻してください|戻して|取り消して|取り消し(?:て|を)|巻き戻し)",
    },
  ],
  dampers: [
    { factor: 0.2, pattern: "(?:もし|仮に|場合|としたら|たとえば|例えば)" },
    { factor: 0.2, pattern: "(?:さん|お客様|彼|彼女|上司|同僚|レビュアー)(?:が|は|から).{0,20}(?:言|書|って)" },
    { factor: 0.2, pattern: "(?:間違い(?:が|は)?な(?:い|く)|悪くない|問題ない|心配しない|気にしない|完璧)" },
    { factor: 0.15, message: true, pattern: "(?:私の間違い|私のミス|こちらのミス|言い間違え|書き間違え)" },
  ],
  introduction: "(?:ログ|出力|エラー|メッセージ|コメント|レビュー|引用)[^。]*[:：]\\s*$",
  apology: "(?:すみません|申し訳|ごめんなさい|失礼しました)",
  concepts: [
    { word: "コメント", call: "(?:^|\\s)(?://|#(?!!)|/\\*|<!--)" },
    { word: "テスト", call: "(?:^|[\\\\/_.])(?:tests?|specs?)(?:[\\\\/_.]|$)|\\btest\\b" },
    { word: "(?:削除|消)", call: "\\brm\\b|\\bdelete\\b|\\bdrop\\b|\\bprune\\b|\\breset\\b|\\s-[dD]\\b" },
    { word: "コミット", call: "\\bcommit\\b" },
    { word: "プッシュ", call: "\\bpush\\b" },
    { word: "本番", call: "\\bprod(?:uction)?\\b" },
  ],
};
