import { compareUtf8 } from '../../base/index.ts';

interface Point {
  readonly ip?: string;
  readonly hostname?: string;
}

/** The addresses of a load balancer, or its host names; sorted, without duplicates. */
export function loadBalancerAddresses(points: readonly Point[]): readonly string[] {
  const addresses = points
    .map(({ ip = '', hostname = '' }) => (ip === '' ? hostname : ip))
    .filter((text) => text !== '');
  return [...new Set(addresses)].sort(compareUtf8);
}
