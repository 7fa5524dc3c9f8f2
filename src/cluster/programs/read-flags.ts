import { readFileSync } from 'node:fs';
import { messageOf, parseDuration } from '../../base/index.ts';
import type { ClusterConnection } from '../../client/index.ts';
import { FlagError, type FlagValues } from './flag.ts';

/** The text of the file that a flag names. */
export function fileFlag(flags: FlagValues, name: string): string | undefined {
  const path = flags.text(name);
  return path === undefined ? undefined : readFlagFile(name, path);
}

/** The text of one of the files that a flag names. */
export function readFlagFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new FlagError(`--${name}: cannot read "${path}"`, { cause });
  }
}

/** Milliseconds that a flag says. */
export function durationFlag(flags: FlagValues, name: string): number {
  const text = flags.text(name) ?? '';
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new FlagError(`--${name} must be a duration such as 30s or 1h, got "${text}"`, { cause });
  }
}

/** What a file that a flag names says; one that cannot be used is an error of usage. */
export function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FlagError(messageOf(cause), { cause });
  }
}

/** PEM of the authorities that a connection trusts; empty where it names none. */
export function authorityOf({ certificateAuthority }: Pick<ClusterConnection, 'certificateAuthority'>): string {
  if (certificateAuthority === undefined) return '';
  return 'pem' in certificateAuthority
    ? certificateAuthority.pem
    : readFlagFile('kubeconfig', certificateAuthority.path);
}
