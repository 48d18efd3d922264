import type { CueWords } from "../language.ts";

export const ES: CueWords = {
  code: "es",
  script: "latin",
  start: "(?:^|[,;:.–—!¡] ?|(?<![\\p{L}])(?:pero|y|por favor|entonces|también|así que) )",
  cues: [
    {
      kind: "correction",
      weight: 0.55,
      needs: "opening",
      pattern: "^¡?no[,.!]+ (?!gracias|te preocupes|pasa nada|hay problema|hace falta)\\S",
    },
    {
      kind: "correction",
      weight: 0.6,
      needs: "subject",
      pattern:
        "<start>(?:no|nunca|jamás|deja de|evita) (?:vuelvas a |me |lo |la )?(?:uses|usar|usando|toques|tocar|edites|editar|cambies|cambiar|borres|borrar|hagas|hacer|ejecutes|ejecutar|instales|instalar|modifiques|modificar|subas|pongas|escribas|elimines)(?![\\p{L}])",
    },
    {
      kind: "correction",
      weight: 0.65,
      pattern:
        "(?<![\\p{L}])(?:eso|esto) (?:está|es|estaba)(?: muy)? (?:mal|incorrecto|equivocado)|(?<![\\p{L}])no es lo que (?:pedí|quería|te pedí)|^archivo equivocado|el archivo equivocado",
    },
    {
      kind: "correction",
      weight: 0.55,
      needs: "subject",
      pattern: "(?<![\\p{L}])(?:en lugar de|en vez de)(?![\\p{L}])|, no (?:con |en |a )?\\S+[.!]*$",
    },
    {
      kind: "correction",
      weight: 0.8,
      pattern:
        "(?<![\\p{L}])no (?:deberías|debiste|tenías que)(?: haber)?(?![\\p{L}])|(?<![\\p{L}])no te (?:pedí|dije) que",
    },
    {
      kind: "correction",
      weight: 0.3,
      needs: "subject",
      pattern:
        "(?<![\\p{L}])(?:aquí|nosotros|este proyecto|en este (?:repo|proyecto))(?![\\p{L}]).*(?<![\\p{L}])(?:usamos|usa|se usa|va)(?![\\p{L}])|(?<![\\p{L}])usamos \\S+|<start>usa \\S+",
    },
    {
      kind: "correction",
      weight: 0.55,
      asks: true,
      needs: "change",
      pattern:
        "(?<![\\p{L}])por qué (?:demonios |diablos )?(?:has |cambiaste|borraste|tocaste|editaste|eliminaste|hiciste)",
    },
    {
      kind: "correction",
      weight: 0.55,
      needs: "subject",
      pattern: "(?<![\\p{L}])(?:no quiero|no quería|prefiero que no|por favor,? no|no hace falta que)(?![\\p{L}])",
    },
    {
      kind: "frustration",
      weight: 0.75,
      asks: true,
      pattern:
        "(?<![\\p{L}])(?:ya te (?:lo )?(?:dije|he dicho)|te (?:lo )?(?:dije|he dicho) (?:mil|muchas) veces|cuántas veces)",
    },
    {
      kind: "frustration",
      weight: 0.5,
      asks: true,
      needs: "change",
      pattern:
        "(?<![\\p{L}])(?:otra vez|de nuevo)(?![\\p{L}]).*(?:!|\\.\\.\\.|con )|(?<![\\p{L}])(?:joder|mierda|maldita sea|qué demonios)(?![\\p{L}])",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern:
        "<start>(?:deshaz|revierte|restaura|deshacer?lo|reviértelo|vuelve atrás)(?![\\p{L}])|(?<![\\p{L}])(?:déjalo|ponlo|vuelve a ponerlo)(?: todo)? como (?:estaba|antes)",
    },
  ],
  dampers: [
    { factor: 0.2, pattern: "^(?:y |pero )?(?:si|cuando|qué pasaría|imagina|supongamos|en caso de)(?![\\p{L}])" },
    {
      factor: 0.2,
      pattern:
        "(?<![\\p{L}])(?:él|ella|cliente|jefe|jefa|alguien|la gente|usuarios?) (?:dice|dijo|quiere|quería|escribió)",
    },
    {
      factor: 0.2,
      pattern:
        "(?<![\\p{L}])(?:no está (?:nada )?mal|nada mal|no te preocupes|no pasa nada|no hay problema|no lo sé)(?![\\p{L}])",
    },
    {
      factor: 0.15,
      message: true,
      pattern: "(?<![\\p{L}])(?:mi error|culpa mía|fue mi culpa|me equivoqué|sin querer)(?![\\p{L}])",
    },
    { factor: 0.2, pattern: "^¡?(?:perfecto|genial|excelente|muy bien|estupendo)(?![\\p{L}])(?!.*pero)" },
    { factor: 0.3, pattern: "^(?:ahora|después|luego|añade|escribe|implementa|explica)(?![\\p{L}])" },
  ],
  introduction: "(?:escribió|dijo|salida|error|mensaje|comentario|registro|correo|texto)[^.!?]*:\\s*$",
  apology: "^[^.!?]{0,60}(?:perdón|disculpa|lo siento|mi error|debí|no debí)",
  concepts: [
    { word: "(?<![\\p{L}])comentarios?", call: "(?:^|\\s)(?://|#(?!!)|/\\*|<!--)" },
    { word: "(?:borr|elimin)", call: "\\brm\\b|\\bdelete\\b|\\bdrop\\b|\\bprune\\b|\\breset\\b|\\s-[dD]\\b" },
    { word: "(?<![\\p{L}])pruebas?(?![\\p{L}])", call: "(?:^|[\\\\/_.])(?:tests?|specs?)(?:[\\\\/_.]|$)|\\btest\\b" },
  ],
};
