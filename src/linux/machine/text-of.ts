import { readFile } from 'node:fs/promises';

/** The content of a file without the space around it; empty when it cannot be read. */
export async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return ''; // the kernel has many files only on some machines
  }
}
