import { posix } from 'node:path';
import { FileError } from '../file-tree.ts';
import { fail, pathOf, print, type Program, type ShellProcess } from '../process.ts';
import { readTar, tarEnd, tarEntry } from './tar-format.ts';

interface TarOptions {
  readonly mode: 'c' | 'x' | 't';
  readonly directory: string;
  readonly archive: string;
  readonly names: readonly string[];
}

/** The part of `tar` that `kubectl cp` uses: creates, lists and extracts plain archives. */
export const tar: Program = async (args, process) => {
  const options = readOptions(args);
  if (typeof options === 'string') return fail(process, `tar: ${options}`, 2);
  const directory = pathOf(process, options.directory);
  try {
    return await (options.mode === 'c' ? pack(options, directory, process) : unpack(options, directory, process));
  } catch (error) {
    return fail(process, `tar: ${error instanceof Error ? error.message : String(error)}`, 2);
  }
};

/** A text is an error message. */
function readOptions(args: readonly string[]): TarOptions | string {
  const found = { mode: '', directory: '.', archive: '-', names: [] as string[] };
  const waiting = [...args];
  for (let word = waiting.shift(), isFirst = true; word !== undefined; word = waiting.shift(), isFirst = false) {
    if (word.startsWith('--') || (!word.startsWith('-') && !isFirst)) {
      if (!word.startsWith('--')) found.names.push(word);
      continue;
    }
    for (const letter of word.replace(/^-/, '')) {
      if ('cxt'.includes(letter)) found.mode = letter;
      else if (letter === 'f') found.archive = waiting.shift() ?? '-';
      else if (letter === 'C') found.directory = waiting.shift() ?? '.';
      else if (letter === 'z' || letter === 'j' || letter === 'J') return 'packed archives are not understood';
    }
  }
  const { mode } = found;
  if (mode !== 'c' && mode !== 'x' && mode !== 't') return 'You must specify one of the options c, x and t';
  return { ...found, mode };
}

async function pack({ names, archive }: TarOptions, directory: string, process: ShellProcess): Promise<number> {
  const { files, clock } = process.machine;
  const parts: Uint8Array[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (archive === '-') await process.stdout(bytes);
    else parts.push(bytes);
  };
  let code = 0;
  for (const name of names) {
    const root = posix.resolve(directory, name);
    if (files.get(root) === undefined) {
      code = await fail(process, `tar: ${name}: Cannot stat: No such file or directory`, 2);
      continue;
    }
    for (const path of [root, ...files.below(root)]) {
      const entry = files.get(path);
      const shown = `${name.replace(/\/$/, '')}${path.slice(root.length)}`.replace(/^\/+/, '');
      if (entry !== undefined) await write(tarEntry(shown === '' ? '.' : shown, entry));
    }
  }
  await write(tarEnd());
  if (archive !== '-') files.write(posix.resolve(directory, archive), Buffer.concat(parts), { nowMs: clock.now() });
  return code;
}

async function unpack({ mode, archive }: TarOptions, directory: string, process: ShellProcess): Promise<number> {
  const { files, clock } = process.machine;
  if (files.get(directory)?.type !== 'directory')
    throw new FileError(`${directory}: Cannot open: No such file or directory`);
  async function* kept(): AsyncGenerator<Uint8Array> {
    yield files.read(posix.resolve(directory, archive));
  }
  const nowMs = clock.now();
  for await (const entry of readTar(archive === '-' ? process.stdin : kept())) {
    if (mode === 't') {
      await print(process, `${entry.name}\n`);
      continue;
    }
    const path = posix.join(directory, posix.join('/', entry.name)); // `..` in names cannot leave the directory
    if (entry.type === 'directory') {
      files.makeDirectories(path, nowMs);
    } else {
      files.makeDirectories(posix.dirname(path), nowMs);
      files.write(path, entry.bytes, { mode: entry.mode, nowMs });
    }
  }
  return 0;
}
