/** Longer tokens are not accepted. */
export const MAX_TOKEN_CHARACTERS = 64 * 1024;

/** A signed token, parsed but not verified: nothing in it can be trusted yet. */
export interface CompactJws {
  readonly algorithm: string;
  /** Empty when the token does not name its key. */
  readonly keyId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The part of the token that is signed. */
  readonly signed: string;
  readonly signature: Buffer;
}

const BASE64_URL = /^[A-Za-z0-9_-]*$/;

/** Parses a token of three parts (RFC 7515, compact serialization); undefined when it is not one. */
export function readJws(token: string): CompactJws | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
  const parts = token.split('.', 4);
  if (parts.length !== 3 || !parts.every((part) => BASE64_URL.test(part))) return undefined;
  const [header = '', payload = '', signature = ''] = parts;
  const head = readObject(header);
  const claims = readObject(payload);
  if (head === undefined || claims === undefined) return undefined;
  const { alg, kid } = head;
  // Critical extensions (`crit`) are not supported.
  if (typeof alg !== 'string' || head['crit'] !== undefined) return undefined;
  return {
    algorithm: alg,
    keyId: typeof kid === 'string' ? kid : '',
    claims,
    signed: `${header}.${payload}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

function readObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined; // not JSON, so not a token
  }
}
