import { existsSync } from 'node:fs';
import { UsageError } from '../command.ts';

/** The default entry files of a program. */
export const ENTRIES = ['main.ts', 'src/main.ts', 'main.js', 'src/main.js'];

/** The given file, or the first default entry file. */
export function findEntry(positionals: readonly string[]): string {
  const [given, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError('one file may be given');
  const file = given ?? ENTRIES.find((path) => existsSync(path));
  if (file === undefined) throw new UsageError(`which file? There is no ${ENTRIES.join(', ')} here`);
  if (!existsSync(file)) throw new UsageError(`there is no file "${file}"`);
  return file;
}
