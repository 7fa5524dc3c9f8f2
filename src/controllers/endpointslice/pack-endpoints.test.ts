import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../api/types/discovery/v1.d.ts';
import type { EndpointSlice, Observed } from '../../client/index.ts';
import { packEndpoints } from './pack-endpoints.ts';

const endpoint = (number: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${number}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', namespace: 'default', name: `pod-${number}`, uid: `${number}` },
});
const slice = (name: string, endpoints: readonly Endpoint[]): Observed<EndpointSlice> => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  addressType: 'IPv4',
  endpoints,
});
const numbers = (count: number, from = 0): Endpoint[] => Array.from({ length: count }, (_, i) => endpoint(from + i));

describe('packing endpoints into slices', () => {
  test('leaves correct slices alone', () => {
    const full = slice('a', numbers(3));

    expect(packEndpoints([full], numbers(3), 100)).toEqual({
      create: [],
      update: new Map(),
      unchanged: [full],
      delete: [],
      added: 0,
      removed: 0,
    });
  });

  test('fills slices that change anyway before it changes another', () => {
    const changing = slice('a', numbers(3));
    const other = slice('b', numbers(2, 10));

    const { update, create, unchanged } = packEndpoints(
      [changing, other],
      [endpoint(0), endpoint(1), ...numbers(2, 10), endpoint(20)],
      3,
    );

    expect([...update.keys()]).toEqual([changing]);
    expect(update.get(changing)).toEqual([endpoint(0), endpoint(1), endpoint(20)]);
    expect(unchanged).toEqual([other]);
    expect(create).toEqual([]);
  });

  test('puts the remaining endpoints together into the slice that they fill best', () => {
    const small = slice('a', numbers(1));
    const large = slice('b', numbers(7, 10));

    const { update, create } = packEndpoints([small, large], [...numbers(1), ...numbers(9, 10)], 10);

    expect([...update.keys()]).toEqual([large]);
    expect(create).toEqual([]);
  });

  test('creates new slices rather than spread endpoints over several', () => {
    const slices = [slice('a', numbers(9)), slice('b', numbers(9, 10))];

    const { update, create } = packEndpoints(slices, [...numbers(9), ...numbers(9, 10), ...numbers(2, 30)], 10);

    expect(update.size).toBe(0);
    expect(create).toEqual([numbers(2, 30)]);
  });

  test('deletes a slice without wanted endpoints', () => {
    const gone = slice('a', numbers(2));

    expect(packEndpoints([gone], [], 10).delete).toEqual([gone]);
  });

  test("writes a changed condition to the endpoint's slice", () => {
    const before = slice('a', numbers(2));

    const { update } = packEndpoints([before], [endpoint(0), endpoint(1, false)], 10);

    expect(update.get(before)).toEqual([endpoint(0), endpoint(1, false)]);
  });

  test('always puts each wanted endpoint into exactly one slice and overfills none', () => {
    const set = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(set, set, fc.integer({ min: 1, max: 7 }), (before, after, capacity) => {
        const slices: Observed<EndpointSlice>[] = [];
        for (let at = 0; at < before.length; at += capacity) {
          slices.push(
            slice(
              `s${at}`,
              before.slice(at, at + capacity).map((number) => endpoint(number)),
            ),
          );
        }
        const wanted = after.map((number) => endpoint(number));
        const packing = packEndpoints(slices, wanted, capacity);
        const contents = [
          ...packing.create,
          ...packing.update.values(),
          ...packing.unchanged.map(({ endpoints = [] }) => endpoints),
        ];
        const names = contents.flat().map(({ targetRef }) => targetRef?.name);
        expect(names.toSorted()).toEqual(wanted.map(({ targetRef }) => targetRef?.name).toSorted());
        expect(contents.every(({ length }) => length > 0 && length <= capacity)).toBe(true);
      }),
    );
  });
});
