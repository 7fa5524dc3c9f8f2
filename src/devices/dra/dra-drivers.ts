import { aborted, Backoff, messageOf, type Runnable } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { Checkpoints, ContainerEdits, ContainerSpec, DeviceEdits, PodClaim } from '../../node/index.ts';
import { ClaimCheckpoint, type ClaimState, type PreparedDevice } from './claim-checkpoint.ts';
import { chooseService, type ClaimReference, DraConnection, type DraTools } from './dra-connection.ts';

export interface DraDriversParts extends DraTools {
  readonly checkpoints: Checkpoints;
  /** Deletes the ResourceSlices of the node, of one driver or of all; where there is none, slices of drivers that are gone stay. */
  readonly removeSlices?: (driver: string | undefined) => Promise<void>;
}

/** A driver as it has registered; see `Plugin` of the plugin watcher. */
export interface RegisteredDriver {
  readonly name: string;
  readonly endpoint: string;
  readonly versions: readonly string[];
}

interface Claim extends ClaimReference {
  readonly podUids: Set<string>;
  readonly drivers: Map<string, readonly PreparedDevice[]>;
  /** Whether drivers have prepared it in this run of the agent. */
  isPrepared: boolean;
}

/** How long slices of a driver that is gone are kept: it may be updated. */
const WIPE_AFTER_MS = 30_000;
const WIPE_RETRY = { initialMs: 1000, capMs: 300_000, jitter: 0.2 };

/**
 * DRA drivers on a node: what a kubelet's DRA manager does. Claims are prepared before the first container of a pod starts, and unprepared
 * after the last pod that uses them has ended.
 */
export class DraDrivers implements Runnable, AsyncDisposable {
  /** Takes drivers from the plugin watcher. */
  readonly handler = {
    type: 'DRAPlugin',
    validate: (driver: RegisteredDriver): void => void this.#serviceOf(driver),
    register: (driver: RegisteredDriver): Promise<void> => this.#register(driver),
    deregister: (driver: RegisteredDriver): Promise<void> => this.#deregister(driver),
  };
  readonly #parts: DraDriversParts;
  readonly #checkpoint: ClaimCheckpoint;
  /** By namespace and name, as pods refer to them. */
  readonly #claims = new Map<string, Claim>();
  /** The last work on each claim. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Connections of each driver, the newest last: a driver that is updated has two for a while. */
  readonly #drivers = new Map<string, DraConnection[]>();
  readonly #wipes = new Map<string, Disposable>();
  readonly #stop = new AbortController();
  readonly #wiping = new Set<Promise<void>>();

  private constructor(parts: DraDriversParts) {
    this.#parts = parts;
    this.#checkpoint = new ClaimCheckpoint(parts.checkpoints);
  }

