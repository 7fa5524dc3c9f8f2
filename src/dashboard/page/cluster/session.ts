/** What the page shows to the server: the key of the address's fragment, or a viewer's own token when it is served through a cluster. */
export interface Session {
  readonly key?: string;
  readonly token?: string;
}

const KEY = 'keelson.key';
const TOKEN = 'keelson.token';

/**
 * The key stands in the fragment of the address that the server printed. It is removed from the address bar, so that no history and no copied
 * address has it, and is kept for this tab only. Fragments of the page's own begin with `#/`.
 */
export function readSession(): Session {
  const fragment = location.hash.slice(1);
  if (fragment !== '' && !fragment.startsWith('/')) {
    sessionStorage.setItem(KEY, fragment);
    history.replaceState(null, '', '#/');
  }
  const key = sessionStorage.getItem(KEY) ?? undefined;
  const token = sessionStorage.getItem(TOKEN) ?? undefined;
  return { ...(key === undefined ? {} : { key }), ...(token === undefined ? {} : { token }) };
}

export function keepKey(text: string): Session {
  // people paste the whole address as well
  const key = text.trim().replace(/^.*#/, '');
  sessionStorage.setItem(KEY, key);
  return { key };
}

export function keepToken(text: string): Session {
  const token = text.trim();
  sessionStorage.setItem(TOKEN, token);
  return { token };
}

export function headersOf({ key, token }: Session): Record<string, string> {
  return {
    ...(key === undefined ? {} : { 'X-Keelson-Key': key }),
    ...(token === undefined ? {} : { 'X-Keelson-Token': token }),
  };
}

/** Browsers let pages send no headers with WebSockets, so what identifies the viewer travels as a subprotocol. */
export function protocolsOf({ key, token }: Session): readonly string[] {
  return [
    ...(key === undefined ? [] : [`keelson.key.${key}`]),
    ...(token === undefined ? [] : [`keelson.token.${inBase64Url(token)}`]),
  ];
}

export function inBase64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
