/** What is said in Spanish. */
import type { CueWords } from "../language.ts";

export const ES: CueWords = {
  script: "latin",
  start: String.raw`(?:^|[,;:.–—!¡] ?|(?<![\p{L}])(?:pero|y|por favor|entonces|también|así que) )`,
  cues: String.raw`
    correction 0.55 opening: ^¡?no[,.!]+ (?!gracias|te preocupes|pasa nada|hay problema|hace falta)\S
    correction 0.6 subject: <start>(?:no|nunca|jamás|deja de|evita) (?:vuelvas a |me |lo |la )?(?:uses|usar|usando|toques|tocar|edites|editar|cambies|cambiar|borres|borrar|hagas|hacer|ejecutes|ejecutar|instales|instalar|modifiques|modificar|subas|pongas|escribas|elimines)(?![\p{L}])
    correction 0.65: (?<![\p{L}])(?:eso|esto) (?:está|es|estaba)(?: muy)? (?:mal|incorrecto|equivocado)|(?<![\p{L}])no es lo que (?:pedí|quería|te pedí)|^archivo equivocado|el archivo equivocado
    correction 0.55 subject: (?<![\p{L}])(?:en lugar de|en vez de)(?![\p{L}])|, no (?:con |en |a )?\S+[.!]*$
    correction 0.8: (?<![\p{L}])no (?:deberías|debiste|tenías que)(?: haber)?(?![\p{L}])|(?<![\p{L}])no te (?:pedí|dije) que
    correction 0.3 subject: (?<![\p{L}])(?:aquí|nosotros|este proyecto|en este (?:repo|proyecto))(?![\p{L}]).*(?<![\p{L}])(?:usamos|usa|se usa|va)(?![\p{L}])|(?<![\p{L}])usamos \S+|<start>usa \S+
    correction 0.55 change asks: (?<![\p{L}])por qué (?:demonios |diablos )?(?:has |cambiaste|borraste|tocaste|editaste|eliminaste|hiciste)
    correction 0.55 subject: (?<![\p{L}])(?:no quiero|no quería|prefiero que no|por favor,? no|no hace falta que)(?![\p{L}])
    frustration 0.75 asks: (?<![\p{L}])(?:ya te (?:lo )?(?:dije|he dicho)|te (?:lo )?(?:dije|he dicho) (?:mil|muchas) veces|cuántas veces)
    frustration 0.5 change asks: (?<![\p{L}])(?:otra vez|de nuevo)(?![\p{L}]).*(?:!|\.\.\.|con )|(?<![\p{L}])(?:joder|mierda|maldita sea|qué demonios)(?![\p{L}])
    revert 0.75 change: <start>(?:deshaz|revierte|restaura|deshacer?lo|reviértelo|vuelve atrás)(?![\p{L}])|(?<![\p{L}])(?:déjalo|ponlo|vuelve a ponerlo)(?: todo)? como (?:estaba|antes)
  `,
  dampers: String.raw`
    0.2: ^(?:y |pero )?(?:si|cuando|qué pasaría|imagina|supongamos|en caso de)(?![\p{L}])
    0.2: (?<![\p{L}])(?:él|ella|cliente|jefe|jefa|alguien|la gente|usuarios?) (?:dice|dijo|quiere|quería|escribió)
    0.2: (?<![\p{L}])(?:no está (?:nada )?mal|nada mal|no te preocupes|no pasa nada|no hay problema|no lo sé)(?![\p{L}])
    0.15 message: (?<![\p{L}])(?:mi error|culpa mía|fue mi culpa|me equivoqué|sin querer)(?![\p{L}])
    0.2: ^¡?(?:perfecto|genial|excelente|muy bien|estupendo)(?![\p{L}])(?!.*pero)
    0.3: ^(?:ahora|después|luego|añade|escribe|implementa|explica)(?![\p{L}])
  `,
  introduction: String.raw`(?:escribió|dijo|salida|error|mensaje|comentario|registro|correo|texto)[^.!?]*:\s*$`,
  apology: String.raw`^[^.!?]{0,60}(?:perdón|disculpa|lo siento|mi error|debí|no debí)`,
  concepts: String.raw`
    (?<![\p{L}])comentarios? => (?:^|\s)(?://|#(?!!)|/\*|<!--)
    (?:borr|elimin) => \brm\b|\bdelete\b|\bdrop\b|\bprune\b|\breset\b|\s-[dD]\b
    (?<![\p{L}])pruebas?(?![\p{L}]) => (?:^|[\\/_.])(?:tests?|specs?)(?:[\\/_.]|$)|\btest\b
  `,
};
