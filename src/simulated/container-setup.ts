import { type ContainerConfig, type Mount, podFolder } from '../node/index.ts';

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

/** Of a container that ran before this process did. */
export function recoveredSetup(mounts: string): ContainerSetup {
  return { environment: '', workingDirectory: '', mounts, stdin: 'none', tty: false };
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
export function mountTexts(mounts: readonly Mount[], podRoot: string): string {
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
