/** An entry of a folder in a container. */
export interface FolderEntry {
  readonly name: string;
  /** `other`: a socket, a device, a pipe. */
  readonly type: 'folder' | 'file' | 'other';
}

/** Lists the folder `$1`, one entry a line with a letter for its type, with what every shell has. */
export const LIST_SCRIPT =
  'cd "$1" || exit; for f in .[!.]* *; do if [ -d "$f" ]; then printf "d %s\\n" "$f"; elif [ -f "$f" ]; then printf "f %s\\n" "$f"; elif [ -e "$f" ]; then printf "o %s\\n" "$f"; fi; done';

const TYPES: Readonly<Record<string, FolderEntry['type']>> = { d: 'folder', f: 'file', o: 'other' };

/** The entries that the script has listed: folders first, each in the order of names. */
export function entriesOf(listed: string): readonly FolderEntry[] {
  const entries = listed.split('\n').flatMap((line): FolderEntry[] => {
    const type = TYPES[line.slice(0, 1)];
    return type === undefined || line[1] !== ' ' ? [] : [{ type, name: line.slice(2) }];
  });
  const weight = ({ type }: FolderEntry): number => (type === 'folder' ? 0 : 1);
  return entries.sort((left, right) => weight(left) - weight(right) || (left.name < right.name ? -1 : 1));
}

/** An absolute path without `.`, `..` and doubled slashes. */
export function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The contents of a file as text; undefined if they are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}
