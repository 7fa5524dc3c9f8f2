import type { RequestHeaders } from '../../apiserver/index.ts';

/** The user's extra values, from headers with one of the prefixes, which are in lower case. */
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

/** Characters of keys that are not allowed in header names are percent-encoded (%2f). */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // not percent-encoded
  }
}
