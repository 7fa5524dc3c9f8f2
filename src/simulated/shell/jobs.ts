import type { ShellMachine } from './process.ts';

interface Job {
  readonly pid: number;
  readonly ended: Promise<number>;
  isOver: boolean;
}

/** Finished jobs whose exit code a later `wait` can still ask for. */
const MAX_JOBS = 128;

/** The commands that a shell has started in the background. */
export class Jobs {
  readonly #machine: ShellMachine;
  readonly #jobs = new Map<number, Job>();

  constructor(machine: ShellMachine) {
    this.#machine = machine;
  }

  /** Returns the number of the process. */
  add(work: Promise<number>, deliver: (signal: number) => void): number {
    const { processes } = this.#machine;
    const pid = processes.newPid();
    let killedBy: number | undefined;
    const receiver = processes.receive(pid, (signal) => {
      killedBy = signal;
      deliver(signal);
      return true;
    });
    const ended = work
      .then((code) => (killedBy !== undefined && code === INTERRUPTED ? SIGNALLED + killedBy : code))
      .catch(() => 1)
      .finally(() => receiver[Symbol.dispose]());
    const job: Job = { pid, ended, isOver: false };
    void ended.then(() => (job.isOver = true));
    this.#jobs.set(pid, job);
    if (this.#jobs.size > MAX_JOBS) this.#forget();
    return pid;
  }

  /** The jobs that run. */
  get running(): readonly number[] {
    return [...this.#jobs.values()].filter(({ isOver }) => !isOver).map(({ pid }) => pid);
  }

  /** The exit code of a job when it has ended; undefined when there is no such job. */
  ended(pid: number): Promise<number> | undefined {
    return this.#jobs.get(pid)?.ended;
  }

  /** Resolves when all jobs have ended. */
  async allEnded(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  #forget(): void {
    for (const [pid, { isOver }] of this.#jobs) {
      if (!isOver) continue;
      this.#jobs.delete(pid);
      return;
    }
  }
}

const INTERRUPTED = 130;
const SIGNALLED = 128;
