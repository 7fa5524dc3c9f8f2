import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http';

/** An answer of HTTP/1.1 as text, for a connection that Node's own server has let go of. */
export function rawAnswer(code: number, headers: OutgoingHttpHeaders, body = ''): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${String(one)}\r\n`),
  );
  return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
