import { fail, print, type Program, type ShellProcess } from '../process.ts';
import { MAIN, signalNumber, SIGNALS } from '../process-table.ts';

/** Sends a signal to processes. `own` takes the signals of the shell itself. */
export async function sendSignals(
  args: readonly string[],
  process: ShellProcess,
  own: (pid: number, signal: number) => boolean,
): Promise<number> {
  const words = [...args];
  let signal: number | undefined = SIGNALS.TERM;
  if (words[0] === '-l') {
    await print(process, `${Object.keys(SIGNALS).slice(1).join(' ')}\n`);
    return 0;
  }
  if (words[0] === '-s') {
    words.shift();
    signal = signalNumber(words.shift() ?? '');
  } else if (words[0] === '--') {
    words.shift();
  } else if (words[0]?.startsWith('-') === true) {
    signal = signalNumber(words.shift()?.slice(1) ?? '');
  }
  if (signal === undefined) return fail(process, 'sh: kill: invalid signal specification');
  if (words.length === 0) return fail(process, 'sh: kill: you need to specify whom to kill', 2);
  let code = 0;
  for (const word of words) {
    const pid = Number(word.replace('%', ''));
    if (!Number.isInteger(pid)) code = await fail(process, `sh: kill: invalid number '${word}'`);
    else if (!own(pid, signal)) code = await deliver(pid, signal, process);
  }
  return code;
}

async function deliver(pid: number, signal: number, process: ShellProcess): Promise<number> {
  const { processes, signalMain } = process.machine;
  const result = processes.deliver(Math.abs(pid), signal);
  if (result === 'missing') return fail(process, `sh: can't kill pid ${pid}: No such process`);
  if (result === 'unhandled' && pid === MAIN) signalMain?.(signal);
  return 0;
}

export const kill: Program = (args, process) => sendSignals(args, process, () => false);

/** Prints the numbers of the processes whose name contains the text; of itself not. */
export const pgrep: Program = async ([text = ''], process) => {
  const own = process.machine.processes.running.findLast(({ name }) => name === 'pgrep');
  const found = process.machine.processes.running.filter((each) => each !== own && each.name.includes(text));
  await print(process, found.map(({ pid }) => `${pid}\n`).join(''));
  return found.length === 0 ? 1 : 0;
};
