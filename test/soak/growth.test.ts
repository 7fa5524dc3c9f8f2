import { expect, test } from 'vitest';
import { growthProblems, type Sample } from './growth.ts';

function samples(memoryMb: (minute: number) => number, diskMb: (minute: number) => number = () => 50): Sample[] {
  return Array.from({ length: 180 }, (_unused, index) => ({
    minute: index / 6,
    memoryMb: memoryMb(index / 6),
    diskMb: diskMb(index / 6),
  }));
}

test('what grows in the first ten minutes and then stays is no problem', () => {
  expect(growthProblems(samples((minute) => 100 + 10 * Math.min(minute, 10)))).toEqual([]);
});

test('a figure that goes up and down is not growth either', () => {
  const saw = (minute: number): number => 50 + (minute % 4) * 20;
  expect(growthProblems(samples(saw, saw))).toEqual([]);
});

test('continued growth is reported', () => {
  expect(growthProblems(samples((minute) => 100 + 10 * minute))).toEqual(['memory has grown from 298 to 398 MB']);
  expect(
    growthProblems(
      samples(
        () => 100,
        (minute) => 5 * minute,
      ),
    ),
  ).toEqual(['the store on disk has grown from 99 to 149 MB']);
});
