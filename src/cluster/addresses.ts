import { isIPv6 } from 'node:net';
import { formatIp, parseCidr } from '../api/index.ts';

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** The first address of the service network, which the `kubernetes` Service has. */
export function apiServiceAddress([cidr = '']: readonly string[]): string {
  const network = parseCidr(cidr);
  if (network === undefined) throw new Error(`Cannot use service network "${cidr}": it is not a CIDR`);
  const bytes = network.address.bytes.with(-1, (network.address.bytes.at(-1) ?? 0) + 1);
  return formatIp({ ...network.address, bytes });
}

/** Whether the host stands for all addresses of the machine. */
export function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The address at which clients reach a server that listens at `host`. */
export function advertisedAddress(host: string): string {
  return isUnspecified(host) || host === 'localhost' ? '127.0.0.1' : host;
}

/** `host:port`, with brackets around an IPv6 address. */
export function hostAndPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A place for clients outside the cluster, such as `api.example.com` or `[2001:db8::1]:443`, in its parts; the port may be missing. */
export function splitExternalHost(text: string): { readonly host: string; readonly port?: number } {
  if (isIPv6(text)) return { host: text };
  const [, bracketed, plain = text, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain, ...(port === undefined ? {} : { port: Number(port) }) };
}

export interface ServingPlaces {
  readonly listen?: ListenAddress;
  readonly advertiseAddress?: string;
  readonly externalHost?: string;
  readonly names?: readonly string[];
}

/** Every name and address that clients are given for the server, or that they reach it by on the same machine. */
export function servingNames(places: ServingPlaces, serviceCidrs: readonly string[]): readonly string[] {
  const { listen, advertiseAddress, externalHost, names = [] } = places;
  const all = [
    'localhost',
    '127.0.0.1',
    '::1',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    apiServiceAddress(serviceCidrs),
    ...(listen === undefined || isUnspecified(listen.host) ? [] : [listen.host]),
    ...(advertiseAddress === undefined ? [] : [advertiseAddress]),
    ...(externalHost === undefined ? [] : [splitExternalHost(externalHost).host]),
    ...names,
  ];
  return [...new Set(all)];
}