  /** Reads which claims pods of an earlier run of the agent use. */
  static async open(parts: DraDriversParts): Promise<DraDrivers> {
    const drivers = new DraDrivers(parts);
    for (const state of await drivers.#checkpoint.read()) drivers.#claims.set(keyOf(state), claimOf(state));
    return drivers;
  }

  /** Deletes slices of drivers that went away while no agent ran; drivers that are there publish theirs again. */
  async run(signal: AbortSignal): Promise<void> {
    this.#wipe(undefined);
    await aborted(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#wipes.values()) timer[Symbol.dispose]();
    for (const connections of this.#drivers.values())
      for (const connection of connections) await connection[Symbol.asyncDispose]();
    await Promise.all(this.#wiping);
  }

  async prepare(pod: Observed<Pod>, claims: readonly PodClaim[], signal: AbortSignal): Promise<DeviceEdits> {
    if (claims.length === 0) return new Map();
    const wanted = claims.map(({ claim }) => ({
      uid: claim.metadata.uid,
      name: claim.metadata.name,
      namespace: claim.metadata.namespace ?? '',
      drivers: [...new Set((claim.status?.allocation?.devices?.results ?? []).map(({ driver }) => driver))],
    }));
    try {
      await this.#inTurn(wanted.map(keyOf), () => this.#prepareClaims(pod.metadata.uid, wanted, signal));
    } catch (error) {
      throw new Error(`prepare dynamic resources: ${messageOf(error)}`, { cause: error });
    }
    return this.#edits(pod, claims);
  }

  /** Releases the claims of a pod whose containers have stopped. */
  async unprepare(podUid: string): Promise<void> {
    const keys = [...this.#claims].filter(([, { podUids }]) => podUids.has(podUid)).map(([key]) => key);
    if (keys.length === 0) return;
    try {
      await this.#inTurn(keys, () => this.#unprepareClaims(podUid, keys));
    } catch (error) {
      throw new Error(`unprepare dynamic resources: ${messageOf(error)}`, { cause: error });
    }
  }

  podUids(): readonly string[] {
    return [...new Set([...this.#claims.values()].flatMap(({ podUids }) => [...podUids]))];
  }

  async #prepareClaims(
    podUid: string,
    wanted: readonly (ClaimReference & { readonly drivers: readonly string[] })[],
    signal: AbortSignal,
  ): Promise<void> {
    const connections = new Map(
      wanted.flatMap(({ drivers }) => drivers).map((driver) => [driver, this.#connection(driver)]),
    );
    const claims = wanted.map((each) => this.#claimFor(each));
    for (const claim of claims) claim.podUids.add(podUid);
    await this.#store(); // before drivers do anything that has to be undone
    const missing = claims.filter(({ isPrepared }) => !isPrepared);
    for (const [driver, connection] of connections) {
      const batch = missing.filter(({ drivers }) => drivers.has(driver));
      if (batch.length === 0) continue;
      const devices = await connection.prepare(batch.map(referenceOf), signal);
      for (const claim of batch) claim.drivers.set(driver, devices.get(claim.uid) ?? []);
    }
    for (const claim of missing) claim.isPrepared = true;
    await this.#store();
  }

  #claimFor({ drivers, ...reference }: ClaimReference & { readonly drivers: readonly string[] }): Claim {
    const key = keyOf(reference);
    const found = this.#claims.get(key);
    if (found !== undefined && found.uid !== reference.uid)
      throw new Error(
        `old ResourceClaim with same name ${reference.name} and different UID ${found.uid} still exists (previous pod force-deleted?!)`,
      );
    const claim = found ?? {
      ...reference,
      podUids: new Set(),
      drivers: new Map<string, readonly PreparedDevice[]>(),
      isPrepared: false,
    };
    for (const driver of drivers) if (!claim.drivers.has(driver)) claim.drivers.set(driver, []);
    this.#claims.set(key, claim);
    return claim;
  }

  async #unprepareClaims(podUid: string, keys: readonly string[]): Promise<void> {
    const claims = keys.flatMap((key) => this.#claims.get(key) ?? []).filter(({ podUids }) => podUids.has(podUid));
    const last = claims.filter(({ podUids }) => podUids.size === 1);
    for (const driver of new Set(last.flatMap(({ drivers }) => [...drivers.keys()]))) {
      const batch = last.filter(({ drivers }) => drivers.has(driver));
      for (const claim of batch) claim.isPrepared = false; // a pod that comes now has it prepared again
      await this.#connection(driver).unprepare(batch.map(referenceOf));
    }
    for (const claim of claims) {
      claim.podUids.delete(podUid);
      if (claim.podUids.size === 0) this.#claims.delete(keyOf(claim));
    }
    await this.#store();
  }

  #edits(pod: Observed<Pod>, claims: readonly PodClaim[]): DeviceEdits {
    const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    return new Map(
      containers.flatMap((container): [string, ContainerEdits][] => {
        const names = requestsOf(pod, container).flatMap(({ claim: name, request }) => {
          const { claim } = claims.find((each) => each.name === name) ?? {};
          const state = claim && this.#claims.get(`${claim.metadata.namespace ?? ''}/${claim.metadata.name}`);
          return [...(state?.drivers.values() ?? [])].flat().flatMap(({ requests, cdiDevices }) => {
            const isMeant = request === undefined || requests.length === 0 || requests.includes(request);
            return isMeant ? cdiDevices : [];
          });
        });
        const cdiDevices = [...new Set(names)];
        return cdiDevices.length === 0
          ? []
          : [[container.name, { envs: [], mounts: [], devices: [], cdiDevices, annotations: {} }]];
      }),
    );
  }

  #serviceOf({ name, endpoint, versions }: RegisteredDriver): ReturnType<typeof chooseService> {
    try {
      return chooseService(versions);
    } catch (error) {
      throw new Error(
        `invalid supported gRPC versions of DRA driver plugin ${name} at endpoint ${endpoint}: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  async #register(driver: RegisteredDriver): Promise<void> {
    const { name, endpoint } = driver;
    const service = this.#serviceOf(driver);
    const connections = this.#drivers.get(name) ?? [];
    if (connections.some((each) => each.endpoint === endpoint))
      throw new Error(`endpoint ${endpoint} already registered for DRA driver plugin ${name}`);
    const { clock, random, log } = this.#parts;
    connections.push(new DraConnection(name, { endpoint, service }, { clock, random, log }));
    this.#drivers.set(name, connections);
    this.#wipes.get(name)?.[Symbol.dispose]();
    this.#wipes.delete(name);
  }

  async #deregister({ name, endpoint }: RegisteredDriver): Promise<void> {
    const connections = this.#drivers.get(name) ?? [];
    const gone = connections.find((each) => each.endpoint === endpoint);
    if (gone === undefined) return;
    const left = connections.filter((each) => each !== gone);
    if (left.length > 0) {
      this.#drivers.set(name, left);
    } else {
      this.#drivers.delete(name);
      const { clock } = this.#parts;
      this.#wipes.set(
        name,
        clock.timer(WIPE_AFTER_MS, () => {
          this.#wipes.delete(name);
          this.#wipe(name);
        }),
      );
    }
    await gone[Symbol.asyncDispose]();
  }

  #connection(driver: string): DraConnection {
    const newest = this.#drivers.get(driver)?.at(-1);
    if (newest === undefined) throw new Error(`DRA driver ${driver} is not registered`);
    return newest;
  }

  /** Deletes slices, trying until it succeeds. */
  #wipe(driver: string | undefined): void {
    const { removeSlices, clock, random, log } = this.#parts;
    if (removeSlices === undefined) return;
    const { signal } = this.#stop;
    const backoff = new Backoff(WIPE_RETRY, random);
    const wiping = (async () => {
      while (!signal.aborted && (driver === undefined || !this.#drivers.has(driver))) {
        try {
          return await removeSlices(driver);
        } catch (error) {
          log.debug('ResourceSlices cannot be deleted yet', { driver, error: messageOf(error) });
          await clock.sleep(backoff.nextMs(), signal);
        }
      }
    })();
    this.#wiping.add(wiping);
    void wiping.finally(() => this.#wiping.delete(wiping));
  }

  /** Runs when no other work on these claims does. */
  #inTurn<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#turns.get(key) ?? []);
    const result = Promise.all(before).then(work);
    const done = result.catch(() => undefined);
    for (const key of keys) this.#turns.set(key, done);
    void done.then(() => {
      for (const key of keys) if (this.#turns.get(key) === done) this.#turns.delete(key);
    });
    return result;
  }

  async #store(): Promise<void> {
    await this.#checkpoint.write(this.#claims.values());
  }
}

/** What a container refers to: claims of its pod, or requests of the claim that stands for its extended resources. */
function requestsOf(
  { status }: Observed<Pod>,
  { name, resources }: ContainerSpec,
): readonly { readonly claim: string; readonly request: string | undefined }[] {
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  return [
    ...(resources?.claims ?? []).map((each) => ({
      claim: each.name,
      request: each.request === '' ? undefined : each.request,
    })),
    ...mappings
      .filter(({ containerName }) => containerName === name)
      .map(({ requestName }) => ({ claim: '', request: requestName })),
  ];
}

function keyOf({ namespace, name }: Pick<ClaimReference, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function referenceOf({ uid, name, namespace }: ClaimReference): ClaimReference {
  return { uid, name, namespace };
}

function claimOf({ podUids, drivers, ...reference }: ClaimState): Claim {
  return { ...reference, podUids: new Set(podUids), drivers: new Map(drivers), isPrepared: false };
}
