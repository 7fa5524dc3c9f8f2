import { formatIp } from '../../api/values/index.ts';
import { opaqueType } from '../type-terms/index.ts';
import { type CelError, noSuchOverload, Opaque, unconvertible, type Value } from '../values/index.ts';
import type { NetworkAddress, NetworkPrefix } from './network-address.ts';

export const IP_TYPE = opaqueType('net.IP');
export const CIDR_TYPE = opaqueType('net.CIDR');

/** An IP address in an expression. */
export class IpValue extends Opaque {
  readonly goName = 'cel.IP';
  override readonly type = IP_TYPE;
  readonly address: NetworkAddress;

  constructor(address: NetworkAddress) {
    super();
    this.address = address;
  }

  override get size(): number {
    return this.address.bytes.length;
  }

  equals(other: Value): boolean | CelError {
    return other instanceof IpValue ? sameBytes(this.address, other.address) : noSuchOverload();
  }

  get native(): Value {
    return unconvertible('netip.Addr', this.toString());
  }

  override toString(): string {
    return formatIp({ bytes: this.address.bytes, isSloppy: false });
  }
}

/** A network in an expression. */
export class CidrValue extends Opaque {
  readonly goName = 'cel.CIDR';
  override readonly type = CIDR_TYPE;
  readonly prefix: NetworkPrefix;

  constructor(prefix: NetworkPrefix) {
    super();
    this.prefix = prefix;
  }

  override get size(): number {
    return Math.ceil(this.prefix.length / 8);
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof CidrValue)) return noSuchOverload();
    return this.prefix.length === other.prefix.length && sameBytes(this.prefix.address, other.prefix.address);
  }

  /** Whether the address is in the network. */
  contains({ bytes }: NetworkAddress): boolean {
    return sameStart(this.prefix.address.bytes, bytes, this.prefix.length);
  }

  get native(): Value {
    return unconvertible('netip.Prefix', this.toString());
  }

  override toString(): string {
    return `${formatIp({ bytes: this.prefix.address.bytes, isSloppy: false })}/${this.prefix.length}`;
  }
}

function sameBytes(left: NetworkAddress, right: NetworkAddress): boolean {
  return left.bytes.length === right.bytes.length && left.bytes.every((byte, at) => byte === right.bytes[at]);
}

/** Whether two addresses of the same family agree in their first bits. */
export function sameStart(left: readonly number[], right: readonly number[], bits: number): boolean {
  if (left.length !== right.length) return false;
  return left.every((byte, at) => {
    const mask = 0xff00 >> Math.min(8, Math.max(0, bits - 8 * at));
    return ((byte ^ (right[at] as number)) & mask & 0xff) === 0;
  });
}
