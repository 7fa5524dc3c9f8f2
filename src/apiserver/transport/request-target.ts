/** A percent sign without two hexadecimal digits, which no server can decode. */
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/** Proxies name the whole URL (RFC 9112, 3.2.2); only the path matters here. */
const ABSOLUTE = /^https?:\/\/[^/?#]*([^#]*)/i;

/** Path and query of a request, or undefined when they make no sense. */
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
