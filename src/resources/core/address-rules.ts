import { type FieldError, invalidValue, type ObjectMeta, parseIp } from '../../api/index.ts';

/** An endpoint's address must be reachable from other machines. */
export function checkEndpointIp(address: string, field: string): FieldError[] {
  const parsed = parseIp(address);
  if (parsed === undefined) return [invalidValue(field, address, 'must be a valid IP address')];
  const bytes = parsed.bytes.length === 16 && isMapped(parsed.bytes) ? parsed.bytes.slice(12) : parsed.bytes;
  const found = bytes.length === 4 ? special4(bytes) : special6(bytes);
  switch (found) {
    case 'unspecified':
      return [invalidValue(field, address, `may not be unspecified (${address})`)];
    case 'loopback':
      return [invalidValue(field, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')];
    case 'linkLocal':
      return [invalidValue(field, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')];
    case 'linkLocalMulticast': {
      const detail = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
      return [invalidValue(field, address, detail)];
    }
    case undefined:
      return [];
  }
}

/**
 * Whether these are the API server's own endpoints: here they may have a loopback address, if the server only listens on
 * this machine. Upstream's is always reachable.
 */
export function isApiEndpoint({ namespace, name }: ObjectMeta): boolean {
  return namespace === 'default' && name === 'kubernetes';
}

type Special = 'unspecified' | 'loopback' | 'linkLocal' | 'linkLocalMulticast' | undefined;

function isMapped(bytes: readonly number[]): boolean {
  return bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

function special4([first = 0, second = 0, third = 0, fourth = 0]: readonly number[]): Special {
  if (first === 0 && second === 0 && third === 0 && fourth === 0) return 'unspecified';
  if (first === 127) return 'loopback';
  if (first === 169 && second === 254) return 'linkLocal';
  return first === 224 && second === 0 && third === 0 ? 'linkLocalMulticast' : undefined;
}

function special6(bytes: readonly number[]): Special {
  const [first = 0, second = 0] = bytes;
  if (bytes.slice(0, 15).every((byte) => byte === 0)) {
    if (bytes[15] === 0) return 'unspecified';
    if (bytes[15] === 1) return 'loopback';
  }
  if (first === 0xfe && (second & 0xc0) === 0x80) return 'linkLocal';
  return first === 0xff && (second & 0x0f) === 2 ? 'linkLocalMulticast' : undefined;
}
