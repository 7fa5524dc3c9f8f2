// Programs that look at files and change them.
import { posix } from 'node:path';
import { type FileEntry, FileError } from '../file-tree.ts';
import { ShellPattern } from '../language/match-pattern.ts';
import { fail, pathOf, print, type Program, readAll, type ShellProcess } from '../process.ts';
import { bytesOf, eachInput } from './input-lines.ts';
import { readOptions, UsageError } from './read-options.ts';

/** Applies a function to each file; prints an error for one that fails, and continues with the others. */
async function eachFile(
  names: readonly string[],
  { program, process }: { readonly program: string; readonly process: ShellProcess },
  act: (path: string, given: string) => Promise<void>,
): Promise<number> {
  if (names.length === 0) throw new UsageError('missing operand');
  let code = 0;
  for (const name of names) {
    try {
      await act(pathOf(process, name), name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      code = await fail(process, `${program}: ${name}: ${error.message}`);
    }
  }
  return code;
}

export const cat: Program = (args, process) =>
  eachInput(readOptions(args, { flags: 'uevtn' }).operands, { program: 'cat', process }, async (input) => {
    for await (const bytes of input) await process.stdout(bytes);
  });

export const tee: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'ai' });
  const { files, clock } = process.machine;
  const paths: string[] = [];
  const code = await eachOptional(options.operands, process, async (path) => {
    if (!options.has('a')) files.write(path, new Uint8Array(), { nowMs: clock.now() });
    paths.push(path);
  });
  for await (const bytes of bytesOf('-', process)) {
    await process.stdout(bytes);
    for (const path of paths) files.append(path, bytes, clock.now());
  }
  return code;
};

function eachOptional(
  names: readonly string[],
  process: ShellProcess,
  act: (path: string) => Promise<void>,
): Promise<number> {
  return names.length === 0 ? Promise.resolve(0) : eachFile(names, { program: 'tee', process }, act);
}

export const mkdir: Program = (args, process) => {
  const options = readOptions(args, { flags: 'pv', values: 'm', long: { parents: 'p' } });
  const { files, clock } = process.machine;
  return eachFile(options.operands, { program: 'mkdir', process }, async (path) => {
    if (options.has('p')) files.makeDirectories(path, clock.now());
    else files.makeDirectory(path, clock.now());
  });
};

export const rmdir: Program = (args, process) => {
  const { files } = process.machine;
  return eachFile(readOptions(args, {}).operands, { program: 'rmdir', process }, async (path) => {
    const entry = files.get(path);
    if (entry === undefined) throw new FileError('No such file or directory');
    if (entry.type === 'file') throw new FileError('Not a directory');
    if (files.names(path).length > 0) throw new FileError('Directory not empty');
    files.remove(path);
  });
};

export const rm: Program = (args, process) => {
  const options = readOptions(args, { flags: 'rRfiv', long: { recursive: 'r', force: 'f' } });
  const { files } = process.machine;
  if (options.operands.length === 0 && options.has('f')) return Promise.resolve(0);
  return eachFile(options.operands, { program: 'rm', process }, async (path) => {
    const entry = files.get(path);
    if (entry === undefined && options.has('f')) return;
    if (entry === undefined) throw new FileError('No such file or directory');
    if (entry.type === 'directory' && !options.has('r') && !options.has('R')) throw new FileError('Is a directory');
    files.remove(path);
  });
};

export const touch: Program = (args, process) => {
  const options = readOptions(args, { flags: 'acm', values: 'drt' });
  const { files, clock } = process.machine;
  return eachFile(options.operands, { program: 'touch', process }, async (path) => {
    const entry = files.get(path);
    if (entry?.type === 'directory' || (entry === undefined && options.has('c'))) return;
    files.write(path, entry?.bytes ?? new Uint8Array(), { nowMs: clock.now() });
  });
};

const SYMBOLIC = /^([ugoa]*)([-+=])([rwxXst]*)$/;
const CLASS_MASKS: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: 0o777 };
const RIGHT_MASKS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, X: 0o111, s: 0, t: 0 };

