import { posix } from 'node:path';
import { FileError } from './file-tree.ts';
import { fail, pathOf, print, type Program, readAll, type ShellProcess } from './process.ts';
import { tar } from './tar.ts';
import { testProgram } from './test-program.ts';

const MAX_INPUT_BYTES = 1024 * 1024;

/** The programs of a simulated container besides the shell, by name. */
export const programs: Readonly<Record<string, Program>> = {
  true: async () => 0,
  false: async () => 1,
  ':': async () => 0,
  echo: async (args, process) => {
    const isOpen = args[0] === '-n';
    await print(process, `${args.slice(isOpen ? 1 : 0).join(' ')}${isOpen ? '' : '\n'}`);
    return 0;
  },
  pwd: async (_, process) => {
    await print(process, `${process.directory}\n`);
    return 0;
  },
  hostname: async (_, process) => {
    await print(process, `${process.machine.hostname}\n`);
    return 0;
  },
  env: (_, process) => printVariables([], process),
  printenv: printVariables,
  whoami: async (_, process) => {
    await print(process, 'root\n');
    return 0;
  },
  id: async (_, process) => {
    await print(process, 'uid=0(root) gid=0(root) groups=0(root)\n');
    return 0;
  },
  date: async (_, process) => {
    await print(process, `${new Date(process.machine.clock.now()).toUTCString()}\n`);
    return 0;
  },
  sleep,
  cat: (args, process) =>
    eachFile('cat', args.length === 0 ? ['-'] : args, process, async (path, given) => {
      if (given !== '-') return process.stdout(process.machine.files.read(path));
      for await (const bytes of process.stdin) {
        if (process.signal.aborted) return;
        await process.stdout(bytes);
      }
    }),
  ls,
  mkdir: (args, process) => {
    const makesParents = args.some((arg) => /^-\w*p/.test(arg));
    const { files, clock } = process.machine;
    return eachFile('mkdir', operands(args), process, async (path) => {
      if (makesParents) files.makeDirectories(path, clock.now());
      else files.makeDirectory(path, clock.now());
    });
  },
  rm: (args, process) => {
    const options = args.filter((arg) => arg.startsWith('-')).join('');
    const { files } = process.machine;
    return eachFile('rm', operands(args), process, async (path) => {
      const entry = files.get(path);
      if (entry === undefined && options.includes('f')) return;
      if (entry === undefined) throw new FileError('No such file or directory');
      if (entry.type === 'directory' && !/[rR]/.test(options)) throw new FileError('Is a directory');
      files.remove(path);
    });
  },
  touch: (args, process) => {
    const { files, clock } = process.machine;
    return eachFile('touch', operands(args), process, async (path) => {
      const entry = files.get(path);
      if (entry?.type === 'directory') return;
      files.write(path, entry?.bytes ?? new Uint8Array(), { nowMs: clock.now() });
    });
  },
  tee: async (args, process) => {
    const bytes = await readAll(process.stdin, MAX_INPUT_BYTES);
    const { files, clock } = process.machine;
    await process.stdout(bytes);
    return eachFile('tee', operands(args), process, async (path) => files.write(path, bytes, { nowMs: clock.now() }));
  },
  tail: lastBytes,
  wc: async (args, process) => {
    const text = (await readAll(process.stdin, MAX_INPUT_BYTES)).toString('latin1');
    const lines = text.split('\n').length - 1;
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    const counts = { '-l': [lines], '-w': [words], '-c': [text.length] }[args[0] ?? ''] ?? [lines, words, text.length];
    await print(process, `${counts.join(' ')}\n`);
    return 0;
  },
  tar,
  test: testProgram,
  '[': (args, process) =>
    args.at(-1) === ']' ? testProgram(args.slice(0, -1), process) : fail(process, '[: missing ]', 2),
};

function operands(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !arg.startsWith('-') || arg === '-');
}

/** Applies a function to each file; prints an error for one that fails, and continues with the others. */
async function eachFile(
  program: string,
  names: readonly string[],
  process: ShellProcess,
  act: (path: string, given: string) => Promise<void>,
): Promise<number> {
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

async function printVariables(args: readonly string[], process: ShellProcess): Promise<number> {
  const { environment } = process;
  if (args.length === 0) {
    await print(process, [...environment].map(([name, value]) => `${name}=${value}\n`).join(''));
    return 0;
  }
  const values = args.map((name) => environment.get(name));
  await print(process, values.map((value) => (value === undefined ? '' : `${value}\n`)).join(''));
  return values.includes(undefined) ? 1 : 0;
}

async function sleep(args: readonly string[], process: ShellProcess): Promise<number> {
  const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };
  let seconds = 0;
  for (const arg of args) {
    if (arg === 'infinity') seconds = Infinity;
    const found = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(arg);
    if (found === null && arg !== 'infinity') return fail(process, `sleep: invalid time interval '${arg}'`);
    seconds += Number(found?.[1] ?? 0) * (units[found?.[2] ?? ''] ?? 1);
  }
  if (args.length === 0) return fail(process, 'sleep: missing operand');
  await process.machine.clock.sleep(Math.min(seconds * 1000, MAX_SLEEP_MS), process.signal);
  return process.signal.aborted ? 130 : 0;
}

/** The longest delay of a timer. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

async function ls(args: readonly string[], process: ShellProcess): Promise<number> {
  const { files } = process.machine;
  const options = args.filter((arg) => arg.startsWith('-')).join('');
  const names = operands(args);
  const line = (path: string, name: string): string => {
    const entry = files.get(path);
    if (entry === undefined || !options.includes('l')) return `${name}\n`;
    const kind = entry.type === 'directory' ? 'd' : '-';
    const bits = [...entry.mode.toString(8).padStart(3, '0').slice(-3)].map((digit) => RIGHTS[Number(digit)]).join('');
    const size = entry.type === 'file' ? entry.bytes.length : 0;
    const time = new Date(entry.modifiedMs).toISOString().slice(0, 16).replace('T', ' ');
    return `${kind}${bits} 1 root root ${String(size).padStart(8)} ${time} ${name}\n`;
  };
  return eachFile('ls', names.length === 0 ? ['.'] : names, process, async (path, given) => {
    const entry = files.get(path);
    if (entry === undefined) throw new FileError('No such file or directory');
    if (entry.type === 'file') return print(process, line(path, given));
    const shown = files.names(path).filter((name) => !name.startsWith('.') || options.includes('a'));
    const heading = names.length > 1 ? `${given}:\n` : '';
    await print(process, heading + shown.map((name) => line(posix.join(path, name), name)).join(''));
  });
}

const RIGHTS = ['---', '--x', '-w-', '-wx', 'r--', 'r-x', 'rw-', 'rwx'];

/** `tail -c +N`, with which `kubectl cp` resumes after a lost connection; without it, the last ten lines. */
async function lastBytes(args: readonly string[], process: ShellProcess): Promise<number> {
  const from = /^-c\s?\+(\d+)$/.exec(args.join(' '))?.[1];
  if (from === undefined) {
    const lines = (await readAll(process.stdin, MAX_INPUT_BYTES)).toString('latin1').split(/(?<=\n)/);
    await process.stdout(Buffer.from(lines.slice(-10).join(''), 'latin1'));
    return 0;
  }
  let skipped = Math.max(0, Number(from) - 1);
  for await (const bytes of process.stdin) {
    const rest = bytes.subarray(Math.min(skipped, bytes.length));
    skipped -= bytes.length - rest.length;
    if (rest.length > 0) await process.stdout(rest);
  }
  return 0;
}
