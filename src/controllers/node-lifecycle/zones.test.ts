import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { Readiness } from './node-health.ts';
import { zoneStateOf } from './zone.ts';
import { type EvictionRates, Zones } from './zones.ts';

function nodes(ready: number, unready: number): (Readiness | undefined)[] {
  return [...Array<Readiness>(ready).fill('True'), ...Array<Readiness>(unready).fill('Unknown')];
}

function start(rates: EvictionRates = {}): { clock: VirtualClock; zones: Zones; turns: string[] } {
  const clock = new VirtualClock();
  const turns: string[] = [];
  const onTurn = (node: string): void => void turns.push(`${node} at ${clock.monotonic() / 1000}`);
  return { clock, turns, zones: new Zones({ clock, rates, onTurn }) };
}

test('a zone is normal with at most two unhealthy nodes or below the threshold', () => {
  expect(zoneStateOf(nodes(1, 2), 0.55)).toBe('normal');
  expect(zoneStateOf(nodes(3, 3), 0.55)).toBe('normal');
  expect(zoneStateOf(nodes(2, 3), 0.55)).toBe('partial disruption');
  expect(zoneStateOf(nodes(0, 1), 0.55)).toBe('full disruption');
  expect(zoneStateOf([undefined], 0.55)).toBe('full disruption');
});

test('in a normal zone one node is released at once, and another every ten seconds', async () => {
  const { clock, zones, turns } = start();
  zones.assess(new Map([['', nodes(8, 3)]]));

  for (const name of ['a', 'b', 'c']) zones.enqueue('', name);
  zones.dequeue('b');
  zones.enqueue('', 'd');
  await clock.advance('1m');

  expect(turns).toEqual(['a at 0', 'c at 10', 'd at 20']);
});

test('in a disrupted zone none is released if it is small, and few if it is large', async () => {
  const small = start();
  small.zones.assess(new Map([['', nodes(1, 4)]]));
  small.zones.enqueue('', 'a');
  await small.clock.advance('1h');
  expect(small.turns).toEqual([]);

  const large = start();
  large.zones.assess(new Map([['', nodes(10, 41)]]));
  large.zones.enqueue('', 'a');
  large.zones.enqueue('', 'b');
  await large.clock.advance('1h');
  expect(large.turns).toEqual(['a at 0', 'b at 100']);
});

test('when all nodes of all zones are unhealthy none is released, until one recovers', async () => {
  const { clock, zones, turns } = start();
  const assess = (...sizes: (readonly [number, number])[]): string =>
    zones.assess(new Map(sizes.map(([ready, unready], index) => [`zone ${index}`, nodes(ready, unready)])));

  expect(assess([2, 0], [2, 0])).toBe('none');
  expect(assess([2, 0], [0, 2])).toBe('none');
  expect(assess([0, 2], [0, 2])).toBe('all are lost');
  expect(assess([0, 2], [0, 2])).toBe('none');
  zones.enqueue('zone 0', 'a');
  await clock.advance('1m');
  expect(turns).toEqual([]);

  expect(assess([0, 2], [1, 1])).toBe('some are back');
  await clock.advance('1m');
  expect(turns).toEqual(['a at 70']);
});

test('no zones at all are no disruption', () => {
  expect(start().zones.assess(new Map())).toBe('none');
});
