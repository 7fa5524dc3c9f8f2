/** The bounds and the demand of one level. */
export interface SeatDemandBounds {
  readonly least: number;
  readonly most: number;
  /** Not below `least`. */
  readonly target: number;
}

export interface SharedSeats {
  /** In the order of the wishes; not rounded. */
  readonly seats: readonly number[];
  /** The multiple of its target that each level got, within its bounds. */
  readonly fairShare: number;
}

/** No target is 0, so that a level without demand still gets its part of the unused seats. */
const MIN_TARGET = 0.001;

/**
 * Shares all seats so that every level gets the same multiple of its target, within its bounds. With too many or too few seats
 * for the bounds, every level gets what its bound says.
 *
 * Example: 60 seats, targets 10 and 20, no bounds: 20 and 40, a fair share of 2.
 */
export function shareSeats(total: number, wishes: readonly SeatDemandBounds[]): SharedSeats {
  const targets = wishes.map(({ target }) => Math.max(target, MIN_TARGET));
  const seatsAt = (share: number): number[] =>
    wishes.map(({ least, most }, index) => Math.max(least, Math.min(most, share * (targets[index] ?? 0))));
  const sumAt = (share: number): number => seatsAt(share).reduce((sum, seats) => sum + seats, 0);
  // Between two shares at which some level meets a bound, the sum grows evenly.
  const corners = wishes.flatMap(({ least, most }, index) =>
    [least, most].map((seats) => seats / (targets[index] ?? 1)),
  );
  corners.sort((left, right) => left - right);
  let [low, high] = [0, corners.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sumAt(corners[middle] ?? 0) < total) low = middle + 1;
    else high = middle;
  }
  const after = corners[low] ?? 0;
  const before = corners[low - 1] ?? 0;
  const [sumBefore, sumAfter] = [sumAt(before), sumAt(after)];
  const part = sumAfter > sumBefore ? (total - sumBefore) / (sumAfter - sumBefore) : 1;
  const fairShare = before + (after - before) * Math.max(0, Math.min(1, part));
  return { seats: seatsAt(fairShare), fairShare };
}
