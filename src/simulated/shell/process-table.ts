import { ShellFailure } from './shell-failure.ts';

/** The processes of a container at a time, as the pids controller of a cgroup limits them. */
const MAX_PROCESSES = 128;
/** The number of a container's main process. */
export const MAIN = 1;
/** The first number after those of the processes that a container usually has. */
const FIRST_PID = 7;

/** False when the process has no handler for the signal. */
type Deliver = (signal: number) => boolean;

export interface RunningProgram {
  readonly pid: number;
  readonly name: string;
}

/** The processes of a container: how many there are, and who receives signals. */
export class ProcessTable {
  readonly #receivers = new Map<number, Deliver>();
  readonly #running = new Set<RunningProgram>();
  #count = 0;
  #nextPid = FIRST_PID;

  /** Makes room for processes; disposing frees it. */
  reserve(count = 1): Disposable {
    if (this.#count + count > MAX_PROCESSES) throw new ShellFailure("can't fork: Resource temporarily unavailable");
    this.#count += count;
    return { [Symbol.dispose]: () => void (this.#count -= count) };
  }

  newPid(): number {
    return this.#nextPid++;
  }

  /** The programs that run, in the order in which they have started. */
  get running(): readonly RunningProgram[] {
    return [...this.#running];
  }

  /** A program runs until it is disposed. */
  enter(program: RunningProgram): Disposable {
    this.#running.add(program);
    return { [Symbol.dispose]: () => void this.#running.delete(program) };
  }

  /** Signals to the process are delivered there until it is disposed. */
  receive(pid: number, deliver: Deliver): Disposable {
    this.#receivers.set(pid, deliver);
    return { [Symbol.dispose]: () => void this.#receivers.delete(pid) };
  }

  deliver(pid: number, signal: number): 'handled' | 'unhandled' | 'missing' {
    const deliver = this.#receivers.get(pid);
    if (deliver === undefined && pid !== MAIN) return 'missing';
    return signal === 0 || deliver?.(signal) === true ? 'handled' : 'unhandled';
  }
}

/** The signals that have a name here, by number. */
export const SIGNALS: Readonly<Record<string, number>> = {
  EXIT: 0,
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ABRT: 6,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  CHLD: 17,
  CONT: 18,
  STOP: 19,
  WINCH: 28,
};

/** A signal by name, with or without `SIG`, or by number; undefined when there is none. */
export function signalNumber(text: string): number | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const name = text.toUpperCase().replace(/^SIG/, '');
  return Object.hasOwn(SIGNALS, name) ? SIGNALS[name] : undefined;
}
