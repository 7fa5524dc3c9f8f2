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
