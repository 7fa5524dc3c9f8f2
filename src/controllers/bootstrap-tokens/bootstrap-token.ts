import type { Observed, Secret } from '../../client/index.ts';

/** The type of Secrets that hold bootstrap tokens. */
export const BOOTSTRAP_TOKEN_TYPE = 'bootstrap.kubernetes.io/token';

/** A data member of the Secret as text; empty when absent. */
export function memberOf({ data = {} }: Observed<Secret>, name: string): string {
  return Buffer.from(data[name] ?? '', 'base64').toString();
}

/** When the token expires; a malformed time counts as expired. */
export function endOf(secret: Observed<Secret>): number {
  const text = memberOf(secret, 'expiration');
  if (text === '') return Infinity;
  const end = Date.parse(text);
  return Number.isNaN(end) ? -Infinity : end;
}
