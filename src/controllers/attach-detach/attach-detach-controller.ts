import { deepEqual, runTogether } from '../../base/index.ts';
import { claimVolumesOf, csiSourceOf } from '../../api/meaning/index.ts';
import {
  CSIDriver,
  ItemBackoff,
  Node,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from '../../client/index.ts';
import { type AppContext, type KeyedWorkers, type Part, podsByNode, type PreparedPart } from '../../kit/index.ts';
import { attachMetrics } from './attach-metrics.ts';
import {
  AttachMemory,
  type AttachParts,
  attachmentsByNode,
  inlineKeysOf,
  placeKey,
  volumeKeyOf,
} from './attach-parts.ts';
import type { OpenDirectAttacher } from './direct-attacher.ts';
import { DirectVolumes } from './direct-volumes.ts';
import { syncNode } from './sync-node.ts';
import { syncVolume } from './sync-volume.ts';

export interface AttachDetachOptions {
  /**
   * Keeps volumes attached to unhealthy nodes until these report them as unmounted, however long that takes; default
   * false.
   */
  readonly disableForceDetachOnTimeout?: boolean;
  /** Attaches volumes of drivers that are programs; default there are none. */
  readonly directAttacher?: OpenDirectAttacher;
}

const COMPONENT = 'attachdetach-controller';
const CONCURRENCY = 10;
const RETRIES = { initialDelay: 500, maxDelay: 122_000 };

/** Attaches CSI volumes to the nodes of the pods that use them, through VolumeAttachments, and detaches unused ones. */
export function attachDetachController(options: AttachDetachOptions = {}): Part {
  return { name: 'persistentvolume-attach-detach', prepare: (context) => new AttachDetach(context, options) };
}

class AttachDetach implements PreparedPart {
  readonly #parts: AttachParts;
  readonly #volumes: KeyedWorkers;
  readonly #nodes: KeyedWorkers;
  readonly #direct: DirectVolumes | undefined;
  /** Only where there is an attacher of that kind. */
  readonly #directVolumes: KeyedWorkers | undefined;

  constructor(context: AppContext, { disableForceDetachOnTimeout = false, directAttacher }: AttachDetachOptions) {
    this.#volumes = context.workers('attach-detach', {
      concurrency: CONCURRENCY,
      work: async (key, { after }) => {
        const waitMs = await syncVolume(key, this.#parts);
        if (waitMs !== Infinity) after(waitMs);
      },
    });
    this.#nodes = context.workers('attach-detach-nodes', {
      concurrency: CONCURRENCY,
      work: async (key) => {
        for (const volume of await syncNode(key, this.#parts)) this.#volumes.add(volume);
      },
    });
    this.#parts = {
      clock: context.clock,
      events: context.events(COMPONENT),
      metrics: attachMetrics(context.metrics, () => this.#parts),
      pods: context.objects(Pod),
      nodes: context.objects(Node),
      claims: context.objects(PersistentVolumeClaim),
      volumes: context.objects(PersistentVolume),
      drivers: context.objects(CSIDriver),
      attachments: context.objects(VolumeAttachment),
      memory: new AttachMemory(),
      backoff: new ItemBackoff(RETRIES),
      neverForces: disableForceDetachOnTimeout,
      direct: () => this.#direct,
      wakeNode: (name) => this.#nodes.add(name),
    };
    if (directAttacher !== undefined) {
      const { clock, log } = context;
      const workers = context.workers('attach-detach-direct', {
        concurrency: CONCURRENCY,
        work: async (key, { after }) => {
          const waitMs = await direct.sync(key);
          if (waitMs !== Infinity) after(waitMs);
        },
      });
      const direct = new DirectVolumes(directAttacher({ clock, log }), this.#parts, (name) => workers.add(name));
      this.#direct = direct;
      this.#directVolumes = workers;
    }
    this.#listen(context);
  }

  async run(signal: AbortSignal): Promise<void> {
    const direct = this.#directVolumes === undefined ? [] : [this.#directVolumes];
    await runTogether([this.#volumes, this.#nodes, ...direct], signal);
  }

  #listen(context: AppContext): void {
    const podChanged = (pod: Observed<Pod>): void => this.#podChanged(pod);
    context.onChange(Pod, { add: podChanged, update: podChanged, delete: podChanged });
    const claimChanged = ({ spec }: Observed<PersistentVolumeClaim>): void => {
      if (spec?.volumeName !== undefined) this.#wakeVolume(spec.volumeName);
    };
    context.onChange(PersistentVolumeClaim, { add: claimChanged, update: claimChanged });
    const volumeChanged = (volume: Observed<PersistentVolume>): void => {
      this.#volumes.add(volume.metadata.name);
      this.#direct?.volumeChanged(volume);
    };
    context.onChange(PersistentVolume, { add: volumeChanged, update: volumeChanged, delete: volumeChanged });
    const attachmentChanged = (attachment: Observed<VolumeAttachment>): void => this.#attachmentChanged(attachment);
    context.onChange(VolumeAttachment, {
      add: attachmentChanged,
      update: attachmentChanged,
      delete: (attachment) => {
        const key = placeKey(volumeKeyOf(attachment) ?? '', attachment.spec.nodeName);
        this.#parts.memory.forget(key);
        this.#parts.backoff.forget(key);
        this.#attachmentChanged(attachment);
      },
    });
    context.onChange(Node, {
      add: (node) => {
        this.#direct?.nodeAdded(node);
        this.#nodeChanged(node);
      },
      update: (node, old) => {
        if (!deepEqual(relevantOf(old), relevantOf(node))) this.#nodeChanged(node);
      },
      delete: (node) => {
        const { name } = node.metadata;
        this.#parts.memory.inUseOfDeletedNodes.set(name, new Set(node.status?.volumesInUse));
        this.#wakeVolumesOf(name);
        this.#direct?.nodeChanged(name);
      },
    });
    const driverChanged = ({ metadata }: Observed<CSIDriver>): void => {
      for (const volume of this.#parts.volumes.list())
        if (csiSourceOf(volume)?.driver === metadata.name) this.#volumes.add(volume.metadata.name);
      for (const pod of this.#parts.pods.list()) this.#wakeInline(pod);
    };
    context.onChange(CSIDriver, { add: driverChanged, update: driverChanged, delete: driverChanged });
  }

  #podChanged(pod: Observed<Pod>): void {
    if ((pod.spec?.nodeName ?? '') === '') return;
    this.#direct?.podChanged(pod);
    this.#wakeInline(pod);
    for (const { claim } of claimVolumesOf(pod)) {
      const found = this.#parts.claims.get(`${pod.metadata.namespace}/${claim}`);
      if (found?.spec?.volumeName !== undefined) this.#wakeVolume(found.spec.volumeName);
    }
  }

  #wakeVolume(name: string): void {
    this.#volumes.add(name);
    const volume = this.#direct === undefined ? undefined : this.#parts.volumes.get(name);
    if (volume !== undefined) this.#direct?.volumeChanged(volume);
  }

  #wakeInline(pod: Observed<Pod>): void {
    for (const key of inlineKeysOf(pod)) this.#volumes.add(key);
  }

  #attachmentChanged(attachment: Observed<VolumeAttachment>): void {
    const key = volumeKeyOf(attachment);
    if (key !== undefined) this.#volumes.add(key);
    this.#nodes.add(attachment.spec.nodeName);
  }

  #nodeChanged({ metadata: { name } }: Observed<Node>): void {
    this.#parts.memory.inUseOfDeletedNodes.delete(name);
    this.#nodes.add(name);
    this.#wakeVolumesOf(name);
    this.#direct?.nodeChanged(name);
    for (const pod of this.#parts.pods.byIndex(podsByNode, name)) this.#podChanged(pod);
  }

  #wakeVolumesOf(node: string): void {
    for (const attachment of this.#parts.attachments.byIndex(attachmentsByNode, node)) {
      const key = volumeKeyOf(attachment);
      if (key !== undefined) this.#volumes.add(key);
    }
  }
}

/** The parts of a node that determine its attachments. */
function relevantOf({ metadata, spec, status }: Observed<Node>): unknown {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return [metadata.annotations, spec?.taints, status?.volumesInUse, status?.volumesAttached, ready];
}