export const chmod: Program = (args, process) => {
  const isMode = (arg: string): boolean => /^-[rwx]+$/.test(arg);
  const options = readOptions(
    args.filter((arg) => !isMode(arg)),
    { flags: 'Rvcf' },
  );
  const [mode = '', ...names] = [...args.filter(isMode), ...options.operands];
  const { files } = process.machine;
  return eachFile(names, { program: 'chmod', process }, async (path) => {
    const entry = files.get(path);
    if (entry === undefined) throw new FileError('No such file or directory');
    const all = options.has('R') ? [path, ...files.below(path)] : [path];
    for (const each of all) files.changeMode(each, modeAfter(files.get(each)?.mode ?? 0, mode));
  });
};

function modeAfter(before: number, text: string): number {
  if (/^[0-7]{1,5}$/.test(text)) return Number.parseInt(text, 8) & 0o7777;
  let mode = before;
  for (const clause of text.split(',')) {
    const found = SYMBOLIC.exec(clause);
    if (found === null) throw new UsageError(`invalid mode '${text}'`);
    const [, classes = '', operator, rights = ''] = found;
    const mask = [...(classes === '' ? 'a' : classes)].reduce((sum, letter) => sum | (CLASS_MASKS[letter] ?? 0), 0);
    const bits = mask & [...rights].reduce((sum, letter) => sum | (RIGHT_MASKS[letter] ?? 0), 0);
    mode = operator === '+' ? mode | bits : operator === '-' ? mode & ~bits : (mode & ~mask) | bits;
  }
  return mode;
}

/** Files have no owners here: the files must exist. */
export const chown: Program = (args, process) => {
  const [, ...names] = readOptions(args, { flags: 'Rhvf' }).operands;
  return eachFile(names, { program: 'chown', process }, async (path) => {
    if (process.machine.files.get(path) === undefined) throw new FileError('No such file or directory');
  });
};

/** `cp` and `mv`. */
function transfer(program: 'cp' | 'mv'): Program {
  return async (args, process) => {
    const options = readOptions(args, { flags: 'rRafpvnTdLPui', values: 't', long: { recursive: 'r', force: 'f' } });
    const { files } = process.machine;
    const sources = options.value('t') === undefined ? options.operands.slice(0, -1) : options.operands;
    const target = options.value('t') ?? options.operands.at(-1) ?? '';
    const targetPath = pathOf(process, target);
    const isIntoDirectory = files.get(targetPath)?.type === 'directory' && !options.has('T');
    if (sources.length > 1 && !isIntoDirectory)
      return fail(process, `${program}: target '${target}' is not a directory`);
    return eachFile(sources, { program, process }, async (path, given) => {
      const entry = files.get(path);
      if (entry === undefined) throw new FileError("can't stat: No such file or directory");
      const isDeep = program === 'mv' || ['r', 'R', 'a'].some((letter) => options.has(letter));
      if (entry.type === 'directory' && !isDeep) throw new FileError('omitting directory');
      const base = posix.basename(given) === '.' ? '' : posix.basename(path);
      const place = isIntoDirectory ? posix.join(targetPath, base) : targetPath;
      if (place === path) throw new FileError(`'${given}' and '${target}' are the same file`);
      if (place.startsWith(`${path}/`)) throw new FileError(`can't copy a directory into itself`);
      copy(path, place, process);
      if (program === 'mv') files.remove(path);
    });
  };
}

export const cp = transfer('cp');
export const mv = transfer('mv');

function copy(from: string, to: string, { machine: { files, clock } }: ShellProcess): void {
  for (const path of [from, ...files.below(from)]) {
    const entry = files.get(path);
    const place = to + path.slice(from.length);
    if (entry?.type === 'directory') files.makeDirectories(place, clock.now());
    else if (entry !== undefined) files.write(place, entry.bytes.slice(), { mode: entry.mode, nowMs: clock.now() });
  }
}

