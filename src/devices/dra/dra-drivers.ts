import { lookUpClaim } from '../../api/meaning/index.ts';
import { aborted, Backoff, type Clock, KeyedTurns, messageOf, type Runnable } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type {
  Checkpoints,
  ClaimedDevice,
  ContainerClaim,
  ContainerEdits,
  ContainerSpec,
  DeviceEdits,
  PodClaim,
} from '../../node/index.ts';
import { ClaimCheckpoint, type ClaimState, type PreparedDevice } from './claim-checkpoint.ts';
import type { DeviceKey } from './device-health.ts';
import { chooseService, type ClaimReference, DraConnection, type DraTools } from './dra-connection.ts';
import { DraMetrics } from './dra-metrics.ts';

export interface DraDriversParts extends DraTools {
  readonly checkpoints: Checkpoints;
  /** Deletes the ResourceSlices of the node, of one driver or of all; where there is none, slices of drivers that are gone stay. */
  readonly removeSlices?: (driver: string | undefined) => Promise<void>;
  /** Devices of a pod have changed their health. */
  readonly podChanged?: (podUid: string) => void;
  /** The time that drivers live in, where it is not that of the node; default `clock`. */
  readonly driverClock?: Clock;
  /** Drivers whose devices need no program on the node, such as simulated ones; they are never called. Default none. */
  readonly builtIn?: ReadonlySet<string>;
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
  readonly metrics = new DraMetrics(() => this.#claimsInUse());
  readonly #parts: DraDriversParts;
  readonly #checkpoint: ClaimCheckpoint;
  /** By namespace and name, as pods refer to them. */
  readonly #claims = new Map<string, Claim>();
  readonly #turns = new KeyedTurns();
  /** Connections of each driver, the newest last: a driver that is updated has two for a while. */
  readonly #drivers = new Map<string, DraConnection[]>();
  readonly #wipes = new Map<string, Disposable>();
  readonly #stop = new AbortController();
  readonly #wiping = new Set<Promise<void>>();
  readonly #working = new Set<Promise<unknown>>();

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
    await Promise.allSettled(this.#working); // the next agent must not find this one writing
    await Promise.all(this.#wiping);
  }

  async prepare(pod: Observed<Pod>, claims: readonly PodClaim[], signal: AbortSignal): Promise<DeviceEdits> {
    if (claims.length === 0) return new Map();
    const wanted = claims.map(({ claim }) => ({
      uid: claim.metadata.uid,
      name: claim.metadata.name,
      namespace: claim.metadata.namespace ?? '',
      drivers: this.#driversOf(claim),
    }));
    await this.#measured('PrepareResources', async () => {
      for (const { claim } of claims)
        if (claim.status?.allocation === undefined)
          throw new Error(`ResourceClaim ${claim.metadata.name}: not allocated`);
      await this.#inTurn(wanted.map(keyOf), () => this.#prepareClaims(pod.metadata.uid, wanted, signal));
    });
    return this.#edits(pod, claims);
  }

