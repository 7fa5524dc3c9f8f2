// Programs that read text and write some of it.
import { aborted } from '../../../base/index.ts';
import { pathOf, print, type Program, readAll, type ShellProcess, spend } from '../process.ts';
import { CLASSES } from '../language/match-pattern.ts';
import { eachInput, type Line, linesOf, LineWriter } from './input-lines.ts';
import { countOf, readOptions, UsageError } from './read-options.ts';

/** `-5` is `-n 5`. */
function withCount(args: readonly string[]): readonly string[] {
  return args.map((arg) => (/^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : arg));
}

export const head: Program = async (args, process) => {
  const options = readOptions(withCount(args), { flags: 'qv', values: 'nc', long: { lines: 'n', bytes: 'c' } });
  const bytes = options.value('c');
  const count = options.value('n') ?? '10';
  const names = options.operands;
  return eachInput(names, { program: 'head', process }, async (input, name) => {
    if (names.length > 1 && !options.has('q')) await print(process, `==> ${name} <==\n`);
    if (bytes !== undefined) return headBytes(input, countOf(bytes), process);
    const writer = new LineWriter(process);
    const last = count.startsWith('-') ? countOf(count.slice(1)) : 0;
    const waiting: Line[] = [];
    let left = count.startsWith('-') ? Infinity : countOf(count);
    if (left === 0) return;
    for await (const line of linesOf(input, process)) {
      waiting.push(line);
      if (waiting.length <= last) continue;
      await writer.write(textOf(waiting.shift() as Line));
      if (--left === 0) break;
    }
    await writer.flush();
  });
};

async function headBytes(input: AsyncIterable<Uint8Array>, count: number, process: ShellProcess): Promise<void> {
  let left = count;
  for await (const bytes of input) {
    await process.stdout(bytes.subarray(0, left));
    left -= bytes.length;
    if (left <= 0) return;
  }
}

function textOf({ text, hasEnd }: Line): string {
  return hasEnd ? `${text}\n` : text;
}

/** Also `tail -c +N`, with which `kubectl cp` resumes after a lost connection, and `tail -f`, which waits until it is stopped. */
export const tail: Program = async (args, process) => {
  const options = readOptions(withCount(args), {
    flags: 'fFqv',
    values: 'nc',
    long: { lines: 'n', bytes: 'c', follow: 'f' },
  });
  const bytes = options.value('c');
  const names = options.operands;
  const follow = new Map<string, number>();
  const code = await eachInput(names, { program: 'tail', process }, async (input, name) => {
    if (names.length > 1 && !options.has('q')) await print(process, `==> ${name} <==\n`);
    if (bytes === undefined) await tailLines(input, options.value('n') ?? '10', process);
    else await tailBytes(input, bytes, process);
    const path = pathOf(process, name);
    if (name !== '-') follow.set(path, process.machine.files.sizeOf(path));
  });
  if (options.has('f') || options.has('F')) await followFiles(follow, process);
  return code;
};

/** Writes what is added to the files; waits until the process is stopped. */
async function followFiles(sizes: Map<string, number>, process: ShellProcess): Promise<void> {
  const { files } = process.machine;
  const paths = [...sizes.keys()].filter((path) => path !== '/dev/null');
  while (!process.signal.aborted) {
    await (paths.length === 0 ? aborted(process.signal) : files.changed(process.signal));
    for (const path of paths) {
      const size = files.sizeOf(path);
      if (size > (sizes.get(path) ?? 0)) await process.stdout(files.read(path).subarray(sizes.get(path)));
      sizes.set(path, size);
    }
  }
}

async function tailLines(input: AsyncIterable<Uint8Array>, count: string, process: ShellProcess): Promise<void> {
  const writer = new LineWriter(process);
  if (count.startsWith('+')) {
    let skipped = Math.max(0, countOf(count.slice(1)) - 1);
    for await (const line of linesOf(input, process)) if (skipped-- <= 0) await writer.write(textOf(line));
    return writer.flush();
  }
  const wanted = countOf(count.replace('-', ''));
  let kept: Line[] = [];
  for await (const line of linesOf(input, process)) {
    kept.push(line);
    if (kept.length > 2 * wanted + 1024) kept = kept.slice(-wanted);
  }
  if (wanted > 0) for (const line of kept.slice(-wanted)) await writer.write(textOf(line));
  await writer.flush();
}

