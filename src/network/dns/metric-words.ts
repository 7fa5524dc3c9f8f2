import { exponentialBuckets } from '../../base/index.ts';
import { Rcode } from '../../wire/dns/index.ts';

/** Seconds, from a quarter of a millisecond to eight seconds, as in CoreDNS. */
export const DURATION_BUCKETS: readonly number[] = exponentialBuckets(0.000_25, 2, 16);

const RCODE_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(Rcode).map(([name, code]) => [code, name]));

/** `NXDOMAIN`; the number of a code without a name here. */
export function rcodeName(rcode: number): string {
  return RCODE_NAMES.get(rcode) ?? String(rcode);
}
