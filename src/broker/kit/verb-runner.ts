import { type Logger, messageOf, randomUid, type Random } from '../../base/index.ts';
import { BrokerError } from '../protocol/broker-error.ts';
import type { BrokerVerb, OriginatingIdentity } from '../protocol/osb.ts';
import type { OperationRecord } from '../records/broker-records.ts';
import { BackgroundWork } from './background-work.ts';
import type { Asking } from './broker-answer.ts';
import type { BrokerWork } from './broker-definition.ts';

/** One request that changes something: what is remembered before, and after. */
export interface Job<Made> {
  readonly verb: BrokerVerb;
  /** Names the instance or binding. */
  readonly key: string;
  /** Remembers that it was begun; `operation` is there for work in the background. */
  begin(operation: OperationRecord | undefined): Promise<void>;
  work(work: BrokerWork): Promise<Made>;
  succeed(made: Made, operation: OperationRecord | undefined): Promise<void>;
  fail(error: BrokerError, operation: OperationRecord | undefined): Promise<void>;
  /** Remembers how far the work in the background is. */
  tell(operation: OperationRecord): Promise<void>;
}

export interface VerbRunnerParts {
  readonly log: Logger;
  readonly random: Random;
}

/** Runs what requests ask for: at once, or in the background. */
export class VerbRunner implements AsyncDisposable {
  readonly #log: Logger;
  readonly #random: Random;
  readonly #background: BackgroundWork;
  readonly #stop = new AbortController();

  constructor({ log, random }: VerbRunnerParts) {
    this.#log = log;
    this.#random = random;
    this.#background = new BackgroundWork(log);
  }

  /** Does the work before it returns. Throws a BrokerError. */
  async now<Made>(job: Job<Made>, { originator, requestId }: Asking): Promise<Made> {
    await job.begin(undefined);
    let made: Made;
    try {
      made = await job.work({ originator, requestId, signal: this.#stop.signal, progress: () => undefined });
    } catch (error) {
      const failure = this.#failureOf(error, job);
      await job.fail(failure, undefined);
      throw failure;
    }
    await job.succeed(made, undefined);
    return made;
  }

  /** Begins the work in the background. */
  async later<Made>(job: Job<Made>, { originator, requestId }: Asking): Promise<OperationRecord> {
    const id = `${job.verb}-${randomUid(this.#random)}`;
    const operation: OperationRecord = {
      id,
      verb: job.verb,
      state: 'in progress',
      ...(originator === undefined ? {} : { originator }),
    };
    await job.begin(operation);
    this.#start(job, operation, requestId);
    return operation;
  }

  /** Goes on with work that a former process has begun. */
  resume<Made>(job: Job<Made>, operation: OperationRecord): void {
    this.#start(job, operation, undefined);
  }

  giveUp(key: string): Promise<void> {
    return this.#background.giveUp(key);
  }

  /** Gives all work up; what is in the background goes on when the next process begins. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the broker stops'));
    await this.#background[Symbol.asyncDispose]();
  }

  #start<Made>(job: Job<Made>, operation: OperationRecord, requestId: string | undefined): void {
    this.#background.start(job.key, async (signal) => {
      let noted = operation;
      const progress = (description: string): void => {
        if (signal.aborted) return;
        noted = { ...noted, description };
        void job
          .tell(noted)
          .catch((error: unknown) => this.#log.warn('cannot note progress', { error: messageOf(error) }));
      };
      const originator: OriginatingIdentity | undefined = operation.originator;
      let made: Made;
      try {
        made = await job.work({ originator, requestId, signal, progress });
      } catch (error) {
        if (signal.aborted) return; // given up: the caller of giveUp notes what comes next
        const failure = this.#failureOf(error, job);
        const { isUsable, isRepeatable, message: description } = failure;
        await job.fail(failure, { ...operation, state: 'failed', description, isUsable, isRepeatable });
        return;
      }
      // a function that has not heard the signal: what it made is removed, or made again, by the work that follows
      if (!signal.aborted) await job.succeed(made, { ...operation, state: 'succeeded' });
    });
  }

  /** The failure that the platform sees: the broker's own words, or that there was one. */
  #failureOf(error: unknown, { verb, key }: Pick<Job<unknown>, 'verb' | 'key'>): BrokerError {
    this.#log.warn('the broker has failed', { verb, subject: key, error: messageOf(error) });
    if (error instanceof BrokerError) return error;
    return new BrokerError(500, 'The broker has failed, and its log says how', { cause: error });
  }
}