  /** Releases the claims of a pod whose containers have stopped. */
  async unprepare(podUid: string): Promise<void> {
    const keys = [...this.#claims].filter(([, { podUids }]) => podUids.has(podUid)).map(([key]) => key);
    if (keys.length === 0) return;
    await this.#measured('UnprepareResources', () => this.#inTurn(keys, () => this.#unprepareClaims(podUid, keys)));
  }

  /** The prepared claims that a container refers to. */
  claimed(pod: Observed<Pod>, container: ContainerSpec): readonly ContainerClaim[] {
    const names = new Set(requestsOf(pod, container).map(({ claim }) => claim));
    return [...names].flatMap((name): ContainerClaim[] => {
      const claimName = claimNameOf(pod, name);
      const claim = this.#claims.get(`${pod.metadata.namespace ?? ''}/${claimName ?? ''}`);
      if (claim?.podUids.has(pod.metadata.uid) !== true) return [];
      const devices = [...claim.drivers].flatMap(([driver, list]) =>
        list.map((device): ClaimedDevice => ({ ...device, driver, ...this.#healthOf(driver, device) })),
      );
      return [{ name, claimName: claim.name, claimNamespace: claim.namespace, devices }];
    });
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
    for (const each of wanted) this.#checkUid(each);
    const claims = wanted.map((each) => this.#claimFor(each, podUid));
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

  #checkUid({ uid, name, namespace }: ClaimReference): void {
    const found = this.#claims.get(keyOf({ namespace, name }));
    if (found !== undefined && found.uid !== uid)
      throw new Error(
        `old ResourceClaim with same name ${name} and different UID ${found.uid} still exists (previous pod force-deleted?!)`,
      );
  }

  #claimFor(
    { drivers, ...reference }: ClaimReference & { readonly drivers: readonly string[] },
    podUid: string,
  ): Claim {
    const key = keyOf(reference);
    const claim = this.#claims.get(key) ?? {
      ...reference,
      podUids: new Set(),
      drivers: new Map<string, readonly PreparedDevice[]>(),
      isPrepared: false,
    };
    for (const driver of drivers) if (!claim.drivers.has(driver)) claim.drivers.set(driver, []);
    claim.podUids.add(podUid);
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
    const { clock, driverClock = clock, random, log } = this.#parts;
    connections.push(
      new DraConnection(name, {
        ...{ endpoint, service, clock: driverClock, random, log, metrics: this.metrics },
        connectionChanged: () => this.#awaitWipe(name),
        healthChanged: (devices) => this.#healthChanged(name, devices),
      }),
    );
    this.#drivers.set(name, connections);
    this.#awaitWipe(name);
  }

  async #deregister({ name, endpoint }: RegisteredDriver): Promise<void> {
    const connections = this.#drivers.get(name) ?? [];
    const gone = connections.find((each) => each.endpoint === endpoint);
    if (gone === undefined) return;
    const left = connections.filter((each) => each !== gone);
    if (left.length > 0) this.#drivers.set(name, left);
    else this.#drivers.delete(name);
    this.#awaitWipe(name);
    await gone[Symbol.asyncDispose]();
  }

  /** The newest one that is connected, else the newest one. */
  #connection(driver: string): DraConnection {
    const connections = this.#drivers.get(driver) ?? [];
    const chosen = connections.findLast(({ isConnected }) => isConnected) ?? connections.at(-1);
    if (chosen === undefined) throw new Error(`DRA driver ${driver} is not registered`);
    return chosen;
  }

  #isUsable(driver: string): boolean {
    return (this.#drivers.get(driver) ?? []).some(({ isConnected }) => isConnected);
  }

  /** Plans that the slices of a driver are deleted if it cannot be reached, and gives that up when it can. */
  #awaitWipe(driver: string): void {
    if (this.#isUsable(driver) || this.#stop.signal.aborted) {
      this.#wipes.get(driver)?.[Symbol.dispose]();
      this.#wipes.delete(driver);
    } else if (!this.#wipes.has(driver)) {
      const { clock } = this.#parts;
      this.#wipes.set(
        driver,
        clock.timer(WIPE_AFTER_MS, () => {
          this.#wipes.delete(driver);
          this.#wipe(driver);
        }),
      );
    }
  }

  #healthOf(driver: string, device: DeviceKey): Pick<ClaimedDevice, 'health' | 'message'> {
    for (const connection of (this.#drivers.get(driver) ?? []).toReversed()) {
      const known = connection.healthOf(device);
      if (known !== undefined) return { health: known.health, message: known.message };
    }
    return { health: 'Unknown', message: '' };
  }

  #healthChanged(driver: string, devices: readonly DeviceKey[]): void {
    const changed = new Set(devices.map(({ pool, device }) => `${pool}/${device}`));
    const pods = new Set<string>();
    for (const { drivers, podUids } of this.#claims.values())
      if (drivers.get(driver)?.some(({ pool, device }) => changed.has(`${pool}/${device}`)))
        for (const uid of podUids) pods.add(uid);
    for (const uid of pods) this.#parts.podChanged?.(uid);
  }

  #claimsInUse(): ReadonlyMap<string, number> {
    const counts = new Map([['', 0]]);
    for (const { isPrepared, drivers } of this.#claims.values())
      if (isPrepared) for (const driver of ['', ...drivers.keys()]) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    return counts;
  }

  #driversOf({ status }: PodClaim['claim']): readonly string[] {
    const drivers = new Set((status?.allocation?.devices?.results ?? []).map(({ driver }) => driver));
    return [...drivers].filter((driver) => this.#parts.builtIn?.has(driver) !== true);
  }

  async #measured(name: 'PrepareResources' | 'UnprepareResources', work: () => Promise<void>): Promise<void> {
    const { clock, driverClock = clock } = this.#parts;
    const startedAtMs = driverClock.monotonic();
    let isError = true;
    try {
      await work();
      isError = false;
    } catch (error) {
      const what = name === 'PrepareResources' ? 'prepare' : 'unprepare';
      throw new Error(`${what} dynamic resources: ${messageOf(error)}`, { cause: error });
    } finally {
      this.metrics.operation(name, driverClock.monotonic() - startedAtMs, isError);
    }
  }

  /** Deletes slices, trying until it succeeds. */
  #wipe(driver: string | undefined): void {
    const { removeSlices, clock, random, log } = this.#parts;
    if (removeSlices === undefined) return;
    const { signal } = this.#stop;
    const backoff = new Backoff(WIPE_RETRY, random);
    const wiping = (async () => {
      while (!signal.aborted && (driver === undefined || !this.#isUsable(driver))) {
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
    const inOrder = [...new Set(keys)].toSorted(); // two pods that share several claims never wait for each other
    const start = async (): Promise<T> => {
      if (this.#stop.signal.aborted) throw new Error('the agent is stopping');
      return await work();
    };
    const working = inOrder.reduceRight<() => Promise<T>>((inner, key) => () => this.#turns.take(key, inner), start)();
    this.#working.add(working);
    return working.finally(() => this.#working.delete(working));
  }

  async #store(): Promise<void> {
    await this.#checkpoint.write(this.#claims.values());
  }
}

/** The claim that an entry of the pod stands for, or the claim of its extended resources. */
function claimNameOf(pod: Observed<Pod>, name: string): string | undefined {
  if (name === '') return pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const entry = pod.spec?.resourceClaims?.find((each) => each.name === name);
  const found = entry && lookUpClaim(pod, entry);
  return found?.type === 'named' ? found.name : undefined;
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
