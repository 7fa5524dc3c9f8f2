import type { Observed, Secret } from '../../client/index.ts';

/** The type of Secrets with which new nodes introduce themselves. */
export const BOOTSTRAP_TOKEN_TYPE = 'bootstrap.kubernetes.io/token';

/** A member of the Secret as text; empty when it is not there. */
export function memberOf({ data = {} }: Observed<Secret>, name: string): string {
  return Buffer.from(data[name] ?? '', 'base64').toString();
}

/** When the token ends; what is no time has ended long ago. */
export function endOf(secret: Observed<Secret>): number {
  const text = memberOf(secret, 'expiration');
  if (text === '') return Infinity;
  const end = Date.parse(text);
  return Number.isNaN(end) ? -Infinity : end;
}