async function tailBytes(input: AsyncIterable<Uint8Array>, count: string, process: ShellProcess): Promise<void> {
  if (!count.startsWith('+')) {
    const wanted = countOf(count.replace('-', ''));
    const all = await readAll(input);
    return process.stdout(wanted === 0 ? new Uint8Array() : all.subarray(-wanted));
  }
  let skipped = Math.max(0, countOf(count.slice(1)) - 1);
  for await (const bytes of input) {
    const rest = bytes.subarray(Math.min(skipped, bytes.length));
    skipped -= bytes.length - rest.length;
    if (rest.length > 0) await process.stdout(rest);
  }
}

export const wc: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'lwcmL' });
  const wanted = ['l', 'w', 'm', 'c'].filter((letter) => options.has(letter));
  const shown = wanted.length === 0 ? ['l', 'w', 'c'] : wanted;
  const totals: Record<string, number> = { l: 0, w: 0, c: 0, m: 0 };
  const show = (counts: Readonly<Record<string, number>>, name: string): Promise<void> => {
    const numbers = shown.map((letter) => String(counts[letter] ?? 0));
    const text = numbers.length === 1 ? numbers.join('') : numbers.map((number) => number.padStart(9)).join(' ');
    return print(process, `${text}${name === '-' ? '' : ` ${name}`}\n`);
  };
  const code = await eachInput(options.operands, { program: 'wc', process }, async (input, name) => {
    const counts: Record<string, number> = { l: 0, w: 0, c: 0, m: 0 };
    const add = (letter: string, count: number): void => {
      counts[letter] = (counts[letter] ?? 0) + count;
      totals[letter] = (totals[letter] ?? 0) + count;
    };
    for await (const { text, hasEnd } of linesOf(input, process)) {
      if (hasEnd) add('l', 1);
      add('w', text.split(/\s+/).filter((word) => word !== '').length);
      add('c', Buffer.byteLength(text) + (hasEnd ? 1 : 0));
      add('m', [...text].length + (hasEnd ? 1 : 0));
    }
    await show(counts, name);
  });
  if (options.operands.length > 1) await show(totals, 'total');
  return code;
};

const SORTED_AT_ONCE = 2000;

export const sort: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'nruVfbsz', values: 'kto' });
  const lines: string[] = [];
  let bytes = 0;
  const code = await eachInput(options.operands, { program: 'sort', process }, async (input) => {
    for await (const { text } of linesOf(input, process)) {
      bytes += text.length + 1;
      if (bytes > MAX_SORTED_CHARACTERS) throw new Error('Cannot allocate memory');
      lines.push(text);
    }
  });
  const key = keyOf(options.value('k'), options.value('t'));
  const isNumeric = options.has('n') || key.isNumeric;
  const folds = options.has('f');
  const direction = options.has('r') || key.isReversed ? -1 : 1;
  const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);
  const valueOf = (line: string): string => (folds ? key.of(line).toUpperCase() : key.of(line));
  const compareKeys = (left: string, right: string): number => {
    if (isNumeric) return leadingNumber(valueOf(left)) - leadingNumber(valueOf(right));
    if (options.has('V')) return valueOf(left).localeCompare(valueOf(right), 'en', { numeric: true });
    return compareText(valueOf(left), valueOf(right));
  };
  const sorted = await sortedInSlices(lines, process, (left, right) => {
    const order = direction * compareKeys(left, right);
    return order !== 0 || options.has('u') || options.has('s') ? order : direction * compareText(left, right);
  });
  const writer = new LineWriter(process);
  for (const [index, line] of sorted.entries()) {
    const before = sorted[index - 1];
    if (options.has('u') && before !== undefined && compareKeys(before, line) === 0) continue;
    await writer.write(`${line}\n`);
  }
  await writer.flush();
  return code;
};

