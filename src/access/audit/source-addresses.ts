import { isIP, SocketAddress } from 'node:net';
import type { RequestHeaders, RequestOrigin } from '../../apiserver/index.ts';

/** The address of clients in this process, which have no connection. */
const OWN_ADDRESS = '127.0.0.1';

/**
 * The addresses a request came from: those that proxies state in headers, which any client can forge, and last the address of the
 * connection.
 */
export function sourceAddresses(
  request: Pick<RequestHeaders & RequestOrigin, 'headers' | 'remoteAddress'>,
): readonly string[] {
  const [forwarded = ''] = request.headers('x-forwarded-for');
  const found = forwarded.split(',').flatMap((part) => addressIn(part.trim()));
  const [real] = addressIn(request.headers('x-real-ip')[0] ?? '');
  if (real !== undefined && !found.includes(real)) found.push(real);
  const [own = OWN_ADDRESS] = addressIn(request.remoteAddress);
  if (found.at(-1) !== own) found.push(own);
  return found;
}

/** The address in canonical form; empty when the text is not an address. */
function addressIn(text: string): string[] {
  const version = isIP(text);
  if (version === 4) return [text];
  if (version === 0 || text.includes('%')) return [];
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return [mapped?.[1] ?? address];
}
