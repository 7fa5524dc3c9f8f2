import { lstat, stat } from 'node:fs/promises';
import { ifThere } from './whole-file.ts';

/** Permissions that let other users read a file, or change it. */
const FOR_OTHERS = 0o066;

/**
 * Refuses a place for secrets that is another user's, or that other users can read or change. A link, and what it leads to, are
 * both looked at. A place without a file is fine.
 */
export async function requirePrivate(path: string): Promise<void> {
  const own = process.getuid?.();
  if (own === undefined) return; // files of this system have no owner and mode
  const place = await ifThere(lstat(path));
  if (place === undefined) return;
  const file = place.isSymbolicLink() ? await ifThere(stat(path)) : place;
  if (file === undefined) throw new Error('it is a link that leads nowhere');
  const others = [place, file].find(({ uid }) => uid !== own);
  if (others !== undefined)
    throw new Error(
      `it belongs to another user (uid ${others.uid}), and a key of the administrator goes into it; give another file`,
    );
  if (!file.isFile()) throw new Error('it is not a file');
  const mode = file.mode & 0o777;
  if ((mode & FOR_OTHERS) !== 0)
    throw new Error(
      `other users have access to it (mode ${mode.toString(8)}), and a key of the administrator goes into it: chmod 600 ${JSON.stringify(path)}`,
    );
}
