import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes that a browser gets, compressed by gzip, before anybody has chosen anything. */
export async function firstViewBytes(folder: string): Promise<number> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const loaded = [...page.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  const sizes = await Promise.all(['index.html', ...new Set(loaded)].map((path) => stat(join(folder, `${path}.gz`))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
