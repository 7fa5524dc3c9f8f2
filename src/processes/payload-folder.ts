import { Buffer } from 'node:buffer';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
  chmod,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { VolumeFile } from '../node/index.ts';

/** The link to the folder with the current files. */
const CURRENT = '..data';
const FOLDER_MODE = 0o700;

/**
 * Writes the files of a volume so that readers see all of the old ones or all of the new ones, and in the shape of a kubelet's volumes,
 * whose changes many programs watch for: `key` links to `..data/key`, and `..data` to a folder that is replaced with the files.
 */
export async function writePayload(folder: string, files: readonly VolumeFile[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const old = await readlink(join(folder, CURRENT)).catch(() => undefined); // the first write finds none
  if (old !== undefined && (await hasFiles(join(folder, old), files))) return;
  const made = await mkdtemp(`${folder}/..`);
  for (const { path, mode, bytes } of files) {
    const file = join(made, path);
    await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
    await writeFile(file, bytes, { mode: 0o600 });
    await chmod(file, mode);
  }
  const next = join(folder, `${CURRENT}_tmp`);
  await rm(next, { force: true });
  await symlink(made.slice(folder.length + 1), next);
  await rename(next, join(folder, CURRENT));
  await linkNames(folder, new Set(files.map(({ path }) => path.split('/')[0] ?? '')));
  if (old !== undefined) await rm(join(folder, old), { recursive: true, force: true });
}

/** Makes the links of these names, and removes those of other names. */
async function linkNames(folder: string, names: ReadonlySet<string>): Promise<void> {
  const present = new Set((await readdir(folder)).filter((name) => !name.startsWith('..')));
  for (const name of present) if (!names.has(name)) await unlink(join(folder, name));
  for (const name of names) if (!present.has(name)) await symlink(join(CURRENT, name), join(folder, name));
}

async function hasFiles(folder: string, files: readonly VolumeFile[]): Promise<boolean> {
  const present = await readdir(folder, { recursive: true, withFileTypes: true });
  if (present.filter((entry) => entry.isFile()).length !== files.length) return false;
  for (const { path, bytes } of files) {
    const known = await readFile(join(folder, path)).catch(() => undefined); // another set of files
    if (known === undefined || !known.equals(Buffer.from(bytes))) return false;
  }
  return true;
}
