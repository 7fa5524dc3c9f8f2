import { BlockList, isIP } from 'node:net';

/** The proxy for a server according to the environment (`HTTPS_PROXY`, `NO_PROXY`…), with Go's rules. */
export function environmentProxy(
  server: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = environment[name] ?? environment[name.toLowerCase()] ?? '';
  if (proxy === '') return undefined;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const place = { host, port: port === '' ? (protocol === 'https:' ? '443' : '80') : port };
  const exceptions = (environment['NO_PROXY'] ?? environment['no_proxy'] ?? '').split(',');
  if (isLoopback(host) || exceptions.some((exception) => isMatch(exception.trim().toLowerCase(), place)))
    return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * One exception: `*`, a host with or without a port, a domain and its subdomains, an address, or a range of addresses.
 */
function isMatch(exception: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  if (exception === '') return false;
  if (exception === '*') return true;
  if (exception.includes('/')) return isInRange(host, exception);
  const [, name = exception, wantedPort] = /^(.*?):(\d+)$/.exec(exception) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(name) !== 0 || isIP(host) !== 0) return name === host;
  const domain = name.replace(/^\*?\./, '');
  return host.endsWith(`.${domain}`) || (host === domain && !name.startsWith('.'));
}

function isInRange(host: string, range: string): boolean {
  const [network = '', prefix = ''] = range.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(prefix)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), type);
  return list.check(host, type);
}
