// Programs about the container, its time, and other programs.
import { createHash } from 'node:crypto';
import { aborted, AbortScope } from '../../../base/index.ts';
import { evaluateArithmetic } from '../language/arithmetic.ts';
import { fail, print, type Program, readAll } from '../process.ts';
import { basicExpression } from '../regular-expression.ts';
import { ShellFailure } from '../shell-failure.ts';
import { bytesOf, eachInput } from './input-lines.ts';
import { countOf, readOptions, UsageError } from './read-options.ts';

export const hostname: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'fsid' });
  const { hostname: name, addresses = [] } = process.machine;
  await print(
    process,
    `${options.has('i') ? addresses.join(' ') : options.has('s') ? name.replace(/\..*/, '') : name}\n`,
  );
  return 0;
};

export const uname: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'asnrvmop' });
  const values = {
    s: 'Linux',
    n: process.machine.hostname,
    r: '6.12.0-simulated',
    v: '#1 SMP',
    m: 'x86_64',
    o: 'GNU/Linux',
  };
  const all = Object.entries(values);
  const shown = options.has('a') ? all : all.filter(([letter]) => options.has(letter));
  await print(process, `${(shown.length === 0 ? [['s', 'Linux']] : shown).map(([, value]) => value).join(' ')}\n`);
  return 0;
};

export const id: Program = async (args, process) => {
  const options = readOptions(args, { flags: 'unGgr' });
  const { user, group, groups } = process.machine.identity;
  const named = (number: number): string => (number === 0 ? 'root' : String(number));
  const show = (numbers: readonly number[]): Promise<void> =>
    print(process, `${numbers.map((number) => (options.has('n') ? named(number) : String(number))).join(' ')}\n`);
  if (options.has('u')) await show([user]);
  else if (options.has('g')) await show([group]);
  else if (options.has('G')) await show(groups);
  else {
    const shown = (number: number): string => (number === 0 ? '0(root)' : String(number));
    await print(process, `uid=${shown(user)} gid=${shown(group)} groups=${groups.map(shown).join(',')}\n`);
  }
  return 0;
};

export const whoami: Program = async (_, process) => {
  const { user } = process.machine.identity;
  if (user !== 0) return fail(process, `whoami: unknown uid ${user}`);
  await print(process, 'root\n');
  return 0;
};

/** `env [NAME=value]… [program]` */
export const env: Program = async (args, process) => {
  const options = readOptions(args, {
    flags: 'i0',
    values: 'u',
    stopsAtOperand: true,
    long: { 'ignore-environment': 'i', unset: 'u' },
  });
  const environment = new Map(options.has('i') ? [] : process.environment);
  for (const name of options.values('u')) environment.delete(name);
  const words = [...options.operands];
  while (/^[^=]+=/.test(words[0] ?? '')) {
    const [name = '', value = ''] = (words.shift() ?? '').split(/=(.*)/s);
    environment.set(name, value);
  }
  if (words.length > 0) return process.run(words, { ...process, environment });
  await print(process, [...environment].map(([name, value]) => `${name}=${value}\n`).join(''));
  return 0;
};

export const printenv: Program = async (args, process) => {
  const { environment } = process;
  if (args.length === 0) return env([], process);
  const values = args.map((name) => environment.get(name));
  await print(process, values.map((value) => (value === undefined ? '' : `${value}\n`)).join(''));
  return values.includes(undefined) ? 1 : 0;
};

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };
/** The longest delay of a timer. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

function secondsOf(text: string): number | undefined {
  if (text === 'infinity' || text === 'inf') return Infinity;
  const found = /^(\d*\.?\d+|\d+\.)([smhd]?)$/.exec(text);
  return found === null ? undefined : Number(found[1]) * (UNITS[found[2] ?? ''] ?? 1);
}

export const sleep: Program = async (args, process) => {
  if (args.length === 0) return fail(process, 'sleep: missing operand');
  let seconds = 0;
  for (const arg of args) {
    const value = secondsOf(arg);
    if (value === undefined) return fail(process, `sleep: invalid number '${arg}'`);
    seconds += value;
  }
  const { clock } = process.machine;
  if (seconds * 1000 > MAX_SLEEP_MS) await aborted(process.signal);
  else await clock.sleep(seconds * 1000, process.signal);
  return process.signal.aborted ? 130 : 0;
};

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Times are in UTC. */
export const date: Program = async (args, process) => {
  const format = args.find((arg) => arg.startsWith('+'));
  const options = readOptions(
    args.filter((arg) => !arg.startsWith('+') && !arg.startsWith('-I')),
    {
      flags: 'uR',
      values: 'd',
      long: { utc: 'u', date: 'd' },
    },
  );
  if (options.operands.length > 0) return fail(process, "date: can't set date: Operation not permitted");
  const text = options.value('d');
  const timeMs = text === undefined || text === 'now' ? process.machine.clock.now() : readTime(text);
  if (timeMs === undefined) return fail(process, `date: invalid date '${text}'`);
  const iso = args.find((arg) => arg.startsWith('-I'));
  const chosen =
    format?.slice(1) ??
    (iso === undefined ? '%a %b %e %H:%M:%S UTC %Y' : iso.length > 2 ? '%Y-%m-%dT%H:%M:%S+00:00' : '%Y-%m-%d');
  await print(process, `${formatTime(timeMs, chosen)}\n`);
  return 0;
};