const MAX_SORTED_CHARACTERS = 1024 * 1024;

function leadingNumber(text: string): number {
  return Number(/^\s*(-?\d*\.?\d+)/.exec(text)?.[1] ?? 0);
}

interface SortKey {
  readonly isNumeric: boolean;
  readonly isReversed: boolean;
  of(line: string): string;
}

/** `-k 2`, `-k 2,2n` */
function keyOf(text: string | undefined, separator: string | undefined): SortKey {
  if (text === undefined) return { isNumeric: false, isReversed: false, of: (line) => line };
  const found = /^(\d+)(?:\.\d+)?([nrbf]*)(?:,(\d+)(?:\.\d+)?([nrbf]*))?$/.exec(text);
  if (found === null) throw new UsageError(`bad field specification '${text}'`);
  const [, first = '1', flags = '', last, more = ''] = found;
  const letters = flags + more;
  return {
    isNumeric: letters.includes('n'),
    isReversed: letters.includes('r'),
    of: (line) => {
      const fields = separator === undefined ? (line.match(/\s*\S+/g) ?? []) : line.split(separator);
      return fields.slice(Number(first) - 1, last === undefined ? undefined : Number(last)).join(separator ?? '');
    },
  };
}

/** Merge sort with turns for other work in between. */
async function sortedInSlices(
  lines: readonly string[],
  process: ShellProcess,
  compare: (left: string, right: string) => number,
): Promise<readonly string[]> {
  let runs: string[][] = [];
  for (let at = 0; at < lines.length; at += SORTED_AT_ONCE) {
    runs.push(lines.slice(at, at + SORTED_AT_ONCE).sort(compare));
    await spend(process, WORK_OF_A_RUN);
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], { compare, process }));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** About a slice of the processor. */
const WORK_OF_A_RUN = 400 * 1024;

async function merge(
  left: readonly string[],
  right: readonly string[],
  { compare, process }: { readonly compare: (left: string, right: string) => number; readonly process: ShellProcess },
): Promise<string[]> {
  const result: string[] = [];
  let [first, second] = [0, 0];
  while (first < left.length || second < right.length) {
    const takesLeft =
      second >= right.length || (first < left.length && compare(left[first] ?? '', right[second] ?? '') <= 0);
    result.push((takesLeft ? left[first++] : right[second++]) ?? '');
    if (result.length % (2 * SORTED_AT_ONCE) === 0) await spend(process, WORK_OF_A_RUN);
  }
  return result;
}

export const uniq: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'cdui' });
  const writer = new LineWriter(process);
  let last: string | undefined;
  let count = 0;
  const same = (left: string, right: string): boolean =>
    options.has('i') ? left.toLowerCase() === right.toLowerCase() : left === right;
  const show = async (): Promise<void> => {
    if (last === undefined || (options.has('d') && count < 2) || (options.has('u') && count > 1)) return;
    await writer.write(`${options.has('c') ? `${String(count).padStart(7)} ` : ''}${last}\n`);
  };
  const code = await eachInput(options.operands.slice(0, 1), { program: 'uniq', process }, async (input) => {
    for await (const { text } of linesOf(input, process)) {
      if (last !== undefined && same(last, text)) {
        count++;
        continue;
      }
      await show();
      last = text;
      count = 1;
    }
  });
  await show();
  await writer.flush();
  return code;
};

export const cut: Program = async (args, process) => {
  const options = readOptions(args, {
    flags: 'sn',
    values: 'dfcb',
    long: { delimiter: 'd', fields: 'f', characters: 'c', bytes: 'b' },
  });
  const fields = options.value('f');
  const characters = options.value('c') ?? options.value('b');
  if (fields === undefined && characters === undefined) {
    throw new UsageError('you must specify a list of bytes, characters, or fields');
  }
  const isSelected = ranges(fields ?? characters ?? '');
  const delimiter = options.value('d') ?? '\t';
  const writer = new LineWriter(process);
  const code = await eachInput(options.operands, { program: 'cut', process }, async (input) => {
    for await (const { text } of linesOf(input, process)) {
      if (fields === undefined) {
        await writer.write(`${[...text].filter((_, index) => isSelected(index + 1)).join('')}\n`);
      } else if (text.includes(delimiter)) {
        const chosen = text.split(delimiter).filter((_, index) => isSelected(index + 1));
        await writer.write(`${chosen.join(delimiter)}\n`);
      } else if (!options.has('s')) {
        await writer.write(`${text}\n`);
      }
    }
  });
  await writer.flush();
  return code;
};

