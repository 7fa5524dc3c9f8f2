import { expect, test } from 'vitest';
import { shareSeats } from './share-seats.ts';

const wish = (least: number, most: number, target: number) => ({ least, most, target });

test('every level gets the same multiple of its target when no bound is in the way', () => {
  expect(shareSeats(60, [wish(0, 100, 10), wish(0, 100, 20)])).toEqual({ seats: [20, 40], fairShare: 2 });
});

test('an idle server lends as a real one does: there is no demand, so all levels get the same multiple of what they never lend', () => {
  const least = [13, 24, 25, 73, 50, 49, 24];
  const { seats } = shareSeats(
    602,
    least.map((seats) => wish(seats, 1000, seats)),
  );
  expect(seats.map(Math.round)).toEqual([30, 56, 58, 170, 117, 114, 56]);
});

test('what a level may not borrow goes to the others, and what it never lends stays', () => {
  expect(shareSeats(100, [wish(10, 30, 50), wish(40, 100, 40), wish(5, 100, 5)]).seats).toEqual([
    30, 62.22222222222222, 7.777777777777778,
  ]);
});

test('too few or too many seats for the bounds give every level its bound', () => {
  const wishes = [wish(10, 20, 15), wish(30, 40, 30)];
  expect(shareSeats(5, wishes).seats).toEqual([10, 30]);
  expect(shareSeats(500, wishes).seats).toEqual([20, 40]);
  expect(shareSeats(500, [])).toEqual({ seats: [], fairShare: 0 });
});

test('levels without any demand share by their least target, and a thousand levels add up', () => {
  expect(shareSeats(10, [wish(0, 100, 0), wish(0, 100, 0)]).seats).toEqual([5, 5]);
  const many = Array.from({ length: 1000 }, (_, index) => wish(index % 3, 50 + index, 1 + index));
  const { seats } = shareSeats(10_000, many);
  expect(seats.reduce((sum, each) => sum + each, 0)).toBeCloseTo(10_000, 6);
});