function readTime(text: string): number | undefined {
  const seconds = /^@(\d{1,12})$/.exec(text)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  if (!/^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?Z?)?$/.test(text)) return undefined;
  const ms = Date.parse(`${text.replace(' ', 'T').replace(/Z$/, '')}${text.length > 10 ? 'Z' : ''}`);
  return Number.isNaN(ms) ? undefined : ms;
}

function formatTime(timeMs: number, format: string): string {
  const time = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const yearStart = Date.UTC(time.getUTCFullYear(), 0, 1);
  const [day = '', month = ''] = [DAYS[time.getUTCDay()], MONTHS[time.getUTCMonth()]];
  const values: Readonly<Record<string, string>> = {
    Y: String(time.getUTCFullYear()),
    y: two(time.getUTCFullYear() % 100),
    m: two(time.getUTCMonth() + 1),
    d: two(time.getUTCDate()),
    e: String(time.getUTCDate()).padStart(2),
    H: two(time.getUTCHours()),
    I: two(time.getUTCHours() % 12 || 12),
    M: two(time.getUTCMinutes()),
    S: two(time.getUTCSeconds()),
    N: String(time.getUTCMilliseconds()).padStart(3, '0').padEnd(9, '0'),
    s: String(Math.floor(timeMs / 1000)),
    F: time.toISOString().slice(0, 10),
    T: time.toISOString().slice(11, 19),
    R: time.toISOString().slice(11, 16),
    D: `${two(time.getUTCMonth() + 1)}/${two(time.getUTCDate())}/${two(time.getUTCFullYear() % 100)}`,
    Z: 'UTC',
    z: '+0000',
    a: day.slice(0, 3),
    A: day,
    b: month.slice(0, 3),
    h: month.slice(0, 3),
    B: month,
    p: time.getUTCHours() < 12 ? 'AM' : 'PM',
    j: String(Math.floor((timeMs - yearStart) / 86_400_000) + 1).padStart(3, '0'),
    u: String(time.getUTCDay() || 7),
    w: String(time.getUTCDay()),
    n: '\n',
    t: '\t',
    '%': '%',
  };
  return format.replace(/%-?([A-Za-z%])/g, (all, letter: string) => {
    const value = values[letter] ?? all;
    return all.startsWith('%-') ? value.replace(/^[0 ]+(?=.)/, '') : value;
  });
}

/** `timeout [-s SIGNAL] [-k DURATION] DURATION program…` */
export const timeout: Program = async (args, process) => {
  const options = readOptions(args, { values: 'sk', stopsAtOperand: true, flags: 't' });
  const [duration = '', ...words] = options.operands;
  const seconds = secondsOf(duration);
  if (seconds === undefined || words.length === 0) throw new UsageError(`invalid number '${duration}'`);
  using scope = new AbortScope(process.signal);
  const { clock } = process.machine;
  let isLate = false;
  using _timer =
    seconds === 0 || seconds * 1000 > MAX_SLEEP_MS
      ? undefined
      : clock.timer(seconds * 1000, () => {
          isLate = true;
          scope.abort(new Error('timeout'));
        });
  const code = await process.run(words, { ...process, signal: scope.signal });
  return isLate ? TIMED_OUT : code;
};

const TIMED_OUT = 143;

/** Programs that run another one, and change nothing about it here. */
export const nohup: Program = async (args, process) => {
  const words = args[0] === '-n' ? args.slice(2) : args;
  return words.length === 0 ? 0 : process.run(words, process);
};

const MAX_CALLS = 10_000;

