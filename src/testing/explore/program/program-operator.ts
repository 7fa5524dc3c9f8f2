import { type Duration, millisecondsOf } from '../../../base/index.ts';
import type { TestCluster } from '../../test-cluster.ts';
import type { ExploredOperator, OperatorHost } from '../explored-operator.ts';
import type { Journal } from '../journal.ts';
import type { Problem } from '../problem.ts';
import type { ProgramScenario } from '../scenario.ts';
import { identityOf, type ProgramIdentity } from './program-identity.ts';
import { openProgramHost } from './program-host.ts';

const QUIET: Duration = '1s';
const PATIENCE: Duration = '30s';
/** How many quiet times a run waits that learns what time alone changes. */
const PAUSE_ROUNDS = 5;

/** An operator that is a program of any language: it runs as a process of the machine, in real time. */
export class ProgramOperator implements ExploredOperator<undefined> {
  readonly resources = [];
  readonly startAt = undefined;
  readonly isInRealTime = true;
  readonly isTraced = false;
  readonly parallel: number;
  readonly pauseMs: number;
  readonly #scenario: ProgramScenario;
  readonly #identity: ProgramIdentity;
  readonly #quietMs: number;

  constructor(scenario: ProgramScenario) {
    const { parallel = 1, quiet = QUIET } = scenario;
    if (!Number.isSafeInteger(parallel) || parallel < 1)
      throw new RangeError(`Cannot explore: parallel must be a whole number >= 1, got ${parallel}`);
    this.#scenario = scenario;
    this.#identity = identityOf(scenario.serviceAccount);
    this.#quietMs = millisecondsOf(quiet);
    this.parallel = parallel;
    this.pauseMs = PAUSE_ROUNDS * this.#quietMs;
  }

  get hasFormer(): boolean {
    return this.#scenario.formerRun !== undefined;
  }

  get name(): string {
    const { run } = this.#scenario;
    return typeof run === 'string' ? run : run.join(' ');
  }

  open(cluster: TestCluster): Promise<OperatorHost<undefined>> {
    const { run, formerRun = run, workingFolder, environment = {}, patience = PATIENCE } = this.#scenario;
    return openProgramHost(cluster, {
      command: run,
      formerCommand: formerRun,
      folder: workingFolder,
      environment,
      identity: this.#identity,
      quietMs: this.#quietMs,
      patienceMs: millisecondsOf(patience),
    });
  }

  repeatWords(plan: string): string {
    return `keelson explore … --plan '${plan.replaceAll("'", String.raw`'\''`)}'`;
  }

  /** Requests that its role does not allow. An administrator has all rights. */
  rightsProblems({ requests }: Journal): readonly Problem[] {
    const refused = new Set(requests.filter(({ code }) => code === 403).map(({ request }) => request));
    return [...refused].map((request) => ({
      oracle: 'rights',
      message: `"${request}" is forbidden to ${this.#identity.user}`,
      subject: request,
    }));
  }
}
