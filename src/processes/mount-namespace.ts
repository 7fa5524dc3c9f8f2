// Paths of a process's own on Linux: the machine's files, with volumes at their mount paths. Needs no root, but unprivileged user namespaces.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** What a process sees at a path. */
export interface PathMount {
  readonly source: string;
  readonly path: string;
}

/** A process with paths of its own. */
export interface NamespaceEntry {
  /** An empty folder, over which the process's root is mounted; only the process sees it. */
  readonly root: string;
  readonly hostname: string;
  readonly workingDirectory: string;
  readonly mounts: readonly PathMount[];
  readonly command: readonly string[];
}

/**
 * Builds a root of the machine's top-level folders and the mounts, enters it, and becomes the command with the user's own id again.
 *
 * A mount point that does not exist cannot be made on the machine. Its nearest existing folder is covered by an empty one with relative
 * links to all that the folder has, and the mount point is made there.
 */
const ENTER = `set -e
root=$1 name=$2 dir=$3 uid=$4 gid=$5 count=$6
shift 6
cover() {
  [ -e "$root/.machine/covered$1" ] && return
  mkdir -p "$root/.machine/covered$1" "$root/.machine/folders$1"
  mount --rbind "$1" "$root/.machine/folders$1"
  mount -t tmpfs -o mode=0755 tmpfs "$root$1"
  cd "$root$1"
  up=$(printf %s "$1" | sed 's,/[^/]*,../,g')
  ln -s "$up.machine/folders$1"/* "$up.machine/folders$1"/.[!.]* .
  rm -f './*' './.[!.]*'
  cd "$root"
}
mount -t tmpfs -o mode=0755 tmpfs "$root"
mkdir "$root/.machine"
for entry in /* /.[!.]*; do
  if [ -L "$entry" ]; then cp -P "$entry" "$root$entry"
  elif [ -d "$entry" ]; then mkdir -p "$root$entry"; mount --rbind "$entry" "$root$entry"
  elif [ -f "$entry" ]; then : > "$root$entry"; mount --bind "$entry" "$root$entry"
  fi
done
left=$count
for path in "$@"; do
  [ "$left" -eq 0 ] && break
  left=$((left - 1))
  path=\${path#*:}
  parent=$path
  while [ -n "$parent" ] && [ ! -e "$root$parent" ]; do parent=\${parent%/*}; done
  if [ "$parent" != "$path" ] && [ -n "$parent" ]; then cover "$parent"; fi
done
while [ "$count" -gt 0 ]; do
  count=$((count - 1)) source=\${1%%:*} path=\${1#*:}
  shift
  if [ ! -e "$root$path" ]; then
    if [ -d "$source" ]; then mkdir -p "$root$path"; else mkdir -p "$root\${path%/*}"; : > "$root$path"; fi
  fi
  mount --rbind "$source" "$root$path"
done
hostname "$name" 2>/dev/null || true
cd "$root"
pivot_root . .
umount -l .
cd "$dir"
if command -v setpriv >/dev/null; then set -- setpriv --pdeathsig KILL -- "$@"; fi
exec unshare --user --map-user="$uid" --map-group="$gid" -- "$@"
`;

/** The command line that starts a command with paths of its own. Paths must not contain colons: see `canMountAt`. */
export async function enterNamespace(entry: NamespaceEntry): Promise<readonly string[]> {
  const { root, hostname, workingDirectory, mounts, command } = entry;
  const sorted = mounts.toSorted((left, right) => left.path.length - right.path.length); // folders before what is mounted in them
  const pairs = await Promise.all(sorted.map(async ({ source, path }) => `${source}:${await realPath(path)}`));
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0].map(String) as [string, string];
  const unshare = ['unshare', '--user', '--map-root-user', '--mount', '--uts', '--', 'sh', '-c', ENTER, 'keelson'];
  return [...unshare, root, hostname, workingDirectory, uid, gid, String(pairs.length), ...pairs, ...command];
}

/** Whether a volume can be mounted there: the script tells source and path apart by a colon. */
export function canMountAt({ source, path }: PathMount): boolean {
  return path !== '/' && !source.includes(':') && !path.includes(':');
}

/** Whether this machine lets its users mount volumes: tries it. */
export async function canEnterNamespaces(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const trial = await mkdtemp(join(folder, 'trial-'));
  try {
    await mkdir(join(trial, 'root'));
    await writeFile(join(trial, 'file'), '');
    const path = '/var/run/secrets/keelson.dev/trial';
    const mounts = [{ source: join(trial, 'file'), path }];
    const command = ['test', '-f', path];
    const entry = { root: join(trial, 'root'), hostname: 'trial', workingDirectory: '/', mounts, command };
    const [file = '', ...args] = await enterNamespace(entry);
    await promisify(execFile)(file, args, { timeout: TRIAL_MS, env: process.env });
    return true;
  } catch {
    return false; // no unshare, or the kernel's or the distribution's settings forbid it
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

const TRIAL_MS = 10_000;

/** The path without links in it, as far as it exists. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), path.slice(parent === '/' ? 1 : parent.length + 1));
  }
}
