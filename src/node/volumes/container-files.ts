// What a container finds at the places where its volumes are mounted.
import { posix } from 'node:path';
import type { Observed, Pod } from '../../client/index.ts';
import { expandVariables } from '../config/index.ts';
import { type VolumeFile, volumeFiles, type VolumeFilesParts } from './volume-files.ts';

/** Files at a place of a container that nobody there can change. */
export interface MountedFiles {
  /** A directory, or the only file. */
  readonly path: string;
  /** It is a part of a volume, which stays as it was first. */
  readonly isFixed: boolean;
  /** By their whole paths. */
  readonly files: readonly VolumeFile[];
}

/** The files of all mounts of a container whose volumes are made from the API. */
export async function containerFiles(
  pod: Observed<Pod>,
  container: { readonly name: string; readonly environment: ReadonlyMap<string, string> },
  parts: VolumeFilesParts,
): Promise<readonly MountedFiles[]> {
  const { containers = [], initContainers = [], ephemeralContainers = [], volumes = [] } = pod.spec ?? {};
  const spec = [...containers, ...initContainers, ...ephemeralContainers].find(({ name }) => name === container.name);
  const mounts = (spec?.volumeMounts ?? []).map(async ({ name, mountPath, subPath = '', subPathExpr = '' }) => {
    const volume = volumes.find((each) => each.name === name);
    const files = volume === undefined ? undefined : await volumeFiles(pod, volume, parts);
    if (files === undefined) return [];
    const within = subPathExpr === '' ? subPath : expandVariables(subPathExpr, (key) => container.environment.get(key));
    const path = posix.resolve('/', mountPath);
    return [{ path, isFixed: within !== '', files: placed(files, path, within) }];
  });
  return (await Promise.all(mounts)).flat();
}

/** The files at a mount; with a path within the volume, that one alone or those below it. */
function placed(files: readonly VolumeFile[], mountPath: string, within: string): readonly VolumeFile[] {
  const start = within === '' ? '' : posix.resolve('/', within).slice(1);
  return files.flatMap((file) => {
    if (file.path === start) return [{ ...file, path: mountPath }];
    if (start !== '' && !file.path.startsWith(`${start}/`)) return [];
    return [{ ...file, path: posix.join(mountPath, start === '' ? file.path : file.path.slice(start.length + 1)) }];
  });
}