export const ls: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'laA1hRdtrSFinopC' });
  const { files } = process.machine;
  const names = options.operands;
  const line = (path: string, name: string): string => {
    const entry = files.get(path);
    return entry === undefined || !options.has('l') ? `${name}\n` : `${describe(entry)} ${name}\n`;
  };
  const order = (paths: readonly string[]): readonly string[] => {
    const sorted = options.has('t')
      ? [...paths].sort((left, right) => (files.get(right)?.modifiedMs ?? 0) - (files.get(left)?.modifiedMs ?? 0))
      : paths;
    return options.has('r') ? [...sorted].reverse() : sorted;
  };
  const list = async (path: string, heading: string): Promise<void> => {
    const shown = order(files.names(path).map((name) => posix.join(path, name))).filter(
      (each) => !posix.basename(each).startsWith('.') || options.has('a') || options.has('A'),
    );
    const dots = options.has('a') ? [line(path, '.'), line(posix.dirname(path), '..')] : [];
    const total = options.has('l') ? `total ${shown.length * 4}\n` : '';
    await print(
      process,
      heading + total + [...dots, ...shown.map((each) => line(each, posix.basename(each)))].join(''),
    );
    if (!options.has('R')) return;
    for (const each of shown) if (files.get(each)?.type === 'directory') await list(each, `\n${each}:\n`);
  };
  let isFirst = true;
  return eachFile(names.length === 0 ? ['.'] : names, { program: 'ls', process }, async (path, given) => {
    const entry = files.get(path);
    if (entry === undefined) throw new FileError('No such file or directory');
    if (entry.type === 'file' || options.has('d')) return print(process, line(path, given));
    const heading = names.length > 1 || options.has('R') ? `${isFirst ? '' : '\n'}${given}:\n` : '';
    isFirst = false;
    await list(path, heading);
  });
};

const RIGHTS = ['---', '--x', '-w-', '-wx', 'r--', 'r-x', 'rw-', 'rwx'];

function rightsOf({ type, mode }: FileEntry): string {
  const digits = [...(mode & 0o777).toString(8).padStart(3, '0')];
  return `${type === 'directory' ? 'd' : '-'}${digits.map((digit) => RIGHTS[Number(digit)]).join('')}`;
}

function describe(entry: FileEntry): string {
  const size = entry.type === 'file' ? entry.bytes.length : 4096;
  const date = new Date(entry.modifiedMs);
  const month = date.toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
  const time = date.toISOString().slice(11, 16);
  const links = entry.type === 'directory' ? 2 : 1;
  return `${rightsOf(entry)}    ${links} root     root     ${String(size).padStart(9)} ${month} ${String(date.getUTCDate()).padStart(2)} ${time}`;
}

/** `stat -c FORMAT` */
export const stat: Program = (args, process) => {
  const options = readOptions(args, { flags: 'L', values: 'c' });
  const format = options.value('c') ?? '  File: %n\n  Size: %s\t%F\nAccess: (%a/%A)\tUid: (0/root)\tGid: (0/root)';
  return eachFile(options.operands, { program: 'stat', process }, async (path, given) => {
    const entry = process.machine.files.get(path);
    if (entry === undefined) throw new FileError("can't stat: No such file or directory");
    const values: Readonly<Record<string, string>> = {
      n: given,
      s: String(entry.type === 'file' ? entry.bytes.length : 4096),
      a: (entry.mode & 0o7777).toString(8),
      A: rightsOf(entry),
      F: entry.type === 'directory' ? 'directory' : entry.bytes.length === 0 ? 'regular empty file' : 'regular file',
      u: '0',
      g: '0',
      U: 'root',
      G: 'root',
      Y: String(Math.floor(entry.modifiedMs / 1000)),
      '%': '%',
    };
    await print(process, `${format.replace(/%(.)/g, (all, letter: string) => values[letter] ?? all)}\n`);
  });
};

