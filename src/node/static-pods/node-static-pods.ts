import {
  type Clock,
  type Duration,
  type Logger,
  messageOf,
  millisecondsOf,
  type Runnable,
  runTogether,
} from '../../base/index.ts';
import { keyOf, type Node, type Observed, type Pod } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { apiPodWriter, type PodWriter } from '../pod-writer.ts';
import { ManifestFiles, type ManifestParts, type ManifestReader, ManifestUrl } from './manifests.ts';
import { MirrorPods } from './mirror-pods.ts';
import { isMirrorPod } from './static-pod.ts';
import { StaticPods } from './static-pods.ts';

/** Where a node finds pods that it runs by itself, as in a KubeletConfiguration. */
export interface StaticPodOptions {
  /** `staticPodPath`: a folder of manifests, or one manifest. */
  readonly path?: string;
  /** `fileCheckFrequency`; default 20 s. Changes are usually seen at once. */
  readonly fileCheckInterval?: Duration;
  /** `staticPodURL`. */
  readonly url?: string;
  /** `staticPodURLHeader`. */
  readonly urlHeaders?: Readonly<Record<string, readonly string[]>>;
  /** `httpCheckFrequency`; default 20 s. */
  readonly httpCheckInterval?: Duration;
  readonly read: ManifestReader;
}

export interface NodeStaticPodsParts {
  readonly node: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pods: Objects<Pod>;
  readonly nodes: Objects<Node>;
  /** Schedules a look at a pod. */
  plan(key: string, afterMs: number): void;
}

const DEFAULT_CHECK = '20s';
/** Delay before another try to write a mirror pod. */
const RETRY_MS = 10_000;

/** The static pods of a node: found in manifests, run also while no API server answers, and shown in the API by mirror pods. */
export class NodeStaticPods implements Runnable {
  /** Reports the status of static pods to their mirrors, and of all others to the API. */
  readonly writer: PodWriter;
  readonly #parts: NodeStaticPodsParts;
  readonly #options: StaticPodOptions;
  readonly #statics: StaticPods;
  readonly #mirrors: MirrorPods;
  /** Writes of mirrors that are under way, by key. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: StaticPodOptions, parts: NodeStaticPodsParts) {
    const { pods, nodes, log, clock, node } = parts;
    const sources = [...(options.path === undefined ? [] : ['file']), ...(options.url === undefined ? [] : ['http'])];
    this.#options = options;
    this.#parts = parts;
    this.#statics = new StaticPods({ clock, sources, changed: (key) => parts.plan(key, 0) });
    this.#mirrors = new MirrorPods({ pods, log, node: () => nodes.get(node) });
    this.writer = this.#writerOver(apiPodWriter(pods));
  }

  /** True when all manifests were read once. */
  get isReady(): boolean {
    return this.#statics.isReady;
  }

  keys(): Iterable<string> {
    return this.#statics.keys();
  }

  /** A static pod with the status that the API has of it. */
  pod(key: string): Observed<Pod> | undefined {
    const pod = this.#statics.get(key);
    return pod === undefined ? undefined : withStatusOf(pod, this.#mirrors.of(pod));
  }

  /** Brings the mirror of a pod up to date, without waiting for it. */
  sync(key: string): void {
    if (this.#writing.has(key)) return;
    const pod = this.#statics.get(key);
    const known = this.#parts.pods.get(key);
    if (pod === undefined) {
      if (known !== undefined && this.#isOrphan(known)) this.#write(key, () => this.#mirrors.remove(known));
    } else if (pod.metadata.deletionTimestamp === undefined) {
      const mirror = this.#mirrors.of(pod);
      if (mirror === undefined || mirror.metadata.deletionTimestamp !== undefined) this.#show(key, pod);
    }
  }

  /** The node was registered: mirrors can be created. */
  syncAll(): void {
    for (const key of this.keys()) this.sync(key);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { node, clock, log } = this.#parts;
    const { path, url, read, urlHeaders: headers = {} } = this.#options;
    const { fileCheckInterval = DEFAULT_CHECK, httpCheckInterval = DEFAULT_CHECK } = this.#options;
    const partsOf = (source: string): ManifestParts => ({
      node,
      clock,
      log,
      read,
      found: (pods) => this.#statics.replace(source, pods),
    });
    const tasks: Runnable[] = [];
    if (path !== undefined)
      tasks.push(new ManifestFiles({ path, everyMs: millisecondsOf(fileCheckInterval) }, partsOf('file')));
    if (url !== undefined)
      tasks.push(new ManifestUrl({ url, headers, everyMs: millisecondsOf(httpCheckInterval) }, partsOf('http')));
    await runTogether(tasks, signal);
    await Promise.all(this.#writing.values());
  }

  /** Whether a pod of the API is the mirror of a pod of this node that is no more. */
  #isOrphan(pod: Observed<Pod>): boolean {
    return this.isReady && isMirrorPod(pod) && pod.spec?.nodeName === this.#parts.node;
  }

  #show(key: string, pod: Observed<Pod>): void {
    this.#write(key, async () => {
      if (!(await this.#mirrors.show(pod))) this.#parts.plan(key, RETRY_MS);
    });
  }

  #write(key: string, write: () => Promise<void>): void {
    const writing = write()
      .catch((error: unknown) => {
        this.#parts.log.warn('mirror pod cannot be written', { pod: key, error: messageOf(error) });
        this.#parts.plan(key, RETRY_MS);
      })
      .finally(() => this.#writing.delete(key));
    this.#writing.set(key, writing);
  }

  #writerOver(api: PodWriter): PodWriter {
    return {
      writeStatus: async (pod, patch) => {
        const own = this.#statics.get(keyOf(pod));
        if (own === undefined || own.metadata.uid !== pod.metadata.uid) return api.writeStatus(pod, patch);
        const mirror = this.#mirrors.of(own);
        if (mirror === undefined) return pod; // reported when there is a mirror
        return withStatusOf(pod, await api.writeStatus(mirror, patch));
      },
      delete: async (pod) => {
        const key = keyOf(pod);
        const own = this.#statics.get(key);
        if (own?.metadata.uid !== pod.metadata.uid) return api.delete(pod);
        const mirror = this.#mirrors.of(own);
        this.#statics.ended(key);
        if (mirror !== undefined) this.#write(key, () => this.#mirrors.remove(mirror));
      },
    };
  }
}

/** A static pod with the status of its mirror. */
function withStatusOf(pod: Observed<Pod>, mirror: Observed<Pod> | undefined): Observed<Pod> {
  if (mirror === undefined) return pod;
  const { resourceVersion } = mirror.metadata;
  const status = { ...mirror.status, qosClass: mirror.status?.qosClass ?? pod.status?.qosClass };
  return { ...pod, metadata: { ...pod.metadata, resourceVersion }, status };
}
