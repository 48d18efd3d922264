/** Where pages are written that nobody gave a name. A project may have loops of both kinds: neither takes the other's place. */
export const LOOP_PAGE = "aot-report.html";
export const PHASES_PAGE = "aot-phases-report.html";
