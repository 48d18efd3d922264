/**
 * Whether a variable opens the engine: whoever holds that may steer every loop there, which is no business of agents,
 * checks, and what a repository they wrote to makes git start (SPEC section 8).
 */
export function isEngineKey(name: string, value: string): boolean {
  // Windows does not tell case apart.
  return name.toUpperCase() === "AOT_ENGINE" && WITH_PASSWORD.test(value);
}

const WITH_PASSWORD = /^[^/]*\/\/[^/@]*:[^/@]*@|[?&]password=/i;
