import type { Observed, Pod } from '../client/index.ts';
import { type ContainerConfig, containerMounts, type ContainerSpec, type Mount, podFolder } from '../node/index.ts';
import { volumePath } from './simulated-volumes.ts';

/** The part of a container's configuration that commands in it see. Kept small, because most containers never run a command. */
export interface ContainerSetup {
  /** `NAME=value`, separated by NUL. */
  readonly environment: string;
  readonly workingDirectory: string;
  /** Where volumes and files are mounted: `path=path below the pod's folder`, separated by NUL. */
  readonly mounts: string;
  /** Whether the container's program reads stdin, and whether only until the first caller disconnects. */
  readonly stdin: 'none' | 'once' | 'open';
  readonly tty: boolean;
}

/** The setup of a container that was started by an earlier process, as far as its pod shows the mounts. */
export function recoveredSetup(pod: Observed<Pod>, container: ContainerSpec, root: string): ContainerSetup {
  const { uid } = pod.metadata;
  const paths = new Map((pod.spec?.volumes ?? []).map((volume) => [volume.name, volumePath(root, uid, volume)]));
  const variables = new Map((container.env ?? []).map(({ name, value = '' }) => [name, value]));
  const setup = { environment: '', workingDirectory: '', stdin: 'none', tty: false } as const;
  try {
    const mounts = containerMounts(container, (name) => paths.get(name), variables);
    return { ...setup, mounts: mountTexts(mounts, podFolder(root, uid)) };
  } catch {
    return { ...setup, mounts: '' }; // a subPath whose value comes from a variable
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

/** Leaves out the file for the termination message, which is found by its path in the container. */
function mountTexts(mounts: readonly Mount[], podRoot: string): string {
  return mounts
    .filter(({ hostPath }) => !hostPath.startsWith(`${podRoot}/containers/`))
    .map(
      ({ containerPath, hostPath }) =>
        `${containerPath}=${hostPath.startsWith(podRoot) ? hostPath.slice(podRoot.length) : ''}`,
    )
    .join('\0');
}

/** The mount paths in the container with their paths on the machine, which are empty outside the pod's folder. */
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
