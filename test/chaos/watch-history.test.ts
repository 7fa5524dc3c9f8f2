import { expect, test } from 'vitest';
import { checkStretch, type SeenEvent } from './watch-history.ts';

const event = (revision: number, type = 'ADDED'): SeenEvent => ({ type, name: `n${revision}`, revision });
const reference = [3, 5, 6, 9].map((revision) => event(revision));

test('a stretch with all events of its time, once and in order, is whole', () => {
  expect(checkStretch({ from: 3, upTo: 3, events: [event(5), event(6)] }, reference)).toEqual([]);
  expect(checkStretch({ from: 3, upTo: 8, events: [event(5), event(6)] }, reference)).toEqual([]);
  expect(checkStretch({ from: 9, upTo: 12, events: [] }, reference)).toEqual([]);
});

test('lost, repeated, invented and disordered events are found', () => {
  expect(checkStretch({ from: 3, upTo: 3, events: [event(6)] }, reference)).toEqual(['lost: ADDED n5 at 5']);
  expect(checkStretch({ from: 6, upTo: 9, events: [] }, reference)).toEqual(['lost: ADDED n9 at 9']);
  expect(checkStretch({ from: 3, upTo: 3, events: [event(5), event(5)] }, reference)).toEqual([
    'repeated 2 times: ADDED n5 at 5',
    'out of order: ADDED n5 at 5',
  ]);
  expect(checkStretch({ from: 3, upTo: 3, events: [event(5, 'DELETED')] }, reference)).toEqual([
    'lost: ADDED n5 at 5',
    'never happened: DELETED n5 at 5',
  ]);
  expect(checkStretch({ from: 3, upTo: 3, events: [event(6), event(5)] }, reference)).toEqual([
    'out of order: ADDED n5 at 5',
  ]);
});
