import type { Observed, Pod } from '../client/index.ts';
import { type ContainerConfig, containerMounts, type ContainerSpec, type Mount, podFolder } from '../node/index.ts';
import { volumePath } from './simulated-volumes.ts';

/** What commands in a container see of its configuration. As small as it can be: most containers are never asked. */
export interface ContainerSetup {
  /** `NAME=value`, separated by NUL. */
  readonly environment: string;
  readonly workingDirectory: string;
  /** Where volumes and files are mounted: `path=path below the pod's folder`, separated by NUL. */
  readonly mounts: string;
  /** Whether the program that it runs reads what is typed, and only as long as the first caller does. */
  readonly stdin: 'none' | 'once' | 'open';
  readonly tty: boolean;
}

/** Of a container that ran before this process did, as far as its pod says where volumes are mounted. */
export function recoveredSetup(pod: Observed<Pod>, container: ContainerSpec, root: string): ContainerSetup {
  const { uid } = pod.metadata;
  const paths = new Map((pod.spec?.volumes ?? []).map((volume) => [volume.name, volumePath(root, uid, volume)]));
  const variables = new Map((container.env ?? []).map(({ name, value = '' }) => [name, value]));
  const setup = { environment: '', workingDirectory: '', stdin: 'none', tty: false } as const;
  try {
    const mounts = containerMounts(container, (name) => paths.get(name), variables);
    return { ...setup, mounts: mountTexts(mounts, podFolder(root, uid)) };
  } catch {
    return { ...setup, mounts: '' }; // a part of a volume whose name comes from elsewhere
  }
}

/** `podRoot` is the folder of the container's pod. */
export function setupOf(
  { envs, workingDir, mounts, stdin, stdinOnce, tty }: ContainerConfig,
  podRoot: string,
): ContainerSetup {
  return {
    environment: envs.map(({ key, value }) => `${key}=${value}`).join('\0'),
    workingDirectory: workingDir,
    mounts: mountTexts(mounts, podRoot),
    stdin: stdin ? (stdinOnce ? 'once' : 'open') : 'none',
    tty,
  };
}

/** Without the file for the termination message, which is found by its path in the container. */
function mountTexts(mounts: readonly Mount[], podRoot: string): string {
  return mounts
    .filter(({ hostPath }) => !hostPath.startsWith(`${podRoot}/containers/`))
    .map(
      ({ containerPath, hostPath }) =>
        `${containerPath}=${hostPath.startsWith(podRoot) ? hostPath.slice(podRoot.length) : ''}`,
    )
    .join('\0');
}

/** The places of mounts in the container, with their paths on the machine; empty for those outside the pod's folder. */
export function mountsOf(
  { mounts }: ContainerSetup,
  root: string,
  podUid: string,
): readonly (readonly [string, string])[] {
  return mounts
    .split('\0')
    .filter((text) => text !== '')
    .map((text) => {
      const at = text.lastIndexOf('=');
      const within = text.slice(at + 1);
      return [text.slice(0, at), within === '' ? '' : podFolder(root, podUid) + within];
    });
}
