import type { CueWords } from "../language.ts";

export const DE: CueWords = {
  code: "de",
  script: "latin",
  start: "(?:^|[,;:.–—!] ?|\\b(?:aber|und|also|bitte|dann|auch|nochmal) )",
  cues: [
    {
      kind: "correction",
      weight: 0.55,
      needs: "opening",
      pattern: "^(?:nein|nee|ne|halt|stopp)\\b[,.!: –—-]*(?!danke|das (?:reicht|passt|war)|alles gut|noch nicht)\\S",
    },
    {
      kind: "correction",
      weight: 0.6,
      needs: "subject",
      pattern:
        "\\b(?:statt|anstatt|anstelle)\\b|\\bund nicht \\S+|, nicht (?:in |mit |auf |an |die |der |das |den )*\\S+[.!]*$",
    },
    {
      kind: "correction",
      weight: 0.65,
      pattern:
        "\\b(?:das|es) (?:ist|war)(?: so| doch| leider| völlig| komplett)* (?:falsch|nicht richtig|verkehrt|quatsch|nicht das, was|nicht gemeint)",
    },
    {
      kind: "correction",
      weight: 0.7,
      pattern: "^(?:die |der |das )?falsche[rs]? (?:datei|branch|ordner|verzeichnis|datenbank|umgebung|befehl)\\b",
    },
    {
      kind: "correction",
      weight: 0.55,
      needs: "subject",
      pattern:
        "<start>(?:benutze?|verwende|nimm|nutze?|starte|lösche|ändere|committe|pushe|fass|rühr)\\b.*\\b(?:nicht|nie|niemals|keine?n?)\\b",
    },
    {
      kind: "correction",
      weight: 0.55,
      needs: "subject",
      pattern:
        "\\bdu (?:darfst|sollst|solltest|kannst)\\b.*\\b(?:nicht|nie|niemals|keine?n?)\\b|\\b(?:hör auf|lass das)\\b",
    },
    {
      kind: "correction",
      weight: 0.8,
      pattern:
        "\\bdu hättest\\b.*\\b(?:nicht|müssen|sollen)\\b|\\bdarum habe? ich (?:dich )?nicht gebeten\\b|\\bdas wollte ich nicht\\b",
    },
    {
      kind: "correction",
      weight: 0.55,
      needs: "subject",
      pattern: "\\blass\\b.*\\b(?:in ruhe|unverändert|wie (?:sie|es|er) (?:ist|war))\\b|\\bfinger weg\\b",
    },
    {
      kind: "correction",
      weight: 0.3,
      needs: "subject",
      pattern:
        "\\b(?:wir|hier|dieses projekt|bei uns|unser)\\b.*\\b(?:nehmen|nutzen|benutzen|verwenden|nutzt|verwendet|läuft|liegen|gehören)\\b|<start>(?:benutze?|nimm|verwende|nutze?) (?:bitte )?\\S+",
    },
    {
      kind: "correction",
      weight: 0.55,
      asks: true,
      needs: "change",
      pattern: "\\b(?:warum|wieso|weshalb) (?:zum teufel |um himmels willen )?hast du\\b",
    },
    {
      kind: "correction",
      weight: 0.55,
      needs: "subject",
      pattern:
        "\\bbitte (?:\\S+ )?(?:keine?n?|nicht)\\b|\\bnicht (?:anfassen|anrühren|ändern|bearbeiten|löschen|committen|pushen|verwenden|benutzen|nehmen)\\b|\\bich (?:will|möchte|wollte) (?:hier )?(?:keine?n?|nicht)\\b",
    },
    { kind: "correction", weight: 0.55, needs: "change", pattern: "\\bdoch nicht\\b(?!.*\\?)" },
    {
      kind: "frustration",
      weight: 0.55,
      asks: true,
      needs: "change",
      pattern: "\\b(?:verdammt|scheiße|scheisse|was zum teufel|spinnst du|herrgott)",
    },
    {
      kind: "frustration",
      weight: 0.8,
      asks: true,
      pattern:
        "\\bwie oft (?:soll|muss|denn)\\b|\\bzum (?:letzten|dritten|zehnten|x-ten) mal\\b|\\bich habe? (?:es )?(?:dir )?(?:doch |schon |bereits |mehrfach )+gesagt\\b",
    },
    { kind: "frustration", weight: 0.5, asks: true, needs: "change", pattern: "\\b(?:schon wieder|immer noch)\\b" },
    {
      kind: "revert",
      weight: 0.8,
      needs: "change",
      pattern:
        "\\brückgängig\\b(?<=\\b(?:mach|nimm|bitte|mache)\\b.*)|^(?:bitte )?rückgängig\\b|\\bnimm\\b.*\\bzurück\\b|\\b(?:stell|setz|dreh|roll)e?\\b.*\\b(?:wieder her|zurück|her\\b.*\\bwieder)\\b",
    },
    {
      kind: "revert",
      weight: 0.65,
      needs: "change",
      pattern: "\\b(?:wieder )?so,? wie (?:es|sie|er) (?:vorher |davor )?war\\b",
    },
  ],
  dampers: [
    { factor: 0.2, pattern: "^(?:und |aber )?(?:wenn|falls|angenommen|was wäre|was passiert|sobald|stell dir vor)\\b" },
    { factor: 0.3, pattern: "\\b(?:theoretisch|hypothetisch|zum beispiel|wäre es)\\b" },
    {
      factor: 0.2,
      pattern:
        "\\b(?:er|sie|kunde|kundin|chef|chefin|kollege|kollegin|jemand|leute|nutzer|benutzer) (?:sagt|sagte|meint|meinte|schreibt|schrieb|will|wollte|soll|sollen)\\b",
    },
    {
      factor: 0.2,
      pattern:
        "\\b(?:nicht|nichts) (?:falsch|schlecht|verkehrt)\\b|\\bkeine sorge\\b|\\bkein problem\\b|\\bmach dir keine\\b",
    },
    {
      factor: 0.15,
      message: true,
      pattern:
        "\\bmein fehler\\b|\\bmeine schuld\\b|\\bich hatte mich geirrt\\b|\\baus versehen\\b|\\bich habe mich vertan\\b",
    },
    { factor: 0.3, message: true, pattern: "\\b(?:nur aus interesse|aus neugier|reine neugier)\\b" },
    { factor: 0.2, pattern: "^(?:super|toll|perfekt|prima|klasse|sehr gut|wunderbar)\\b(?!.*\\baber\\b)" },
    { factor: 0.3, pattern: "^(?:jetzt|als nächstes|danach)\\b|^(?:schreib|bau|ergänze|implementiere|erkläre)\\b" },
  ],
  introduction:
    "\\b(?:schrieb|sagte|meinte|ausgabe|fehler|meldung|log|nachricht|mail|ticket|kommentar|text|doku)\\b[^.!?]*:\\s*$",
  apology: "^[^.!?]{0,60}\\b(?:entschuldigung|entschuldige|verzeihung|tut mir leid|mein fehler|ich hätte)",
  concepts: [
    { word: "\\bkommentare?\\b", call: "(?:^|\\s)(?://|#(?!!)|/\\*|<!--)" },
    {
      word: "\\b(?:lösch|gelöscht|entfern)",
      call: "\\brm\\b|\\bdelete\\b|\\bdrop\\b|\\bprune\\b|\\breset\\b|\\s-[dD]\\b",
    },
    { word: "\\balle tests\\b", call: ":all\\b|--all\\b" },
    { word: "\\bdatenbank", call: "\\b(?:psql|mysql|sqlite3?|prisma|migrate)\\b" },
  ],
};
