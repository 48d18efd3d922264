/** What is said in German. */
import type { CueWords } from "../language.ts";

export const DE: CueWords = {
  script: "latin",
  start: String.raw`(?:^|[,;:.–—!] ?|\b(?:aber|und|also|bitte|dann|auch|nochmal) )`,
  cues: String.raw`
    correction 0.55 opening: ^(?:nein|nee|ne|halt|stopp)\b[,.!: –—-]*(?!danke|das (?:reicht|passt|war)|alles gut|noch nicht)\S
    correction 0.6 subject: \b(?:statt|anstatt|anstelle)\b|\bund nicht \S+|, nicht (?:in |mit |auf |an |die |der |das |den )*\S+[.!]*$
    correction 0.65: \b(?:das|es) (?:ist|war)(?: so| doch| leider| völlig| komplett)* (?:falsch|nicht richtig|verkehrt|quatsch|nicht das, was|nicht gemeint)
    correction 0.7: ^(?:die |der |das )?falsche[rs]? (?:datei|branch|ordner|verzeichnis|datenbank|umgebung|befehl)\b
    correction 0.55 subject: <start>(?:benutze?|verwende|nimm|nutze?|starte|lösche|ändere|committe|pushe|fass|rühr)\b.*\b(?:nicht|nie|niemals|keine?n?)\b
    correction 0.55 subject: \bdu (?:darfst|sollst|solltest|kannst)\b.*\b(?:nicht|nie|niemals|keine?n?)\b|\b(?:hör auf|lass das)\b
    correction 0.8: \bdu hättest\b.*\b(?:nicht|müssen|sollen)\b|\bdarum habe? ich (?:dich )?nicht gebeten\b|\bdas wollte ich nicht\b
    correction 0.55 subject: \blass\b.*\b(?:in ruhe|unverändert|wie (?:sie|es|er) (?:ist|war))\b|\bfinger weg\b
    correction 0.3 subject: \b(?:wir|hier|dieses projekt|bei uns|unser)\b.*\b(?:nehmen|nutzen|benutzen|verwenden|nutzt|verwendet|läuft|liegen|gehören)\b|<start>(?:benutze?|nimm|verwende|nutze?) (?:bitte )?\S+
    correction 0.55 change asks: \b(?:warum|wieso|weshalb) (?:zum teufel |um himmels willen )?hast du\b
    correction 0.55 subject: \bbitte (?:\S+ )?(?:keine?n?|nicht)\b|\bnicht (?:anfassen|anrühren|ändern|bearbeiten|löschen|committen|pushen|verwenden|benutzen|nehmen)\b|\bich (?:will|möchte|wollte) (?:hier )?(?:keine?n?|nicht)\b
    correction 0.55 change: \bdoch nicht\b(?!.*\?)
    frustration 0.55 change asks: \b(?:verdammt|scheiße|scheisse|was zum teufel|spinnst du|herrgott)
    frustration 0.8 asks: \bwie oft (?:soll|muss|denn)\b|\bzum (?:letzten|dritten|zehnten|x-ten) mal\b|\bich habe? (?:es )?(?:dir )?(?:doch |schon |bereits |mehrfach )+gesagt\b
    frustration 0.5 change asks: \b(?:schon wieder|immer noch)\b
    revert 0.8 change: \brückgängig\b(?<=\b(?:mach|nimm|bitte|mache)\b.*)|^(?:bitte )?rückgängig\b|\bnimm\b.*\bzurück\b|\b(?:stell|setz|dreh|roll)e?\b.*\b(?:wieder her|zurück|her\b.*\bwieder)\b
    revert 0.65 change: \b(?:wieder )?so,? wie (?:es|sie|er) (?:vorher |davor )?war\b
  `,
  dampers: String.raw`
    0.2: ^(?:und |aber )?(?:wenn|falls|angenommen|was wäre|was passiert|sobald|stell dir vor)\b
    0.3: \b(?:theoretisch|hypothetisch|zum beispiel|wäre es)\b
    0.2: \b(?:er|sie|kunde|kundin|chef|chefin|kollege|kollegin|jemand|leute|nutzer|benutzer) (?:sagt|sagte|meint|meinte|schreibt|schrieb|will|wollte|soll|sollen)\b
    0.2: \b(?:nicht|nichts) (?:falsch|schlecht|verkehrt)\b|\bkeine sorge\b|\bkein problem\b|\bmach dir keine\b
    0.15 message: \bmein fehler\b|\bmeine schuld\b|\bich hatte mich geirrt\b|\baus versehen\b|\bich habe mich vertan\b
    0.3 message: \b(?:nur aus interesse|aus neugier|reine neugier)\b
    0.2: ^(?:super|toll|perfekt|prima|klasse|sehr gut|wunderbar)\b(?!.*\baber\b)
    0.3: ^(?:jetzt|als nächstes|danach)\b|^(?:schreib|bau|ergänze|implementiere|erkläre)\b
  `,
  introduction: String.raw`\b(?:schrieb|sagte|meinte|ausgabe|fehler|meldung|log|nachricht|mail|ticket|kommentar|text|doku)\b[^.!?]*:\s*$`,
  apology: String.raw`^[^.!?]{0,60}\b(?:entschuldigung|entschuldige|verzeihung|tut mir leid|mein fehler|ich hätte)`,
  concepts: String.raw`
    \bkommentare?\b => (?:^|\s)(?://|#(?!!)|/\*|<!--)
    \b(?:lösch|gelöscht|entfern) => \brm\b|\bdelete\b|\bdrop\b|\bprune\b|\breset\b|\s-[dD]\b
    \balle tests\b => :all\b|--all\b
    \bdatenbank => \b(?:psql|mysql|sqlite3?|prisma|migrate)\b
  `,
};
