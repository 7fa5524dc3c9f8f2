// What cases of several files do and demand.
import { expectThat } from '../../suite.ts';
import type { CsiWorld, Volume } from '../csi-world.ts';

export function times<T>(count: number, work: () => T): T[] {
  return Array.from({ length: count }, work);
}

/** Starts a call and gives it up after a while. */
export async function cancelled(
  { clock }: CsiWorld,
  afterMs: number,
  start: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const giveUp = new AbortController();
  const ended = start(giveUp.signal).catch(() => undefined); // how it ends is not of interest
  await clock.sleep(afterMs);
  giveUp.abort();
  await ended;
}

export function requireDistinct(ids: readonly string[]): void {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  expectThat(twice === undefined, `"${twice ?? ''}" is there more than once`);
}

export function requireSame(one: Volume, other: Volume | undefined): void {
  expectThat(other?.volumeId === one.volumeId, `the volume was "${one.volumeId}", and is "${other?.volumeId ?? ''}"`);
  const [was = 0, is = 0] = [one.capacityBytes, other?.capacityBytes];
  expectThat(was === is, `the volume had ${was} bytes, and has ${is}`);
}

/** The driver must list this many volumes more than before. */
export async function requireMore(
  world: CsiWorld,
  {
    before,
    more,
    signal,
  }: { readonly before: readonly string[] | undefined; readonly more: number; readonly signal: AbortSignal },
): Promise<void> {
  const after = await world.volumeIds(signal);
  if (before === undefined || after === undefined) return;
  const found = after.filter((id) => !before.includes(id)).length;
  expectThat(found === more, `there are ${found} new volumes, not ${more}`);
}
