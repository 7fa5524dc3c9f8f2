import { createHash } from 'node:crypto';
import { deepEqual, type Runnable, runTogether } from '../../base/index.ts';
import { quantityOf } from '../../api/values/index.ts';
import {
  CSINode,
  CSIStorageCapacity,
  hasReason,
  Node,
  type Observed,
  PersistentVolume,
  StorageClass,
} from '../../client/index.ts';
import type { AppContext, KeyedWorkers, Objects, Part } from '../../kit/index.ts';
import {
  type NodeDeployment,
  type StorageCapacity,
  type VolumeDriver,
  VolumeDriverError,
} from '../volume-provisioner/index.ts';

const DRIVER_LABEL = 'csi.storage.k8s.io/drivername';
const MANAGER_LABEL = 'csi.storage.k8s.io/managed-by';
const MANAGER = 'external-provisioner';
/** The longest value of a label. */
const MAX_LABEL = 63;
const PASS = 'all';
/** Changes that arrive together lead to one round of questions. */
const QUIET_MS = 1000;

type Capacity = Observed<CSIStorageCapacity>;
type Segments = Readonly<Record<string, string>>;

export interface CapacitySettings {
  /** Where the objects are. */
  readonly namespace: string;
  /** How often the driver is asked; default a minute. */
  readonly pollMs?: number;
  /** Also for classes whose claims bind at once; default false: only the scheduler reads it. */
  readonly isForImmediateBinding?: boolean;
  /** Owns the objects, so that they go with it; default nothing does, and the program deletes those that are void. */
  readonly owner?: CapacityOwner;
}

/** What owns the objects: in their namespace, or not in any. */
export interface CapacityOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

type CapableDriver = VolumeDriver & Required<Pick<VolumeDriver, 'getCapacity'>>;

/** A class at a place. */
interface Item {
  readonly storageClass: Observed<StorageClass>;
  readonly segments: Segments;
}

/**
 * Publishes what a driver has free as CSIStorageCapacity objects, one for each of its classes at each place, as the
 * external-provisioner sidecar does with --enable-capacity.
 */
export function volumeCapacity(
  driver: VolumeDriver,
  settings: CapacitySettings & { readonly node?: NodeDeployment },
): readonly Part[] {
  if (!isCapable(driver)) return [];
  return [{ name: 'volume-capacity', prepare: (context) => prepare(driver, settings, context) }];
}

/** Who takes care of the objects of a node: processes for other nodes leave them alone. */
export function managerOf(node: NodeDeployment | undefined): string {
  if (node === undefined) return MANAGER;
  const name = `${MANAGER}-${node.nodeName}`;
  if (name.length <= MAX_LABEL) return name;
  return `${MANAGER}-${createHash('sha256').update(node.nodeName).digest('hex').slice(0, 40)}`;
}

function isCapable(driver: VolumeDriver): driver is CapableDriver {
  return driver.getCapacity !== undefined;
}

type Settings = CapacitySettings & { readonly node?: NodeDeployment };

function prepare(driver: CapableDriver, settings: Settings, context: AppContext): Runnable {
  const { pollMs = 60_000 } = settings;
  const publisher = new CapacityPublisher(driver, settings, context);
  const workers: KeyedWorkers = context.workers('volume-capacity', {
    async work(_, { signal, after }) {
      after(pollMs);
      await publisher.publish(signal);
    },
  });
  const soon = (): void => workers.addAfter(PASS, QUIET_MS);
  const isSame = (old: Observed<Node>, now: Observed<Node>): boolean =>
    deepEqual(old.metadata.labels, now.metadata.labels);
  context.onChange(StorageClass, { add: soon, update: soon, delete: soon });
  context.onChange(CSINode, { add: soon, update: soon, delete: soon });
  context.onChange(Node, { add: soon, delete: soon, update: (now, old) => (isSame(old, now) ? undefined : soon()) });
  context.onChange(PersistentVolume, {
    add: ({ spec }) => (spec?.csi?.driver === driver.name ? soon() : undefined),
    delete: ({ spec }) => (spec?.csi?.driver === driver.name ? soon() : undefined),
  });
  context.onChange(CSIStorageCapacity, { delete: soon });
  return {
    async run(signal) {
      workers.add(PASS);
      await runTogether([workers], signal);
    },
  };
}

/** Asks the driver, and writes what has changed. */
class CapacityPublisher {
  readonly #driver: CapableDriver;
  readonly #settings: Settings;
  readonly #manager: string;
  readonly #context: AppContext;
  readonly #classes: Objects<StorageClass>;
  readonly #nodes: Objects<Node>;
  readonly #csiNodes: Objects<CSINode>;
  readonly #capacities: Objects<CSIStorageCapacity>;

