import { SELECTED_NODE } from '../../api/meaning/index.ts';
import type { Random } from '../../base/index.ts';
import { hasReason, mergePatch, type Observed, PersistentVolumeClaim, type StorageClass } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import type { NodeDeployment } from './node-deployment.ts';

type Claim = Observed<PersistentVolumeClaim>;

const BASE_DELAY_MS = 20_000;
const MAX_DELAY_MS = 60_000;

/** An attempt to take a claim. */
interface Attempt {
  readonly dueMs: number;
  readonly count: number;
}

/**
 * Decides which node's process makes the volume of a claim that is bound at once, and so has no node: each waits for a random time, and the
 * first to write its node on the claim has it. A process whose node has no room lets others have it.
 */
export class ClaimContest {
  readonly #deployment: NodeDeployment;
  readonly #attempts = new Map<string, Attempt>();

  constructor(deployment: NodeDeployment) {
    this.#deployment = deployment;
  }

  /** Whether this process makes the volume now. If it may later, it asks for another run. */
  async isOurs(
    claim: Claim,
    storageClass: Observed<StorageClass>,
    { hasRoom, ...context }: ReconcileContext & { hasRoom(): Promise<boolean> },
  ): Promise<boolean> {
    const { nodeName, isForImmediateBinding = true } = this.#deployment;
    const { uid, annotations, resourceVersion } = claim.metadata;
    const selected = annotations?.[SELECTED_NODE] ?? '';
    if (selected !== '') {
      this.#attempts.delete(uid);
      return selected === nodeName;
    }
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' || !isForImmediateBinding) return false;
    const { clock, after, key, objects } = context;
    const attempt = this.#attempts.get(uid) ?? this.#next(uid, 0, context);
    if (clock.now() < attempt.dueMs) {
      after(attempt.dueMs - clock.now());
      return false;
    }
    after(this.#next(uid, attempt.count + 1, context).dueMs - clock.now());
    if (!(await hasRoom())) return false;
    const patch = mergePatch({ metadata: { resourceVersion, annotations: { [SELECTED_NODE]: nodeName } } });
    await objects(PersistentVolumeClaim)
      .patch(key, patch)
      .catch((error: unknown) => {
        if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error; // another one was faster
      });
    return false; // the change leads to another run
  }

  forget(uid: string): void {
    this.#attempts.delete(uid);
  }

  #next(
    uid: string,
    count: number,
    { clock, random }: Pick<ReconcileContext, 'clock'> & { readonly random: Random },
  ): Attempt {
    const { baseDelayMs = BASE_DELAY_MS, maxDelayMs = MAX_DELAY_MS } = this.#deployment;
    const delayMs = Math.min(maxDelayMs, baseDelayMs * 2 ** count) * random.float();
    const attempt = { dueMs: clock.now() + delayMs, count };
    this.#attempts.set(uid, attempt);
    return attempt;
  }
}
