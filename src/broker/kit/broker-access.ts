import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';

/** Who may use a broker: passwords by their users, tokens, or any caller. */
export type BrokerAccess =
  | { readonly basic?: Readonly<Record<string, string>>; readonly bearer?: readonly string[] }
  | 'anyone';

/** Whether the `Authorization` header of a request lets it in. Comparisons take the same time whatever is wrong. */
export function isAllowed(access: BrokerAccess, authorization: string | undefined): boolean {
  if (access === 'anyone') return true;
  const { basic = {}, bearer = [] } = access;
  const [, scheme = '', sent = ''] = /^(\S+) +(\S+)$/.exec(authorization ?? '') ?? [];
  const known =
    scheme.toLowerCase() === 'basic'
      ? Object.entries(basic).map(([user, password]) => `${user}:${password}`)
      : scheme.toLowerCase() === 'bearer'
        ? bearer
        : [];
  const given = scheme.toLowerCase() === 'basic' ? Buffer.from(sent, 'base64').toString('utf8') : sent;
  let isKnown = false;
  for (const each of known) isKnown = timingSafeEqual(digest(each), digest(given)) || isKnown;
  return isKnown;
}

/** For `WWW-Authenticate`. */
export function challengeOf(access: BrokerAccess): string {
  return access !== 'anyone' && access.basic === undefined ? 'Bearer' : 'Basic realm="service broker", charset="UTF-8"';
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
