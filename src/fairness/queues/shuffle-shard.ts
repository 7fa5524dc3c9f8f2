import { createHash } from 'node:crypto';

/**
 * The queues that a flow may wait in: a hand of different ones out of the deck, always the same for the same flow. A
 * flow that floods its hand leaves nearly every other flow at least one queue to itself.
 */
export function handOf(flow: string, { deck, size }: { readonly deck: number; readonly size: number }): number[] {
  if (deck <= 1) return [0];
  let entropy = createHash('sha256').update(flow).digest().readBigUInt64LE();
  const hand: number[] = [];
  const taken: number[] = []; // ascending
  for (let dealt = 0; dealt < Math.min(size, deck); dealt++) {
    const left = BigInt(deck - dealt);
    let card = Number(entropy % left);
    entropy /= left;
    // `card` counts the remaining queues; each taken one below it moves it up by one.
    let place = 0;
    while (place < taken.length && card >= (taken[place] ?? 0)) {
      card += 1;
      place += 1;
    }
    taken.splice(place, 0, card);
    hand.push(card);
  }
  return hand;
}

/** Max flows whose hands are remembered. */
const MAX_HANDS = 10_000;

/** Hands of a level's flows, each dealt once while it is remembered. */
export class Hands {
  readonly #deck: number;
  readonly #size: number;
  readonly #known = new Map<string, readonly number[]>();

  constructor(deck: number, size: number) {
    this.#deck = deck;
    this.#size = size;
  }

  /** Schema and distinguisher together name a flow. */
  of(schema: string, distinguisher: string): readonly number[] {
    const flow = `${schema}\0${distinguisher}`;
    const known = this.#known.get(flow);
    if (known !== undefined) return known;
    const hand = handOf(flow, { deck: this.#deck, size: this.#size });
    if (this.#known.size >= MAX_HANDS) this.#known.clear();
    this.#known.set(flow, hand);
    return hand;
  }
}
