// The programs of a simulated container besides the shell, by name.
import { fail, print, type Program, type ShellProcess } from '../process.ts';
import { bracketProgram, testProgram } from '../test-program.ts';
import { awk } from './awk.ts';
import {
  base64,
  basename,
  cat,
  chmod,
  chown,
  cp,
  dirname,
  find,
  ls,
  mkdir,
  mktemp,
  mv,
  realpath,
  rm,
  rmdir,
  stat,
  tee,
  touch,
} from './file-programs.ts';
import { grepProgram } from './grep.ts';
import { kill, pgrep } from './kill.ts';
import { echo, printf, seq, yes } from './print-text.ts';
import { UsageError } from './read-options.ts';
import { sed } from './sed.ts';
import {
  date,
  digestProgram,
  env,
  expr,
  hostname,
  id,
  nohup,
  nproc,
  printenv,
  sleep,
  timeout,
  uname,
  whoami,
  xargs,
} from './system-programs.ts';
import { tar } from './tar.ts';
import { cut, head, rev, sort, tac, tail, tr, uniq, wc } from './text-programs.ts';

export const programs: Readonly<Record<string, Program>> = {
  true: async () => 0,
  false: async () => 1,
  ':': async () => 0,
  '[': bracketProgram,
  awk,
  base64,
  basename,
  cat,
  chgrp: chown,
  chmod,
  chown,
  cp,
  cut,
  date,
  dirname,
  echo,
  egrep: grepProgram('E'),
  env,
  expr,
  fgrep: grepProgram('F'),
  find,
  grep: grepProgram(''),
  head,
  hostname,
  id,
  kill,
  ls,
  md5sum: digestProgram('md5sum', 'md5'),
  mkdir,
  mktemp,
  mv,
  nice: nohup,
  nohup,
  nproc,
  pgrep,
  printenv,
  printf,
  pwd: async (_, process) => {
    await print(process, `${process.directory}\n`);
    return 0;
  },
  readlink: realpath,
  realpath,
  rev,
  rm,
  rmdir,
  sed,
  seq,
  sha1sum: digestProgram('sha1sum', 'sha1'),
  sha256sum: digestProgram('sha256sum', 'sha256'),
  sleep,
  sort,
  stat,
  sync: async () => 0,
  tac,
  tail,
  tar,
  tee,
  test: testProgram,
  timeout,
  touch,
  tr,
  uname,
  uniq,
  wc,
  which: async (args, process) => {
    const found = args.filter((arg) => isProgram(arg));
    await print(process, found.map((name) => `/bin/${name}\n`).join(''));
    return found.length === args.length ? 0 : 1;
  },
  whoami,
  xargs,
  yes,
};

export function isProgram(name: string): boolean {
  return Object.hasOwn(programs, name) || SHELLS.has(name);
}

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash']);

/** Programs that the shell runs itself, as `echo`. */
export const INNER_PROGRAMS: ReadonlySet<string> = new Set(['echo', 'printf', 'test', '[', 'true', 'false']);

/** Runs a known program. Options that it does not have are a usage error. */
export async function runKnown(name: string, args: readonly string[], process: ShellProcess): Promise<number> {
  const program = programs[name];
  if (program === undefined) return 0;
  try {
    return await program(args, process);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return fail(process, `${name}: ${error.message}`, USAGE_CODES[name] ?? 1);
  }
}

/** Most programs exit with code 1 when they are used wrongly. */
const USAGE_CODES: Readonly<Record<string, number>> = {
  grep: 2,
  egrep: 2,
  fgrep: 2,
  ls: 2,
  sort: 2,
  env: 125,
  timeout: 125,
};
