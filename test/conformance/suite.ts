import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { type ConformanceTest, focusOf } from './classes.ts';
import { type Outcome, readOutcomes, readSuiteFailure } from './outcomes.ts';
import type { ServerAbilities } from './server-abilities.ts';

/** The programs a run needs. */
export interface SuitePrograms {
  readonly ginkgo: string;
  readonly suite: string;
  readonly kubectl: string;
}

export interface SuiteOptions {
  readonly programs: SuitePrograms;
  readonly kubeconfig: string;
  readonly abilities: ServerAbilities;
  /** Takes junit.xml, report.json and output.log. */
  readonly output: string;
  /** Tests at a time; those that must be alone run after the others. */
  readonly processes: number;
  readonly timeoutMinutes: number;
  /** How long one test may take, unless it is known to be slow. */
  readonly limitSeconds: number;
  /** Further flags of the suite. */
  readonly flags?: readonly string[];
  readonly print: (line: string) => void;
}

/** Runs the tests; an error means that the suite itself did not get so far. */
export async function runSuite(tests: readonly ConformanceTest[], options: SuiteOptions): Promise<Outcome[]> {
  const { output, programs } = options;
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const child = spawn(programs.ginkgo, suiteArguments(tests, options), {
    cwd: output,
    env: { ...process.env, KUBECONFIG: options.kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGTERM'); // the suite cleans up and reports what it has
  process.once('SIGINT', kill);
  const ended = once(child, 'close');
  const log = createWriteStream(join(output, 'output.log'));
  const counter = new ProgressCounter(tests.length, options.print);
  createInterface({ input: child.stdout }).on('line', (line) => counter.read(line));
  child.stderr.pipe(log, { end: false });
  await pipeline(child.stdout, log);
  await ended;
  process.removeListener('SIGINT', kill);
  return readRun(tests, output);
}

async function readRun(tests: readonly ConformanceTest[], output: string): Promise<Outcome[]> {
  let report: string;
  try {
    report = await readFile(join(output, 'report.json'), 'utf8');
  } catch (cause) {
    throw new Error(`The suite left no report; see "${join(output, 'output.log')}"`, { cause });
  }
  const failure = readSuiteFailure(report);
  if (failure !== undefined) throw new Error(`The suite failed as a whole: ${failure}`);
  const outcomes = readOutcomes(
    report,
    tests.map(({ name }) => name),
  );
  return outcomes;
}

/** Ginkgo's command line: its own flags, the suite, and the suite's flags for what the server can do. */
export function suiteArguments(tests: readonly ConformanceTest[], options: SuiteOptions): string[] {
  const { programs, output, processes, timeoutMinutes, limitSeconds, kubeconfig, abilities } = options;
  return [
    'run',
    `--procs=${processes}`,
    `--timeout=${timeoutMinutes}m`,
    '--grace-period=10s',
    `--focus=${focusOf(tests)}`,
    `--output-dir=${output}`,
    '--json-report=report.json',
    '--junit-report=junit.xml',
    '--no-color',
    '-v',
    programs.suite,
    '--',
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${programs.kubectl}`,
    `--spec-limit=${limitSeconds}s`,
    `--slow-specs=${slowSpecs(tests)}`,
    '--provider=skeleton',
    '--dump-logs-on-failure=false',
    '--disable-log-dump=true',
    `--e2e-verify-service-account=${abilities.fillsNamespaces}`,
    `--delete-namespace=${abilities.removesNamespaces}`,
    ...(abilities.nodes === 0 ? ['--num-nodes=0', '--allowed-not-ready-nodes=-1'] : []),
    ...(options.flags ?? []),
  ];
}

/** The tests that are slow by nature, as the suite wants to hear them: names without the labels at the end. */
function slowSpecs(tests: readonly ConformanceTest[]): string {
  const slow = tests.filter(({ name }) => name.includes('[Slow]'));
  return JSON.stringify(slow.map(({ name }) => name.replace(/( \[[^\]]*\])*$/, '')));
}

/** Counts tests as they end, by the lines Ginkgo writes about them. */
class ProgressCounter {
  readonly #total: number;
  readonly #print: (line: string) => void;
  #done = 0;

  constructor(total: number, print: (line: string) => void) {
    this.#total = total;
    this.#print = print;
  }

  read(line: string): void {
    const match = /^• (\[FAILED\] |\[TIMEDOUT\] |\[PANICKED\] )?\[(\d+\.\d+) seconds\]/.exec(line);
    if (match === null) return;
    this.#done += 1;
    if (this.#done % 10 === 0 || this.#done === this.#total) this.#print(`  ${this.#done}/${this.#total}`);
  }
}
