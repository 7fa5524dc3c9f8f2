// The mounts of a container's volumes.
import { posix } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { ImageSpec, Mount } from '../runtime/index.ts';
import { ContainerConfigError } from './config-error.ts';
import { ExpansionBudget, expandVariables } from './expand-variables.ts';

/** A volume of the pod that containers mount. */
export interface ContainerVolume {
  /** On the machine; empty for images. */
  readonly path: string;
  /** The image whose content the volume is. */
  readonly image?: ImageSpec;
  /** Containers cannot write to it, whatever the mount says. */
  readonly isReadOnly: boolean;
  /** The runtime has to label its files for the pod, where there is SELinux. */
  readonly isRelabelled: boolean;
}

/** The place of a part of a volume among the mounts of a container. */
export interface SubPathMount {
  readonly mountName: string;
  readonly container: string;
  readonly index: number;
  readonly subPath: string;
}

export interface VolumeMountsParts {
  /** The volumes of the pod, by name. */
  readonly volumes: ReadonlyMap<string, ContainerVolume>;
  /** Whether the runtime can make everything below a mount read-only. */
  readonly hasRecursiveReadOnly: boolean;
  /** Makes a part of a volume ready, and returns its path on the machine. */
  subPath(mount: SubPathMount): Promise<string>;
}

export interface PathVariables {
  readonly variables: ReadonlyMap<string, string>;
  readonly budget: ExpansionBudget;
}

type VolumeMount = NonNullable<ContainerSpec['volumeMounts']>[number];

const PROPAGATION = {
  None: 'PROPAGATION_PRIVATE',
  HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
} as const;
/** The longest path that Linux takes. */
const MAX_PATH = 4096;

/** The mounts of a container's volumes. Throws a `ContainerConfigError` for mounts that cannot be made. */
export async function volumeMounts(
  container: ContainerSpec,
  { volumes, hasRecursiveReadOnly, subPath: prepare }: VolumeMountsParts,
  values: PathVariables,
): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const { name, mountPath, readOnly = false, mountPropagation = 'None' } = mount;
    const volume = volumes.get(name) ?? missingVolume(mount, container);
    const subPath = subPathOf(mount, values);
    const isPart = subPath !== '' && volume.image === undefined;
    mounts.push({
      containerPath: absolute(mountPath),
      hostPath: isPart
        ? await part(prepare, { mountName: name, container: container.name, index, subPath })
        : volume.path,
      ...(volume.image === undefined ? {} : { image: volume.image, imageSubPath: subPath }),
      readonly: readOnly || volume.isReadOnly,
      recursiveReadOnly: isReadOnlyBelow(mount, hasRecursiveReadOnly),
      propagation: PROPAGATION[mountPropagation],
      selinuxRelabel: volume.isRelabelled,
    });
  }
  return mounts;
}

/** The paths of a container's volumes, with `subPath` resolved by name alone; for backends without a disk. */
export function containerMounts(
  container: ContainerSpec,
  volumePath: (name: string) => string | undefined,
  variables: ReadonlyMap<string, string>,
): Mount[] {
  const budget = new ExpansionBudget();
  return (container.volumeMounts ?? []).map((mount) => {
    const { name, mountPath, readOnly = false, recursiveReadOnly, mountPropagation = 'None' } = mount;
    const path = volumePath(name) ?? missingVolume(mount, container);
    const subPath = subPathOf(mount, { variables, budget });
    return {
      containerPath: absolute(mountPath),
      hostPath: subPath === '' ? path : posix.join(path, subPath),
      readonly: readOnly,
      recursiveReadOnly: readOnly && recursiveReadOnly === 'Enabled',
      propagation: PROPAGATION[mountPropagation],
      selinuxRelabel: false,
    };
  });
}

async function part(prepare: VolumeMountsParts['subPath'], mount: SubPathMount): Promise<string> {
  try {
    return await prepare(mount);
  } catch (error) {
    throw new ContainerConfigError(messageOf(error));
  }
}

function missingVolume({ name }: VolumeMount, container: ContainerSpec): never {
  const words = `cannot find volume ${JSON.stringify(name)} to mount into container ${JSON.stringify(container.name)}`;
  throw new ContainerConfigError(words);
}

function absolute(path: string): string {
  return posix.isAbsolute(path) ? path : `/${path}`;
}

/** Whether everything below a mount is read-only too, and not only its own file system. */
function isReadOnlyBelow(mount: VolumeMount, hasRecursiveReadOnly: boolean): boolean {
  const { name, recursiveReadOnly: mode = 'Disabled', readOnly = false, mountPropagation = 'None' } = mount;
  if (mode === 'Disabled') return false;
  const problem = (words: string): ContainerConfigError => {
    const asked = `volume ${JSON.stringify(name)} requested recursive read-only mode, but it is ${words}`;
    return new ContainerConfigError(`failed to resolve recursive read-only mode: ${asked}`);
  };
  if (!readOnly) throw problem('not read-only');
  if (mountPropagation !== 'None') throw problem(`not compatible with propagation ${JSON.stringify(mountPropagation)}`);
  if (mode === 'Enabled' && !hasRecursiveReadOnly) throw problem('not supported by the runtime');
  return hasRecursiveReadOnly;
}

function subPathOf({ subPath = '', subPathExpr = '' }: VolumeMount, { variables, budget }: PathVariables): string {
  const missing = new Set<string>();
  const path =
    subPathExpr === ''
      ? subPath
      : expandVariables(
          subPathExpr,
          (name) => {
            const value = variables.get(name) ?? '';
            if (value === '') missing.add(name);
            return value;
          },
          budget,
        );
  if (missing.size > 0) throw new ContainerConfigError(`missing value for ${[...missing].sort().join(', ')}`);
  if (path.length > MAX_PATH) throw new ContainerConfigError(`error SubPath is longer than ${MAX_PATH} characters`);
  if (posix.isAbsolute(path)) throw new ContainerConfigError(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split('/').includes('..')) {
    throw new ContainerConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  }
  return path;
}
