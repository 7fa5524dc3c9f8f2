import { mkdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';

/**
 * Makes folders in a volume for other volumes that containers mount below it. The runtime cannot make them: the volume is mounted
 * read-only.
 */
export async function makeNestedMountPoints(folder: string, volume: string, pod: Observed<Pod>): Promise<void> {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  for (const { volumeMounts = [] } of [...initContainers, ...containers, ...ephemeralContainers]) {
    const points = volumeMounts.map(({ mountPath }) => posix.normalize(mountPath).replace(/(?<=.)\/$/, '')).sort();
    const own = volumeMounts.filter(({ name }) => name === volume).map(({ mountPath }) => mountPath);
    for (const path of nestedBelow(own, points)) await makePoint(join(folder, path));
  }
}

/** The paths of other mounts below these, relative to them; but for those below another such path, which are that volume's. */
function nestedBelow(own: readonly string[], points: readonly string[]): readonly string[] {
  return own.flatMap((mountPath) => {
    const path = posix.normalize(mountPath).replace(/(?<=.)\/$/, '');
    if (path.startsWith('../')) throw new Error(`invalid container mount point ${path}`);
    const start = path === '/' ? '/' : `${path}/`;
    const nested: string[] = [];
    for (const point of points)
      if (point.startsWith(start) && point !== start && !nested.some((each) => point.startsWith(`${each}/`)))
        nested.push(point);
    return nested.map((point) => point.slice(start.length));
  });
}

async function makePoint(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new Error(`unable to create nested volume mountpoints: ${messageOf(error)}`, { cause: error });
  }
}
