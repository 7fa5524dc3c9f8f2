import { compareUtf8 } from '../../base/index.ts';

interface Point {
  readonly ip?: string;
  readonly hostname?: string;
}

/** Where a load balancer listens: its addresses, or names where it has no address; sorted, and each once. */
export function loadBalancerAddresses(points: readonly Point[]): readonly string[] {
  const addresses = points
    .map(({ ip = '', hostname = '' }) => (ip === '' ? hostname : ip))
    .filter((text) => text !== '');
  return [...new Set(addresses)].sort(compareUtf8);
}