export const xargs: Program = async (args, process) => {
  const options = readOptions(args, {
    flags: 'r0tpox',
    values: 'nIPsLdE',
    long: { 'no-run-if-empty': 'r', null: '0', 'max-args': 'n', replace: 'I', 'max-procs': 'P' },
    stopsAtOperand: true,
  });
  const command = options.operands.length === 0 ? ['echo'] : options.operands;
  const text = (await readAll(process.stdin)).toString();
  const replaced = options.value('I');
  const delimiter = options.has('0') ? '\0' : options.value('d')?.replace('\\n', '\n');
  const items =
    delimiter !== undefined
      ? text.split(delimiter).filter((item) => item !== '')
      : replaced !== undefined || options.has('L')
        ? text
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== '')
        : wordsOf(text);
  const size = replaced !== undefined ? 1 : countOf(options.value('n') ?? options.value('L') ?? '5000');
  const calls: (readonly string[])[] = [];
  for (let at = 0; at < items.length; at += Math.max(1, size)) {
    const group = items.slice(at, at + Math.max(1, size));
    calls.push(
      replaced === undefined
        ? [...command, ...group]
        : command.map((word) => word.replaceAll(replaced, () => group[0] ?? '')),
    );
  }
  if (items.length === 0 && !options.has('r') && replaced === undefined) calls.push(command);
  if (calls.length > MAX_CALLS) return fail(process, 'xargs: argument list too long');
  const input = (async function* (): AsyncGenerator<Uint8Array> {
    // the items came from the standard input; programs have none
  })();
  let code = 0;
  for (const call of calls) {
    if (process.signal.aborted) return 130;
    const result = await process.run(call, { ...process, stdin: input });
    if (result === 127 || result === 126) return result;
    if (result === 255) return fail(process, `xargs: ${command[0]}: exited with status 255; aborting`, 124);
    if (result !== 0) code = 123;
  }
  return code;
};

/** Words with quotes and backslashes. */
function wordsOf(text: string): readonly string[] {
  const found = text.match(/(?:[^\s'"\\]|\\[\s\S]|'[^'\n]*'|"[^"\n]*")+/g) ?? [];
  return found.map((word) =>
    word.replace(
      /\\([\s\S])|'([^']*)'|"([^"]*)"/g,
      (_, escaped?: string, single?: string, double?: string) => escaped ?? single ?? double ?? '',
    ),
  );
}

/** Arithmetic, comparison and `TEXT : PATTERN`. */
export const expr: Program = async (args, process) => {
  const [left = '', operator, right = ''] = args;
  try {
    const value = exprValue(left, operator, right, args);
    await print(process, `${value}\n`);
    return value === '' || value === '0' ? 1 : 0;
  } catch (error) {
    if (error instanceof ShellFailure) return fail(process, `expr: ${error.message}`, 2);
    throw error;
  }
};

function exprValue(left: string, operator: string | undefined, right: string, args: readonly string[]): string {
  if (left === 'length' && args.length === 2) return String([...(operator ?? '')].length);
  if (left === 'length' && args.length === 1) throw new ShellFailure('syntax error');
  if (operator === undefined) return left;
  if (operator === ':' && args.length === 3) {
    const found = basicExpression(`^\\(${right}\\)`, {}).find(left, 0);
    if (found === undefined) return right.includes('\\(') ? '' : '0';
    return right.includes('\\(') ? (found.groups[2] ?? '') : String(found.groups[0]?.length ?? 0);
  }
  const isNumeric = args.every((arg) => /^(?:-?\d{1,18}|[-+*/%()]|[<>]=?|!=|==?)$/.test(arg));
  if (isNumeric) {
    const scope = { get: () => undefined, set: () => undefined };
    return String(evaluateArithmetic(args.map((arg) => (arg === '=' ? '==' : arg)).join(' '), scope));
  }
  if (args.length !== 3) throw new ShellFailure('syntax error');
  switch (operator) {
    case '=':
    case '==':
      return left === right ? '1' : '0';
    case '!=':
      return left === right ? '0' : '1';
    case '|':
      return left !== '' && left !== '0' ? left : right;
    case '&':
      return left !== '' && left !== '0' && right !== '' && right !== '0' ? left : '0';
    case '<':
      return left < right ? '1' : '0';
    case '>':
      return left > right ? '1' : '0';
    default:
      throw new ShellFailure('non-numeric argument');
  }
}

/** `md5sum`, `sha256sum` and their like. */
export function digestProgram(name: string, algorithm: string): Program {
  return async (args, process) => {
    const options = readOptions(args, { flags: 'bt' });
    return eachInput(options.operands, { program: name, process }, async (_, file) => {
      const hash = createHash(algorithm);
      for await (const bytes of bytesOf(file, process)) hash.update(bytes);
      await print(process, `${hash.digest('hex')}  ${file}\n`);
    });
  };
}

export const nproc: Program = async (_, process) => {
  await print(process, '1\n');
  return 0;
};
