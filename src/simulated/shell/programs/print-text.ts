// `echo`, `printf` and `seq`.
import { fail, print, type Program } from '../process.ts';
import { LineWriter } from './input-lines.ts';
import { readOptions } from './read-options.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};
const ESCAPE = /\\(?:0?([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]))/g;

/** `\c` ends the output. */
function unescaped(text: string): { readonly text: string; readonly isOver: boolean } {
  const end = /(?<!\\)(?:\\\\)*\\c/.exec(text);
  const kept = end === null ? text : text.slice(0, end.index + end[0].length - 2);
  const result = kept.replace(ESCAPE, (all, octal?: string, hex?: string, letter?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return ESCAPES[letter ?? ''] ?? all;
  });
  return { text: result, isOver: end !== null };
}

/** As in busybox: backslashes count only after `-e`. */
export const echo: Program = async (args, process) => {
  let [hasNewline, hasEscapes, at] = [true, false, 0];
  for (; /^-[neE]+$/.test(args[at] ?? ''); at++) {
    for (const letter of (args[at] ?? '').slice(1)) {
      if (letter === 'n') hasNewline = false;
      else hasEscapes = letter === 'e';
    }
  }
  const given = args.slice(at).join(' ');
  const { text, isOver } = hasEscapes ? unescaped(given) : { text: given, isOver: false };
  await print(process, hasNewline && !isOver ? `${text}\n` : text);
  return 0;
};

const DIRECTIVE = /%(?:%|([-+ 0#]*)(\*|\d{0,4})(?:\.(\*|\d{0,4}))?([diouxXeEfgGcsbq]))/g;
const MAX_ROUNDS = 10_000;

export const printf: Program = async (args, process) => {
  const [format, ...values] = args[0] === '--' ? args.slice(1) : args;
  if (format === undefined) return fail(process, 'printf: usage: printf FORMAT [ARG]...', 2);
  const writer = new LineWriter(process);
  const waiting = [...values];
  let code = 0;
  let isOver = false;
  const { text: pattern, isOver: endsFormat } = unescaped(format);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = waiting.length;
    const text = pattern.replace(DIRECTIVE, (_all, ...parts: (string | undefined)[]) => {
      const [flags = '', width = '', precision, letter] = parts;
      if (letter === undefined) return '%';
      if (isOver) return '';
      const size = width === '*' ? Number(waiting.shift() ?? 0) : Number(width);
      const digits =
        precision === '*' ? Number(waiting.shift() ?? 0) : precision === undefined ? undefined : Number(precision);
      const value = waiting.shift();
      if (letter === 'b') {
        const escaped = unescaped(value ?? '');
        isOver ||= escaped.isOver;
        return padded(escaped.text, size, flags);
      }
      const result = formatted(letter, value ?? '', { flags, digits });
      if (result === undefined) code = 1;
      const isNumber = letter !== 's' && letter !== 'c';
      return padded(result ?? '0', size, isNumber ? flags : flags.replace('0', ''));
    });
    await writer.write(text);
    if (waiting.length === 0 || waiting.length === before || isOver || endsFormat) break;
  }
  await writer.flush();
  return code === 0 ? 0 : fail(process, 'printf: invalid number', code);
};

function padded(text: string, width: number, flags: string): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0')) return text.padStart(width);
  const [sign = ''] = /^[-+]/.exec(text) ?? [];
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

/** Undefined for a value that is no number. */
function formatted(
  letter: string,
  value: string,
  { flags, digits }: { readonly flags: string; readonly digits: number | undefined },
): string | undefined {
  if (letter === 's') return digits === undefined ? value : value.slice(0, digits);
  if (letter === 'c') return value.slice(0, 1);
  if (letter === 'q') return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
  const number = /^['"]/.test(value) ? (value.codePointAt(1) ?? 0) : value === '' ? 0 : Number(value.trim());
  if (Number.isNaN(number)) return undefined;
  const sign = number >= 0 && flags.includes('+') ? '+' : '';
  switch (letter) {
    case 'd':
    case 'i':
      return sign + String(Math.trunc(number));
    case 'u':
      return String(Math.abs(Math.trunc(number)));
    case 'o':
      return Math.trunc(number).toString(8);
    case 'x':
      return (flags.includes('#') ? '0x' : '') + Math.trunc(number).toString(16);
    case 'X':
      return (flags.includes('#') ? '0X' : '') + Math.trunc(number).toString(16).toUpperCase();
    case 'f':
      return sign + number.toFixed(Math.min(digits ?? 6, 100));
    case 'e':
    case 'E': {
      const text = number.toExponential(Math.min(digits ?? 6, 100)).replace(/e([-+])(\d)$/, 'e$10$2');
      return sign + (letter === 'E' ? text.toUpperCase() : text);
    }
    default:
      return sign + String(Number(number.toPrecision(Math.max(1, Math.min(digits ?? 6, 100)))));
  }
}

const MAX_NUMBERS = 1_000_000;

export const seq: Program = async (args, process) => {
  const isNumber = (arg: string): boolean => /^-?\d+(?:\.\d+)?$/.test(arg);
  const numbers = args.filter(isNumber);
  const options = readOptions(
    args.filter((arg) => !isNumber(arg)),
    { flags: 'w', values: 's' },
  );
  if (options.operands.length > 0) return fail(process, `seq: invalid number '${options.operands[0]}'`);
  if (numbers.length === 0) return fail(process, 'Usage: seq [-w] [-s SEP] [FIRST [INC]] LAST');
  const [first = 1, step = 1, last = 0] =
    numbers.length === 1
      ? [1, 1, Number(numbers[0])]
      : numbers.length === 2
        ? [Number(numbers[0]), 1, Number(numbers[1])]
        : numbers.map(Number);
  const separator = options.value('s') ?? '\n';
  const places = Math.max(...numbers.map((text) => text.split('.')[1]?.length ?? 0));
  const width = options.has('w') ? Math.max(...numbers.map((text) => text.length)) : 0;
  const count = step === 0 ? MAX_NUMBERS : Math.floor((last - first) / step + 1e-9) + 1;
  const writer = new LineWriter(process);
  for (let index = 0; index < Math.min(count, MAX_NUMBERS); index++) {
    if (process.signal.aborted) break;
    const text = (first + index * step).toFixed(places).padStart(width, '0');
    await writer.write(index === 0 ? text : separator + text);
  }
  if (count > 0) await writer.write('\n');
  await writer.flush();
  return 0;
};

export const yes: Program = async (args, process) => {
  const line = `${args.length === 0 ? 'y' : args.join(' ')}\n`;
  const writer = new LineWriter(process);
  while (!process.signal.aborted) await writer.write(line.length > 64 ? line : line.repeat(64));
  return 130;
};
