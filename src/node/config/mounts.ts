import { posix } from 'node:path';
import type { ContainerSpec } from '../life/index.ts';
import type { Mount } from '../runtime/index.ts';
import { ContainerConfigError } from './config-error.ts';
import { expandVariables } from './expand-variables.ts';

type VolumeMount = NonNullable<ContainerSpec['volumeMounts']>[number];

const PROPAGATION = {
  None: 'PROPAGATION_PRIVATE',
  HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
} as const;

/** The mounts of a container; `volumes` has the paths of the pod's volumes on the node. */
export function mountsOf(
  container: ContainerSpec,
  volumes: ReadonlyMap<string, string>,
  variables: ReadonlyMap<string, string>,
): Mount[] {
  return (container.volumeMounts ?? []).map((mount) => {
    const { name, mountPath, readOnly = false, recursiveReadOnly, mountPropagation = 'None' } = mount;
    const volume = volumes.get(name);
    if (volume === undefined) {
      const words = `cannot find volume ${JSON.stringify(name)} to mount into container ${JSON.stringify(container.name)}`;
      throw new ContainerConfigError(words);
    }
    const subPath = subPathOf(mount, variables);
    return {
      containerPath: posix.isAbsolute(mountPath) ? mountPath : `/${mountPath}`,
      hostPath: subPath === '' ? volume : posix.join(volume, subPath),
      readonly: readOnly,
      recursiveReadOnly: readOnly && recursiveReadOnly === 'Enabled',
      propagation: PROPAGATION[mountPropagation],
      selinuxRelabel: false,
    };
  });
}

function subPathOf({ subPath = '', subPathExpr = '' }: VolumeMount, variables: ReadonlyMap<string, string>): string {
  const missing = new Set<string>();
  const path =
    subPathExpr === ''
      ? subPath
      : expandVariables(subPathExpr, (name) => {
          const value = variables.get(name) ?? '';
          if (value === '') missing.add(name);
          return value;
        });
  if (missing.size > 0) throw new ContainerConfigError(`missing value for ${[...missing].sort().join(', ')}`);
  if (posix.isAbsolute(path)) throw new ContainerConfigError(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split('/').includes('..')) {
    throw new ContainerConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  }
  return path;
}
