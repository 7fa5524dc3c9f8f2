/** A percent sign without two hexadecimal digits, which cannot be decoded. */
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/** Proxies send the whole URL (RFC 9112, 3.2.2); only the path matters here. */
const ABSOLUTE = /^https?:\/\/[^/?#]*([^#]*)/i;

/** The path and query of a request; undefined when they are invalid. */
export function requestTarget(sent: string): string | undefined {
  const target = sent.startsWith('/') ? sent : absoluteTarget(sent);
  if (target === undefined || !target.includes('%')) return target;
  const [path = ''] = target.split('?', 1);
  return BROKEN_ESCAPE.test(path) ? undefined : target;
}

function absoluteTarget(sent: string): string | undefined {
  const rest = ABSOLUTE.exec(sent)?.[1];
  if (rest === undefined) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
