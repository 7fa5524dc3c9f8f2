import type { RequestHeaders } from '../../apiserver/index.ts';

/** What headers with one of these prefixes, in lower case, say about a user beside name, uid and groups. */
export function extraIn(request: RequestHeaders, prefixes: readonly string[]): Record<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  const names = request.headerNames();
  for (const prefix of prefixes) {
    for (const header of names) {
      if (!header.startsWith(prefix)) continue;
      const key = unescapeKey(header.slice(prefix.length));
      const known = extra.get(key);
      if (known === undefined) extra.set(key, [...request.headers(header)]);
      else known.push(...request.headers(header));
    }
  }
  return Object.fromEntries(extra);
}

/** Keys with characters that no header's name may have are written with escapes (%2f). */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // what is no escape stands for itself
  }
}
