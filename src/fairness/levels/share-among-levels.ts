import type { PriorityLevel } from './priority-level.ts';
import { shareSeats } from './share-seats.ts';

/**
 * Lets levels that need more seats borrow from those that lend: every level gets the same multiple of its recent need,
 * within its bounds. Exempt levels come first: the seats they used are not available to others. Returns the fair share,
 * 0 when there is not enough to share.
 */
export function shareAmongLevels(levels: readonly PriorityLevel[], serverSeats: number): number {
  for (const { recorder } of levels) recorder.seatDemand.close();
  const limited = levels.filter(({ isExempt }) => !isExempt);
  const total = levels.reduce((sum, { limits }) => sum + limits.nominal, 0);
  let left = total;
  for (const level of levels) {
    if (!level.isExempt) continue;
    level.targetSeats = level.least;
    left -= level.least;
    level.give(level.least, serverSeats);
  }
  const lowest = limited.reduce((sum, { limits }) => sum + limits.lower, 0);
  const wanted = limited.reduce((sum, { least }) => sum + least, 0);
  for (const level of limited) {
    level.targetSeats = Math.max(level.least, level.recorder.seatDemand.figures.smoothed);
  }
  if (left <= wanted) {
    const part = left <= lowest ? 0 : (left - lowest) / (wanted - lowest);
    for (const level of limited) {
      const { lower } = level.limits;
      level.give(lower + Math.round((level.least - lower) * part), serverSeats);
    }
    return 0;
  }
  const wishes = limited.map(({ least, limits, targetSeats }) => ({ least, most: limits.upper, target: targetSeats }));
  const { seats, fairShare } = shareSeats(total, wishes);
  limited.forEach((level, index) => level.give(Math.round(seats[index] ?? 0), serverSeats));
  return fairShare;
}