/** `find` with tests of name, path and type. */
export const find: Program = async (args, process) => {
  const firstTest = args.findIndex((arg) => /^[-(!]/.test(arg));
  const starts = args.slice(0, firstTest === -1 ? args.length : firstTest);
  const { files } = process.machine;
  const tests: ((path: string, entry: FileEntry) => boolean)[] = [];
  const depth = { min: 0, max: Infinity };
  let isDeleting = false;
  const words = firstTest === -1 ? [] : args.slice(firstTest);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const isNegated = word === '!' || word === '-not';
    const test = isNegated ? words[++at] : word;
    const value = test === '-print' || test === '-delete' || test === '-empty' ? '' : words[++at];
    if (value === undefined) throw new UsageError(`requires an argument: ${test}`);
    if (test === '-maxdepth') depth.max = Number(value);
    else if (test === '-mindepth') depth.min = Number(value);
    else if (test === '-delete') isDeleting = true;
    else if (test !== '-print') {
      const holds = findTest(test ?? '', value);
      tests.push((path, entry) => holds(path, entry) !== isNegated);
    }
  }
  return eachFile(starts.length === 0 ? ['.'] : starts, { program: 'find', process }, async (root, given) => {
    if (files.get(root) === undefined) throw new FileError('No such file or directory');
    const found: string[] = [];
    for (const path of [root, ...files.below(root)]) {
      const entry = files.get(path);
      const level = path === root ? 0 : path.slice(root.length).split('/').length - (root === '/' ? 0 : 1);
      if (entry === undefined || level < depth.min || level > depth.max) continue;
      if (tests.every((test) => test(path, entry))) found.push(path);
    }
    if (isDeleting) for (const path of found.reverse()) files.remove(path);
    const shown = (path: string): string =>
      (given.endsWith('/') ? given.slice(0, -1) : given) + (root === '/' ? path : path.slice(root.length));
    if (!isDeleting) await print(process, found.map((path) => `${path === root ? given : shown(path)}\n`).join(''));
  });
};

function findTest(test: string, value: string): (path: string, entry: FileEntry) => boolean {
  switch (test) {
    case '-name':
    case '-iname': {
      const fold = (text: string): string => (test === '-iname' ? text.toLowerCase() : text);
      return (path) => new ShellPattern(fold(value)).matches(fold(posix.basename(path)));
    }
    case '-path':
      return (path) => new ShellPattern(value).matches(path);
    case '-type':
      return (_, entry) => (value === 'd') === (entry.type === 'directory') && 'df'.includes(value);
    case '-empty':
      return (_, entry) => entry.type === 'file' && entry.bytes.length === 0;
    default:
      throw new UsageError(`unrecognized: ${test}`);
  }
}

export const basename: Program = async (args, process) => {
  const [name = '', suffix = ''] = readOptions(args, {}).operands;
  const base = posix.basename(name);
  const shown = suffix !== '' && base.endsWith(suffix) && base !== suffix ? base.slice(0, -suffix.length) : base;
  await print(process, `${shown === '' ? name.slice(0, 1) : shown}\n`);
  return 0;
};

export const dirname: Program = async (args, process) => {
  await print(process, `${posix.dirname(readOptions(args, {}).operands[0] ?? '')}\n`);
  return 0;
};

/** There are no links, so a path leads to itself. */
export const realpath: Program = (args, process) => {
  const options = readOptions(args, { flags: 'femsqn' });
  return eachFile(options.operands, { program: 'realpath', process }, async (path) => print(process, `${path}\n`));
};

export const mktemp: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'dqu', values: 'pt' });
  const { files, clock, random } = process.machine;
  const template = options.operands[0] ?? 'tmp.XXXXXX';
  const name = template.replace(/X{3,}$/, (marks) =>
    Array.from(marks, () => 'abcdefghijklmnopqrstuvwxyz'.charAt(random.int(26))).join(''),
  );
  const path = posix.resolve(options.value('p') ?? (template.includes('/') ? process.directory : '/tmp'), name);
  if (options.has('d')) files.makeDirectory(path, clock.now());
  else files.write(path, new Uint8Array(), { mode: 0o600, nowMs: clock.now() });
  await print(process, `${path}\n`);
  return 0;
};

/** `base64`, with `-d` to decode. */
export const base64: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'd', values: 'w', long: { decode: 'd', wrap: 'w' } });
  return eachInput(options.operands.slice(0, 1), { program: 'base64', process }, async (input) => {
    const bytes = await readAll(input);
    if (options.has('d')) return process.stdout(Buffer.from(bytes.toString(), 'base64'));
    const width = Number(options.value('w') ?? 76);
    const text = bytes.toString('base64');
    const lines = width > 0 ? (text.match(new RegExp(`.{1,${Math.min(width, 65_535)}}`, 'g')) ?? []) : [text];
    await print(process, width > 0 ? `${lines.join('\n')}\n` : text);
  });
};
