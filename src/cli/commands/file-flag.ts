import { readFileSync } from 'node:fs';
import { UsageError } from '../command.ts';
import type { Flags } from '../flags.ts';

/** The text of the file that a flag names. */
export function fileFlag(flags: Flags, name: string): string | undefined {
  const path = flags.text(name);
  return path === undefined ? undefined : readFlagFile(name, path);
}

/** The text of one of the files that a flag names. */
export function readFlagFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`--${name}: cannot read "${path}"`, { cause });
  }
}
