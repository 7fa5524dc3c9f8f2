import { expect, test } from 'vitest';
import { handOf, Hands } from './shuffle-shard.ts';

const DECK = { deck: 64, size: 6 };

test('a hand has different queues of the deck, the same ones for the same flow', () => {
  for (let flow = 0; flow < 200; flow++) {
    const hand = handOf(`flow ${flow}`, DECK);
    expect(new Set(hand).size).toBe(6);
    expect(hand.every((queue) => queue >= 0 && queue < 64)).toBe(true);
    expect(handOf(`flow ${flow}`, DECK)).toEqual(hand);
  }
});

test('every queue is dealt about equally often', () => {
  const dealt = Array.from({ length: 64 }, () => 0);
  for (let flow = 0; flow < 6400; flow++)
    for (const queue of handOf(`flow ${flow}`, DECK)) dealt[queue] = (dealt[queue] ?? 0) + 1;
  expect(Math.min(...dealt)).toBeGreaterThan(500);
  expect(Math.max(...dealt)).toBeLessThan(700);
});

test('a whole deck can be dealt, and with one queue all flows share it', () => {
  expect(handOf('any', { deck: 4, size: 4 }).sort()).toEqual([0, 1, 2, 3]);
  expect(handOf('any', { deck: 1, size: 1 })).toEqual([0]);
});

test('hands are the same whether they are remembered or dealt again', () => {
  const hands = new Hands(64, 6);
  const first = hands.of('schema', 'user');
  for (let user = 0; user < 10_001; user++) hands.of('schema', `user ${user}`);
  expect(hands.of('schema', 'user')).toEqual(first);
  expect(hands.of('schema', 'user')).not.toEqual(hands.of('other', 'user'));
});