/** `1,3-5,7-` */
function ranges(text: string): (place: number) => boolean {
  const all = text.split(',').map((each): readonly [number, number] => {
    const found = /^(\d*)(-?)(\d*)$/.exec(each);
    const [, from = '', dash = '', to = ''] = found ?? [];
    if (found === null || (from === '' && to === '') || from === '0') throw new UsageError(`bad list: ${text}`);
    return [from === '' ? 1 : Number(from), dash === '' ? Number(from) : to === '' ? Infinity : Number(to)];
  });
  return (place) => all.some(([from, to]) => place >= from && place <= to);
}

export const tr: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'dscC' });
  const [first, second] = options.operands;
  if (first === undefined) throw new UsageError('missing operand');
  const isComplement = options.has('c') || options.has('C');
  const from = characterSet(first);
  const to = second === undefined ? [] : characterSet(second);
  const places = new Map<string, number>();
  for (const [index, character] of from.entries()) if (!places.has(character)) places.set(character, index);
  const isMember = (character: string): boolean => places.has(character) !== isComplement;
  const translated = (character: string): string => {
    if (!isMember(character) || to.length === 0) return character;
    return to[Math.min(isComplement ? Infinity : (places.get(character) ?? 0), to.length - 1)] ?? character;
  };
  const squeezed = options.has('s') ? new Set(second === undefined ? from : to) : new Set<string>();
  const writer = new LineWriter(process);
  let last = '';
  await eachInput([], { program: 'tr', process }, async (input) => {
    for await (const { text, hasEnd } of linesOf(input, process)) {
      let result = '';
      for (const character of hasEnd ? `${text}\n` : text) {
        if (options.has('d') && isMember(character)) continue;
        const next = options.has('d') ? character : translated(character);
        if (next === last && squeezed.has(next)) continue;
        result += next;
        last = next;
      }
      await writer.write(result);
    }
  });
  await writer.flush();
  return 0;
};

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '0': '\0', a: '\x07' };

function characterSet(text: string): readonly string[] {
  const all: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const named = /^\[:(\w+):\]/.exec(text.slice(at, at + 16));
    if (named !== null) {
      const known = CLASSES[named[1] ?? ''];
      for (let code = 0; code < 128; code++) {
        const character = String.fromCharCode(code);
        if (known?.test(character) === true) all.push(character);
      }
      at += named[0].length - 1;
      continue;
    }
    let character = text.charAt(at);
    if (character === '\\') character = ESCAPES[text.charAt(++at)] ?? text.charAt(at);
    const end = text.charAt(at + 2);
    if (text.charAt(at + 1) !== '-' || end === '') {
      all.push(character);
      continue;
    }
    for (let code = character.charCodeAt(0); code <= end.charCodeAt(0) && all.length < 1024; code++) {
      all.push(String.fromCharCode(code));
    }
    at += 2;
  }
  return all;
}

/** Lines or characters in reverse. */
export const tac: Program = async (args, process) => {
  return eachInput(readOptions(args, {}).operands, { program: 'tac', process }, async (input) => {
    const lines = (await readAll(input)).toString().split(/(?<=\n)/);
    await print(process, lines.reverse().join(''));
  });
};

export const rev: Program = async (args, process) => {
  return eachInput(readOptions(args, {}).operands, { program: 'rev', process }, async (input) => {
    const writer = new LineWriter(process);
    for await (const { text } of linesOf(input, process)) await writer.write(`${[...text].reverse().join('')}\n`);
    await writer.flush();
  });
};
