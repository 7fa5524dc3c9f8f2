import { AbortScope } from '../../../base/index.ts';
import { type Client, hasReason, Lease } from '../../../client/index.ts';
import { LeaderElection, type LeaderElectionOptions, LeadershipLostError } from '../../../kit/index.ts';

const NAMESPACE = 'kube-system';
const LOOK_EVERY_MS = 2000;

export interface HeldNodes extends Pick<LeaderElectionOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'> {
  /** What the nodes of a process are called together. */
  readonly name: string;
  /** The identity of this process among those that may want them. */
  readonly identity: string;
}

/**
 * Runs nodes while no other process runs nodes of the same name, which would fight over their pods.
 *
 * Waits for a process that has crashed until its lease has expired. A process that is alive keeps the nodes: rejects with
 * the reason. A process that held them and lost them, such as one that was suspended for long, waits for them again.
 */
export async function holdNodes(
  client: Client,
  held: HeldNodes,
  { work, signal }: { readonly work: (signal: AbortSignal) => Promise<void>; readonly signal: AbortSignal },
): Promise<void> {
  const options = { ...held, name: leaseName(held), namespace: NAMESPACE };
  const recorder = { event: () => undefined };
  for (let hasLed = false; !signal.aborted;) {
    using waiting = new AbortScope(signal);
    using attempt = new AbortScope(signal);
    const election = new LeaderElection(client, options, { log: client.log, recorder });
    const others = hasLed ? undefined : refuseLiveHolder(client, held, waiting.signal);
    const leading = election.lead(async (term) => {
      hasLed = true;
      waiting.abort();
      await work(term);
    }, attempt.signal);
    try {
      await (others === undefined ? leading : Promise.race([leading, others.then(() => leading)]));
    } catch (error) {
      if (!(error instanceof LeadershipLostError)) {
        attempt.abort();
        await leading.catch(() => undefined); // the other error is the one that counts
        throw error;
      }
      client.log.warn('nodes lost to another process, or to time', { nodes: held.name });
    }
  }
}

/** Resolves when the signal aborts; rejects as soon as another process is seen to renew its lease. */
async function refuseLiveHolder(client: Client, held: HeldNodes, signal: AbortSignal): Promise<void> {
  let before: Lease['spec'];
  while (!signal.aborted) {
    const now = (await leaseOf(client, held, signal))?.spec;
    const holder = now?.holderIdentity ?? '';
    const isOther = holder !== '' && holder !== held.identity;
    if (isOther && before?.holderIdentity === holder && before.renewTime !== now?.renewTime) throw isHeld(held, holder);
    before = now;
    await client.clock.sleep(LOOK_EVERY_MS, signal);
  }
}

async function leaseOf(client: Client, held: HeldNodes, signal: AbortSignal): Promise<Lease | undefined> {
  try {
    return await client.kindIn(Lease, NAMESPACE).get(leaseName(held), { signal, maxRetries: 0 });
  } catch (error) {
    if (!signal.aborted && !hasReason(error, 'NotFound')) client.log.debug('lease of nodes not reached', { error });
    return undefined;
  }
}

function leaseName({ name }: HeldNodes): string {
  return `keelson-nodes-${name}`;
}

function isHeld({ name }: HeldNodes, holder: string): Error {
  const wish = 'give this one another name for its nodes, or no nodes';
  return new Error(`Cannot run nodes "${name}": process "${holder}" runs them; ${wish}`);
}
