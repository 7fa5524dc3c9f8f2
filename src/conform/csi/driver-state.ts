import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expectThat } from '../suite.ts';
import type { CsiWorld } from './csi-world.ts';

/** What there is of a driver's, to be compared. */
export interface DriverState {
  readonly volumes: readonly string[];
  readonly snapshots: readonly string[];
  readonly mounts: readonly string[];
  readonly files: readonly string[];
}

/** What the driver has now. */
export async function driverState(world: CsiWorld, signal: AbortSignal): Promise<DriverState> {
  const points = world.options.canMount ? await world.mounts.below('/') : [];
  const files = await Promise.all(world.options.stateFolders.map((folder) => readdir(folder, { recursive: true })));
  return {
    volumes: (await world.volumeIds(signal)) ?? [],
    snapshots: (await world.snapshotIds(signal)) ?? [],
    mounts: points.map(({ point }) => point).filter((point) => point.startsWith(world.folder)),
    files: files.flatMap((names, at) => names.map((name) => join(world.options.stateFolders[at] ?? '', name))),
  };
}

/** Throws a breach when the driver has more than before. */
export async function requireNothingLeft(world: CsiWorld, before: DriverState, signal: AbortSignal): Promise<void> {
  const after = await driverState(world, signal);
  const left = (Object.keys(after) as (keyof DriverState)[]).flatMap((kind) => {
    const more = after[kind].filter((each) => !before[kind].includes(each));
    return more.length === 0 ? [] : [`${kind}: ${more.slice(0, 5).join(', ')}`];
  });
  expectThat(left.length === 0, `it has left ${left.join('; ')}`);
}
