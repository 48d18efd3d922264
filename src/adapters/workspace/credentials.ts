/** Addresses of repositories as they may be said: in messages, journals and answers, which others read. */

/** The text without what is before the host of a web address: a user's name there is often a token. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/\b(https?:\/\/)[^\s/@'"]+@/gi, "$1");
}
