import { existsSync } from 'node:fs';
import { UsageError } from '../command.ts';

/** Where a program begins, unless it is said. */
export const ENTRIES = ['main.ts', 'src/main.ts', 'main.js', 'src/main.js'];

/** The file that was given, or the one where programs usually begin. */
export function findEntry(positionals: readonly string[]): string {
  const [given, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError('one file may be given');
  const file = given ?? ENTRIES.find((path) => existsSync(path));
  if (file === undefined) throw new UsageError(`which file? There is no ${ENTRIES.join(', ')} here`);
  if (!existsSync(file)) throw new UsageError(`there is no file "${file}"`);
  return file;
}
