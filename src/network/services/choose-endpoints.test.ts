import { describe, expect, test } from 'vitest';
import type { ServiceSpec } from '../../api/types/core/v1.d.ts';
import { chooseEndpoints } from './choose-endpoints.ts';
import type { ServiceEndpoint } from './proxied-port.ts';
import type { HintedEndpoint } from './read-endpoint-slices.ts';
import { factsOf } from './testing/services.ts';

const HERE = { node: 'n1', zone: 'a' };

/** An endpoint that is ready; the address is 10.0.0.N. */
function ep(number: number, state: Partial<HintedEndpoint> = {}): HintedEndpoint {
  return {
    address: `10.0.0.${number}`,
    port: 80,
    isLocal: false,
    isReady: true,
    isServing: true,
    isTerminating: false,
    zones: [],
    nodes: [],
    ...state,
  };
}

const UNREADY = { isReady: false, isServing: false };
const LEAVING = { isReady: false, isServing: true, isTerminating: true };
const LOCAL = { isLocal: true };
const INTERNAL_LOCAL = { internalTrafficPolicy: 'Local' } as const;
const EXTERNAL_LOCAL = {
  type: 'NodePort',
  externalTrafficPolicy: 'Local',
  ports: [{ port: 80, nodePort: 30_000 }],
} as const;
const EVERYTHING_LOCAL = { ...EXTERNAL_LOCAL, internalTrafficPolicy: 'Local' } as const;

/** The last numbers of the addresses: [cluster, local, reachable, hasAny]. */
function chosen(
  all: readonly HintedEndpoint[],
  spec: object = {},
  place: Parameters<typeof chooseEndpoints>[2] = HERE,
) {
  const { cluster, local, reachable, hasAny } = chooseEndpoints(all, factsOf(spec as Partial<ServiceSpec>), place);
  return [numbers(cluster), numbers(local), numbers(reachable), hasAny];
}

function numbers(endpoints: readonly ServiceEndpoint[]): string {
  return endpoints.map(({ address }) => address.split('.')[3]).join('');
}

describe('traffic policies', () => {
  test('policy Cluster uses all that is ready', () => {
    expect(chosen([ep(1), ep(2, LOCAL), ep(3, UNREADY)])).toEqual(['12', '', '12', true]);
  });

  test('without endpoints there is nothing', () => {
    expect(chosen([])).toEqual(['', '', '', false]);
    expect(chosen([ep(1, UNREADY)])).toEqual(['', '', '', false]);
  });

  test('internal policy Local uses what is here, and knows that there is more elsewhere', () => {
    expect(chosen([ep(1), ep(2, LOCAL)], INTERNAL_LOCAL)).toEqual(['', '2', '2', true]);
    expect(chosen([ep(1)], INTERNAL_LOCAL)).toEqual(['', '', '', true]);
    expect(chosen([ep(1, UNREADY)], INTERNAL_LOCAL)).toEqual(['', '', '', false]);
  });

  test('external policy Local has both, for traffic from inside goes anywhere', () => {
    expect(chosen([ep(1), ep(2, LOCAL)], EXTERNAL_LOCAL)).toEqual(['12', '2', '12', true]);
    expect(chosen([ep(1)], EXTERNAL_LOCAL)).toEqual(['1', '', '1', true]);
  });

  test('both policies Local have both kinds too, because of external addresses', () => {
    expect(chosen([ep(1), ep(2, LOCAL)], EVERYTHING_LOCAL)).toEqual(['12', '2', '12', true]);
  });

  test('external policy Local without external addresses is not used', () => {
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    expect(chosen([ep(1), ep(2, LOCAL)], spec)).toEqual(['12', '', '12', true]);
  });
});

describe('endpoints that terminate', () => {
  test('they are used while they serve and nothing is ready', () => {
    expect(chosen([ep(1, LEAVING), ep(2, UNREADY)])).toEqual(['1', '', '1', true]);
    expect(chosen([ep(1, LEAVING), ep(2)])).toEqual(['2', '', '2', true]);
    expect(chosen([ep(1, { ...LEAVING, isServing: false })])).toEqual(['', '', '', false]);
  });

  test('policies Cluster and Local decide apart', () => {
    const all = [ep(1), ep(2, { ...LOCAL, ...LEAVING })];
    expect(chosen(all, EXTERNAL_LOCAL)).toEqual(['1', '2', '12', true]);
    expect(chosen(all, INTERNAL_LOCAL)).toEqual(['', '2', '2', true]);
  });

  test('one that serves and is not ready without terminating is never used', () => {
    expect(chosen([ep(1, { isReady: false })])).toEqual(['', '', '', false]);
  });

  test('one elsewhere makes the difference between no endpoints and none here', () => {
    expect(chosen([ep(1, LEAVING)], INTERNAL_LOCAL)).toEqual(['', '', '', true]);
  });
});

describe('hints', () => {
  const zone = (...zones: string[]) => ({ zones });
  const node = (...nodes: string[]) => ({ nodes });

  test('zone hints leave what is for the zone', () => {
    expect(chosen([ep(1, zone('a')), ep(2, zone('b')), ep(3, zone('b', 'a'))])).toEqual(['13', '', '13', true]);
  });

  test('they are ignored when a ready endpoint has none', () => {
    expect(chosen([ep(1, zone('a')), ep(2)])).toEqual(['12', '', '12', true]);
  });

  test('one that is not ready needs none', () => {
    expect(chosen([ep(1, zone('a')), ep(2, UNREADY), ep(3, zone('b'))])).toEqual(['1', '', '1', true]);
  });

  test('they are ignored when none is for the zone, or the node has no zone', () => {
    const all = [ep(1, zone('b')), ep(2, zone('c'))];
    expect(chosen(all)).toEqual(['12', '', '12', true]);
    expect(chosen([ep(1, zone('a')), ep(2, zone('b'))], {}, { node: 'n1', zone: undefined })).toEqual([
      '12',
      '',
      '12',
      true,
    ]);
  });

  test('they are ignored when only an endpoint that is not ready is for the zone', () => {
    expect(chosen([ep(1, { ...zone('a'), ...UNREADY }), ep(2, zone('b'))])).toEqual(['2', '', '2', true]);
  });

  test('node hints come before zone hints', () => {
    const all = [ep(1, { ...node('n1'), ...zone('b') }), ep(2, { ...node('n2'), ...zone('a') })];
    expect(chosen(all)).toEqual(['1', '', '1', true]);
  });

  test('zone hints are used when no node hint names the node, or one is missing', () => {
    const other = [ep(1, { ...node('n2'), ...zone('a') }), ep(2, { ...node('n3'), ...zone('b') })];
    expect(chosen(other)).toEqual(['1', '', '1', true]);
    const missing = [ep(1, { ...node('n1'), ...zone('b') }), ep(2, zone('a'))];
    expect(chosen(missing)).toEqual(['2', '', '2', true]);
  });

  test('policy Local takes no hints, and what it adds is reachable too', () => {
    const all = [ep(1, { ...zone('b'), ...LOCAL }), ep(2, zone('a'))];
    expect(chosen(all, EXTERNAL_LOCAL)).toEqual(['2', '1', '21', true]);
    expect(chosen(all, INTERNAL_LOCAL)).toEqual(['', '1', '1', true]);
  });

  test('endpoints that terminate are taken from everywhere when none is ready', () => {
    expect(chosen([ep(1, { ...zone('a'), ...LEAVING }), ep(2, { ...zone('b'), ...LEAVING })])).toEqual([
      '12',
      '',
      '12',
      true,
    ]);
  });
});
