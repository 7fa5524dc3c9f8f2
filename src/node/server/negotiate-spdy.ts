import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';

/** The protocol that a caller of SPDY and this node both speak, or why there is none. */
export function negotiateSpdy(request: NodeRequest, spoken: readonly string[]): string | NodeAnswer {
  if (request.header('upgrade')?.toLowerCase() !== 'spdy/3.1') {
    return refusal(400, 'unable to upgrade: missing upgrade headers in request');
  }
  const offered = (request.header('x-stream-protocol-version') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (offered.length === 0) return '';
  const chosen = offered.find((name) => spoken.includes(name));
  const list = (names: readonly string[]): string => `[${names.join(' ')}]`;
  return (
    chosen ??
    refusal(
      403,
      `unable to upgrade: unable to negotiate protocol: client supports ${list(offered)}, server accepts ${list(spoken)}`,
    )
  );
}

/** What the answer says with which SPDY begins. */
export function spdyHeaders(protocol: string): Readonly<Record<string, string>> {
  const headers = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1' };
  return protocol === '' ? headers : { ...headers, 'X-Stream-Protocol-Version': protocol };
}
