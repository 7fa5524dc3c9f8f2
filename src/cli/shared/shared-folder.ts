import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * The folder of the server that processes of one user and one build of the program share. Other users must not access
 * it: the server gives an administrator's credentials to every client.
 */
export async function sharedFolder(
  program: { readonly node: string; readonly file: string },
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { uid } = userInfo();
  const { mtimeMs, ino } = await stat(program.file);
  const build = createHash('sha256').update([program.node, program.file, mtimeMs, ino].join('\n')).digest('hex');
  const base = environment['XDG_RUNTIME_DIR'] ?? '';
  const isThere = base !== '' && existsSync(base); // the variable may outlive the folder of a login session
  const folder = join(isThere ? base : tmpdir(), `keelson-${uid}-${build.slice(0, 10)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0)
    throw new Error(`Cannot use "${folder}": it must be a folder of this user's that no other user can read or write`);
  return folder;
}
