import { messageOf } from '../../base/index.ts';
import { isMultiAttachAllowed } from '../../api/meaning/index.ts';
import { index, type Node, type Observed, type PersistentVolume, Pod } from '../../client/index.ts';
import { type AttachParts, type DirectAttachments, placeKey } from './attach-parts.ts';
import type { AttachableSource, DirectAttacher } from './direct-attacher.ts';
import { recordConflict } from './multi-attach.ts';
import { detachDelayMs } from './safe-to-detach.ts';
import { boundPodsOf, isManagedPod } from './wanting-pods.ts';

/** How often drivers are asked whether volumes are still attached. */
const VERIFY_MS = 60_000;
/** Names of volumes that VolumeAttachments attach. */
const CSI = 'kubernetes.io/csi/';

interface Place {
  readonly nodeName: string;
  readonly device: string;
  /** False after an attempt that failed: it may be attached or not, so it is attached again, or detached when no pod wants it. */
  readonly isCertain: boolean;
}

/** As in the status of nodes. */
interface AttachedVolume {
  readonly name: string;
  readonly devicePath: string;
}

interface Wanted {
  readonly source: AttachableSource;
  readonly pods: readonly Observed<Pod>[];
}

/** Volumes that a `DirectAttacher` attaches. What is attached is in the status of nodes, where it is found again after a restart. */
export class DirectVolumes implements DirectAttachments {
  readonly #attacher: DirectAttacher;
  readonly #parts: AttachParts;
  readonly #wake: (name: string) => void;
  readonly #podsByName;
  /** By the name of the volume, then by node. */
  readonly #places = new Map<string, Map<string, Place>>();