  constructor(driver: CapableDriver, settings: Settings, context: AppContext) {
    this.#driver = driver;
    this.#settings = settings;
    this.#manager = managerOf(settings.node);
    this.#context = context;
    this.#classes = context.objects(StorageClass);
    this.#nodes = context.objects(Node);
    this.#csiNodes = context.objects(CSINode);
    this.#capacities = context.objects(CSIStorageCapacity);
  }

  async publish(signal: AbortSignal): Promise<void> {
    const left = new Set(this.#own());
    for (const item of this.#items()) {
      const known = [...left].find((capacity) => isOf(capacity, item));
      if (known !== undefined) left.delete(known);
      try {
        const { parameters = {} } = item.storageClass;
        const topology = Object.keys(item.segments).length === 0 ? {} : { topology: { segments: item.segments } };
        await this.#write(item, known, await this.#driver.getCapacity({ parameters, ...topology }, { signal }));
      } catch (error) {
        if (!(error instanceof VolumeDriverError)) throw error;
        const { name } = item.storageClass.metadata;
        this.#context.log.warn('the driver does not say what it has free', { class: name, error });
      }
    }
    for (const { metadata } of left)
      await this.#capacities.delete(`${metadata.namespace}/${metadata.name}`, { preconditions: { uid: metadata.uid } });
  }

  #own(): readonly Capacity[] {
    return this.#capacities
      .list({ namespace: this.#settings.namespace })
      .filter(
        ({ metadata }) =>
          metadata.labels?.[DRIVER_LABEL] === this.#driver.name && metadata.labels[MANAGER_LABEL] === this.#manager,
      );
  }

  /** All classes of the driver at all of its places. */
  #items(): readonly Item[] {
    const { isForImmediateBinding = false } = this.#settings;
    const places = this.#places();
    return this.#classes
      .list()
      .filter(
        ({ provisioner, volumeBindingMode }) =>
          provisioner === this.#driver.name && (isForImmediateBinding || volumeBindingMode === 'WaitForFirstConsumer'),
      )
      .flatMap((storageClass) => places.map((segments) => ({ storageClass, segments })));
  }

  #places(): readonly Segments[] {
    const { node } = this.#settings;
    if (node !== undefined) return [node.segments];
    if (this.#driver.features?.topology === undefined) return [{}];
    const places = this.#csiNodes.list().flatMap(({ metadata, spec }) => {
      const keys = spec.drivers.find(({ name }) => name === this.#driver.name)?.topologyKeys ?? [];
      const labels = this.#nodes.get(metadata.name)?.metadata.labels ?? {};
      const isWhole = keys.length > 0 && keys.every((key) => labels[key] !== undefined);
      return isWhole ? [Object.fromEntries(keys.toSorted().map((key) => [key, labels[key] ?? '']))] : [];
    });
    return [...new Map(places.map((segments) => [JSON.stringify(segments), segments])).values()];
  }

  async #write(item: Item, known: Capacity | undefined, free: StorageCapacity): Promise<void> {
    const { availableBytes, maximumVolumeBytes } = free;
    const capacity = quantityOf(availableBytes, 'BinarySI').toString();
    const maximumVolumeSize =
      maximumVolumeBytes === undefined ? undefined : quantityOf(maximumVolumeBytes, 'BinarySI').toString();
    const { owner } = this.#settings;
    const isOwned =
      owner === undefined || known?.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) === true;
    if (known?.capacity === capacity && known.maximumVolumeSize === maximumVolumeSize && isOwned) return;
    const owners = owner === undefined ? {} : { ownerReferences: [{ ...owner, controller: true }] };
    const sizes = { capacity, ...(maximumVolumeSize === undefined ? {} : { maximumVolumeSize }) };
    if (known === undefined) {
      await this.#capacities.create({
        metadata: {
          generateName: 'csisc-',
          namespace: this.#settings.namespace,
          labels: { [DRIVER_LABEL]: this.#driver.name, [MANAGER_LABEL]: this.#manager },
          ...owners,
        },
        storageClassName: item.storageClass.metadata.name,
        nodeTopology: Object.keys(item.segments).length === 0 ? {} : { matchLabels: { ...item.segments } },
        ...sizes,
      });
      return;
    }
    const { capacity: _, maximumVolumeSize: __, ...rest } = known;
    const changed = { ...rest, metadata: { ...rest.metadata, ...owners }, ...sizes };
    await this.#capacities.update(changed as CSIStorageCapacity).catch((error: unknown) => {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    });
  }
}

function isOf({ storageClassName, nodeTopology }: Capacity, { storageClass, segments }: Item): boolean {
  return storageClassName === storageClass.metadata.name && deepEqual(nodeTopology?.matchLabels ?? {}, segments);
}
