import type { ContainerConfig } from '../runtime/index.ts';

/** What commands in a container see of its configuration. As small as it can be: most containers are never asked. */
export interface ContainerSetup {
  /** `NAME=value`, separated by NUL. */
  readonly environment: string;
  readonly workingDirectory: string;
  /** Where volumes are mounted, separated by NUL. */
  readonly mounts: string;
  /** Whether the program that it runs reads what is typed, and only as long as the first caller does. */
  readonly stdin: 'none' | 'once' | 'open';
  readonly tty: boolean;
}

/** Of a container that ran before this process did. */
export const UNKNOWN_SETUP: ContainerSetup = {
  environment: '',
  workingDirectory: '',
  mounts: '',
  stdin: 'none',
  tty: false,
};

export function setupOf({ envs, workingDir, mounts, stdin, stdinOnce, tty }: ContainerConfig): ContainerSetup {
  return {
    environment: envs.map(({ key, value }) => `${key}=${value}`).join('\0'),
    workingDirectory: workingDir,
    mounts: mounts.map(({ containerPath }) => containerPath).join('\0'),
    stdin: stdin ? (stdinOnce ? 'once' : 'open') : 'none',
    tty,
  };
}
