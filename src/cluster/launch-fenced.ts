import { type Cluster, launchCluster } from './cluster.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { type HeapListener, HeapWatch } from './heap-watch.ts';
import type { ProgramFence } from './program-fence.ts';
import { StartRecord } from './start-record.ts';

export interface FencedOptions extends Omit<ClusterOptions, 'beforePrograms'> {
  /** Where it is recorded that a start is under way; default: nowhere, for a store that does not outlive the process. */
  readonly dataFolder?: string | undefined;
  /** Tells the person at the terminal that programs are off, or on again. */
  say(text: string): void;
}

/** How to get programs back that earlier starts died of. */
const AFTER_DEATHS =
  'the API serves: delete the object that controllers, scheduler or nodes fail on, then stop and start again to run them';
const WITHOUT_MEMORY = 'the API serves: delete objects, and they run again when there is room';

/**
 * A cluster that is all there is in its process: nothing that its programs do ends the process, as far as one process allows. They are
 * off after starts that died of them, and while they leave no memory.
 */
export async function launchFenced(options: FencedOptions): Promise<FencedCluster> {
  const { dataFolder, say, ...own } = options;
  let record: StartRecord | undefined;
  const beforePrograms = async (): Promise<string | undefined> => {
    if (dataFolder !== undefined) record = await StartRecord.begin(dataFolder, options.clock);
    return record?.heldBack;
  };
  try {
    const cluster = await launchCluster({ ...own, beforePrograms });
    const { heldBack } = cluster.fence;
    if (heldBack !== undefined) say(`programs are off: ${heldBack}; ${AFTER_DEATHS}`);
    return new FencedCluster(cluster, record, options);
  } catch (error) {
    await record?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** Disposing of it stops the cluster in good order. */
export class FencedCluster implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly #record: StartRecord | undefined;
  readonly #watch: Disposable;
  readonly #uncaught: Disposable;

  /** Use `launchFenced`. */
  constructor(
    cluster: Cluster,
    record: StartRecord | undefined,
    options: Pick<FencedOptions, 'say' | 'log' | 'clock'>,
  ) {
    const { say, log, clock } = options;
    const { fence } = cluster;
    this.cluster = cluster;
    this.#record = record;
    this.#uncaught = onUncaught(fence);
    const listener: HeapListener = {
      onFull({ usedMb, limitMb }) {
        const why = `objects fill ${usedMb} of ${limitMb} MB of the heap`;
        log.error('programs are off until there is memory', { usedMb, limitMb });
        say(`programs are off: ${why}; ${WITHOUT_MEMORY}`);
        fence.hold('memory', why);
      },
      onRoomy() {
        log.warn('there is memory again, programs may run');
        fence.release('memory');
        if (fence.heldBack === undefined) say('programs are on again');
      },
    };
    this.#watch = new HeapWatch(listener, { clock });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await this.cluster[Symbol.asyncDispose]();
    this.#uncaught[Symbol.dispose]();
    await this.#record?.[Symbol.asyncDispose]();
  }
}

/** Takes errors that no code handles as the programs', until the result is disposed of. Those of the server end the process as before. */
function onUncaught(fence: ProgramFence): Disposable {
  const take = (error: unknown): void => {
    const isTerminalGone = (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
    if (isTerminalGone || !fence.takeUncaught(error)) throw error;
  };
  process.on('uncaughtException', take);
  return { [Symbol.dispose]: () => void process.off('uncaughtException', take) };
}
