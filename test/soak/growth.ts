/** How large a server is at some time. */
export interface Sample {
  readonly minute: number;
  readonly memoryMb: number;
  readonly diskMb: number;
}

/** Caches fill up, and the engine finds its sizes, in the first minutes. */
export const SETTLING_MINUTES = 10;
/** With less time behind it nothing can be said. */
export const LEAST_JUDGED_MINUTES = 5;
const ALLOWED_FACTOR = 1.1;
const ALLOWED_MB = 8;

/**
 * What has grown after the first minutes. Both memory and disk go up and down by themselves, between collections and between
 * checkpoints, so that the largest of the first half is compared with the largest of the second.
 */
export function growthProblems(samples: readonly Sample[]): readonly string[] {
  const settled = samples.filter(({ minute }) => minute >= SETTLING_MINUTES);
  const half = Math.floor(settled.length / 2);
  return (['memoryMb', 'diskMb'] as const).flatMap((what) => {
    const before = Math.max(...settled.slice(0, half).map((sample) => sample[what]));
    const after = Math.max(...settled.slice(half).map((sample) => sample[what]));
    if (half === 0 || after <= before * ALLOWED_FACTOR + ALLOWED_MB) return [];
    const name = what === 'memoryMb' ? 'memory' : 'the store on disk';
    return [`${name} has grown from ${Math.round(before)} to ${Math.round(after)} MB`];
  });
}