  constructor(attacher: DirectAttacher, parts: AttachParts, wake: (name: string) => void) {
    this.#attacher = attacher;
    this.#parts = parts;
    this.#wake = wake;
    this.#podsByName = index(Pod, ({ spec }) =>
      (spec?.volumes ?? []).flatMap((volume) => attacher.nameOf({ volume, persistentVolume: undefined }) ?? []),
    );
  }

  podChanged({ spec }: Observed<Pod>): void {
    for (const volume of spec?.volumes ?? []) this.#wakeSource({ volume, persistentVolume: undefined });
  }

  volumeChanged(persistentVolume: Observed<PersistentVolume>): void {
    this.#wakeSource({ volume: undefined, persistentVolume });
  }

  /** A node is seen for the first time: what it has was attached by an earlier run. */
  nodeAdded({ metadata, status }: Observed<Node>): void {
    for (const { name, devicePath } of status?.volumesAttached ?? [])
      if (!name.startsWith(CSI) && this.#places.get(name)?.has(metadata.name) !== true) {
        this.#set(name, { nodeName: metadata.name, device: devicePath, isCertain: true });
        this.#wake(name);
      }
  }

  nodeChanged(nodeName: string): void {
    for (const [name, places] of this.#places) if (places.has(nodeName)) this.#wake(name);
  }

  ofNode(nodeName: string): { readonly attached: readonly AttachedVolume[]; readonly leaving: readonly string[] } {
    const { memory } = this.#parts;
    const attached: AttachedVolume[] = [];
    const leaving: string[] = [];
    for (const [name, places] of this.#places) {
      const place = places.get(nodeName);
      if (memory.leaving.has(placeKey(name, nodeName))) leaving.push(name);
      else if (place?.isCertain === true) attached.push({ name, devicePath: place.device });
    }
    return { attached, leaving };
  }

  wake(names: readonly string[]): void {
    for (const name of names) this.#wake(name);
  }

  /** Attaches a volume to the nodes of its pods and detaches it from others. Returns the delay until the next check. */
  async sync(name: string): Promise<number> {
    const wanted = await this.#wanted(name);
    const delays: number[] = [];
    for (const place of [...(this.#places.get(name)?.values() ?? [])]) {
      const { nodeName } = place;
      const want = wanted.get(nodeName);
      if (want === undefined) delays.push(await this.#detach(name, place));
      else delays.push(await this.#verify(name, place, want));
    }
    for (const [nodeName, want] of wanted)
      if (this.#places.get(name)?.get(nodeName)?.isCertain !== true)
        delays.push(await this.#attach(name, nodeName, { want, wanted }));
    return Math.min(Infinity, ...delays);
  }

  async #wanted(name: string): Promise<Map<string, Wanted>> {
    const { volumes, pods } = this.#parts;
    const wanted = new Map<string, Wanted>();
    const add = (pod: Observed<Pod>, source: AttachableSource): void => {
      const nodeName = pod.spec?.nodeName ?? '';
      wanted.set(nodeName, { source, pods: [...(wanted.get(nodeName)?.pods ?? []), pod] });
    };
    const persistentVolume = volumes.get(name.slice(name.lastIndexOf('/') + 1));
    const bound = { volume: undefined, persistentVolume };
    if (persistentVolume !== undefined && this.#attacher.nameOf(bound) === name)
      for (const pod of [...boundPodsOf(persistentVolume, this.#parts).values()].flat()) add(pod, bound);
    for (const pod of pods.byIndex(this.#podsByName, name)) {
      const inline = (pod.spec?.volumes ?? []).map((volume) => ({ volume, persistentVolume: undefined }));
      const source = inline.find((each) => this.#attacher.nameOf(each) === name);
      if (source !== undefined && isManagedPod(pod, this.#parts)) add(pod, source);
    }
    for (const [nodeName, { source }] of wanted) if (!(await this.#attacher.canAttach(source))) wanted.delete(nodeName);
    return wanted;
  }

  async #attach(
    name: string,
    nodeName: string,
    { want, wanted }: { readonly want: Wanted; readonly wanted: ReadonlyMap<string, Wanted> },
  ): Promise<number> {
    const { events, memory, backoff, wakeNode } = this.#parts;
    const key = placeKey(name, nodeName);
    const title = JSON.stringify(nameIn(want.source));
    const others = [...(this.#places.get(name)?.keys() ?? [])].filter((other) => other !== nodeName);
    const { persistentVolume } = want.source;
    if (persistentVolume !== undefined && !isMultiAttachAllowed(persistentVolume) && others.length > 0) {
      const users = new Map([...wanted].map(([node, { pods }]) => [node, pods]));
      const present = others.map((other) => ({ spec: { nodeName: other } }));
      const volume = nameIn(want.source);
      if (!memory.reported.has(key)) recordConflict({ volume, pods: want.pods, present, wanted: users }, events);
      memory.reported.add(key);
      return Infinity;
    }
    memory.reported.delete(key);
    this.#set(name, { nodeName, device: '', isCertain: false });
    try {
      const device = await this.#attacher.attach(want.source, nodeName);
      this.#set(name, { nodeName, device, isCertain: true });
    } catch (error) {
      const message = `AttachVolume.Attach failed for volume ${title} : ${messageOf(error)}`;
      for (const pod of want.pods) events.event(pod, { type: 'Warning', reason: 'FailedAttachVolume', message });
      return backoff.nextMs(key);
    }
    backoff.forget(key);
    memory.leaving.delete(key);
    const message = `AttachVolume.Attach succeeded for volume ${title} `;
    for (const pod of want.pods) events.event(pod, { reason: 'SuccessfulAttachVolume', message });
    wakeNode(nodeName);
    return VERIFY_MS;
  }

  /** A volume that is no longer attached is forgotten, and attached again. */
  async #verify(name: string, { nodeName, isCertain }: Place, { source }: Wanted): Promise<number> {
    const { memory, wakeNode } = this.#parts;
    const key = placeKey(name, nodeName);
    memory.detachSinceMs.delete(key);
    if (memory.leaving.delete(key)) wakeNode(nodeName);
    if (!isCertain) return Infinity;
    if ((await this.#attacher.isAttached(source, nodeName).catch(() => undefined)) === false) {
      this.#delete(name, nodeName);
      wakeNode(nodeName);
      return 0;
    }
    return VERIFY_MS;
  }

  /** Removes the volume from the node's status first, then detaches it. */
  async #detach(name: string, { nodeName }: Place): Promise<number> {
    const { memory, nodes, backoff, wakeNode } = this.#parts;
    const key = placeKey(name, nodeName);
    const waitMs = detachDelayMs(name, { key, nodeName }, this.#parts);
    if (waitMs > 0) return waitMs;
    memory.leaving.add(key);
    if (nodes.get(nodeName)?.status?.volumesAttached?.some((each) => each.name === name) === true) {
      wakeNode(nodeName);
      return Infinity;
    }
    try {
      await this.#attacher.detach(name, nodeName);
    } catch {
      this.#set(name, { nodeName, device: '', isCertain: false });
      return backoff.nextMs(key);
    }
    backoff.forget(key);
    memory.forget(key);
    this.#delete(name, nodeName);
    return 0; // pods of other nodes may wait for it
  }

  #wakeSource(source: AttachableSource): void {
    const name = this.#attacher.nameOf(source);
    if (name !== undefined) this.#wake(name);
  }

  #set(name: string, place: Place): void {
    this.#places.set(name, (this.#places.get(name) ?? new Map<string, Place>()).set(place.nodeName, place));
  }

  #delete(name: string, nodeName: string): void {
    const places = this.#places.get(name);
    places?.delete(nodeName);
    if (places?.size === 0) this.#places.delete(name);
  }
}

function nameIn({ volume, persistentVolume }: AttachableSource): string {
  return persistentVolume?.metadata?.name ?? volume?.name ?? '';
}
