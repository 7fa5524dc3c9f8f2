import { Backoff, type Clock, deepEqual, messageOf, type Random } from '../../base/index.ts';
import { type Client, type CSINode, hasReason, mergePatch, type Stored } from '../../client/index.ts';
import type { DriverNodeInfo } from './node-client.ts';

/** The annotation of nodes that older programs read the ids of drivers from. */
const NODE_IDS = 'csi.volume.kubernetes.io/nodeid';
const MIGRATED = 'storage.alpha.kubernetes.io/migrated-plugins';
/** In-tree plugins that CSI drivers have replaced, as every kubelet lists them. */
const MIGRATED_PLUGINS = [
  ...['kubernetes.io/aws-ebs', 'kubernetes.io/azure-disk', 'kubernetes.io/azure-file', 'kubernetes.io/cinder'],
  ...['kubernetes.io/gce-pd', 'kubernetes.io/portworx-volume', 'kubernetes.io/vsphere-volume'],
].join();
const MAX_COUNT = 2 ** 31 - 1;
/** Conflicts with other writers, and a server that is away for a moment, are waited for this often. */
const ATTEMPTS = 4;
const BACKOFF = { initialMs: 10, factor: 5, jitter: 0.1 };

export interface NodeInfoParts {
  readonly client: Client;
  readonly node: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Writes which drivers are on a node: its CSINode, the labels of where it is, and an annotation with the ids of the drivers. */
export class NodeInfo {
  readonly #parts: NodeInfoParts;
  /** Writes follow one another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: NodeInfoParts) {
    this.#parts = parts;
  }

  /** Creates the CSINode where there is none, so that schedulers know the node has no drivers yet. Throws while there is no Node. */
  async initialize(signal: AbortSignal): Promise<void> {
    await this.#repeat('error updating CSINode annotation', signal, async () => {
      const known = await this.#csiNode(signal);
      if (known.metadata.annotations?.[MIGRATED] === MIGRATED_PLUGINS) return;
      const annotations = { ...known.metadata.annotations, [MIGRATED]: MIGRATED_PLUGINS };
      await this.#csiNodes().update({ ...known, metadata: { ...known.metadata, annotations } }, { signal });
    });
  }

  /** A driver was registered. */
  async install(driver: string, info: DriverNodeInfo, signal: AbortSignal): Promise<void> {
    if (info.nodeId === '') throw new Error('error adding CSI driver node info: driverNodeID must not be empty');
    await this.#repeat('error updating Node object with CSI driver node info: error updating node', signal, () =>
      this.#label(driver, info, signal),
    );
    await this.update(driver, info, signal);
  }

  /** What a driver says about the node has changed, such as how many volumes may be attached. */
  async update(driver: string, info: DriverNodeInfo, signal: AbortSignal): Promise<void> {
    const words = 'error updating CSINode object with CSI driver node info: error updating CSINode';
    await this.#repeat(words, signal, async () => {
      const known = await this.#csiNode(signal);
      const count = Math.min(info.maxVolumes, MAX_COUNT);
      const entry = {
        name: driver,
        nodeID: info.nodeId,
        topologyKeys: Object.keys(info.topology).toSorted(),
        ...(count > 0 ? { allocatable: { count } } : {}),
      };
      const old = driversOf(known).find(({ name }) => name === driver);
      if (old !== undefined && deepEqual({ ...old, topologyKeys: [...(old.topologyKeys ?? [])].toSorted() }, entry))
        return;
      const drivers = [...driversOf(known).filter(({ name }) => name !== driver), entry];
      await this.#csiNodes().update({ ...known, spec: { drivers } }, { signal });
    });
  }

  /** A driver is gone. Labels stay: volumes may still be bound to where the node is. */
  async uninstall(driver: string, signal: AbortSignal = NEVER): Promise<void> {
    await this.#repeat('error uninstalling CSI driver from CSINode object error updating CSINode', signal, async () => {
      const known = await this.#csiNodes()
        .get(this.#parts.node, { signal })
        .catch((error: unknown) => {
          if (hasReason(error, 'NotFound')) return undefined;
          throw error;
        });
      if (known === undefined) return;
      const drivers = driversOf(known).filter(({ name }) => name !== driver);
      if (drivers.length === driversOf(known).length) return;
      await this.#csiNodes().update({ ...known, spec: { drivers } }, { signal });
    });
    await this.#repeat('error removing CSI driver node info from Node object error updating node', signal, async () => {
      const { nodes } = this.#parts.client.core.v1;
      const { metadata } = await nodes.get(this.#parts.node, { signal });
      const ids = idsOf(metadata.annotations);
      if (ids[driver] === undefined) return;
      const { [driver]: _, ...others } = ids;
      const left = Object.keys(others).length === 0 ? null : idText(others);
      const annotations = { [NODE_IDS]: left };
      await nodes.patch(
        this.#parts.node,
        mergePatch({ metadata: { resourceVersion: metadata.resourceVersion, annotations } }),
        { signal },
      );
    });
  }

  async #label(driver: string, { nodeId, topology }: DriverNodeInfo, signal: AbortSignal): Promise<void> {
    const { nodes } = this.#parts.client.core.v1;
    const { metadata } = await nodes.get(this.#parts.node, { signal });
    const ids = idsOf(metadata.annotations);
    for (const [key, value] of Object.entries(topology)) {
      const known = metadata.labels?.[key];
      if (known === undefined || known === value) continue;
      const said = `driver reported ${quoted(key, value)} but existing label is ${quoted(key, known)}`;
      throw new Error(`detected topology value collision: ${said}`);
    }
    const isThere =
      ids[driver] === nodeId && Object.keys(topology).every((key) => metadata.labels?.[key] !== undefined);
    if (isThere) return;
    const annotations = { [NODE_IDS]: idText({ ...ids, [driver]: nodeId }) };
    const { resourceVersion } = metadata;
    await nodes.patch(
      this.#parts.node,
      mergePatch({ metadata: { resourceVersion, annotations, labels: { ...topology } } }),
      { signal },
    );
  }

  /** The CSINode of this very Node; one of an earlier Node of that name is deleted. */
  async #csiNode(signal: AbortSignal): Promise<Stored<CSINode>> {
    const { node, client } = this.#parts;
    const { uid } = (await client.core.v1.nodes.get(node, { signal })).metadata;
    const known = await this.#csiNodes()
      .get(node, { signal })
      .catch((error: unknown) => {
        if (hasReason(error, 'NotFound')) return undefined;
        throw error;
      });
    if (known?.metadata.ownerReferences?.some((owner) => owner.kind === 'Node' && owner.uid === uid)) return known;
    if (known !== undefined) await this.#csiNodes().delete(node, { signal });
    const metadata = {
      name: node,
      annotations: { [MIGRATED]: MIGRATED_PLUGINS },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid }],
    };
    return await this.#csiNodes().create({ metadata, spec: { drivers: [] } }, { signal });
  }

  #csiNodes(): Client['storage']['v1']['csinodes'] {
    return this.#parts.client.storage.v1.csinodes;
  }

  /** Writes after those that were begun before, with retries. */
  async #repeat(words: string, signal: AbortSignal, write: () => Promise<void>): Promise<void> {
    const before = this.#last;
    const attempt = async (): Promise<void> => {
      await before;
      const backoff = new Backoff(BACKOFF, this.#parts.random);
      const failures: string[] = [];
      for (let count = 0; count < ATTEMPTS; count++) {
        try {
          return await write();
        } catch (error) {
          signal.throwIfAborted();
          failures.push(messageOf(error));
          if (count < ATTEMPTS - 1) await this.#parts.clock.sleep(backoff.nextMs(), signal);
        }
      }
      const causes = [...new Set(failures)];
      const list = causes.length === 1 ? causes[0] : `[${causes.join(', ')}]`;
      throw new Error(`${words}: timed out waiting for the condition; caused by: ${list}`);
    };
    const done = attempt();
    this.#last = done.catch(() => undefined);
    await done;
  }
}

const NEVER = new AbortController().signal;

/** An empty list is null in answers, as in Kubernetes. */
function driversOf({ spec }: Stored<CSINode>): Stored<CSINode>['spec']['drivers'] {
  return (spec.drivers as typeof spec.drivers | null) ?? [];
}

function idsOf(annotations: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  const text = annotations?.[NODE_IDS] ?? '';
  if (text === '') return {};
  try {
    return JSON.parse(text) as Readonly<Record<string, string>>;
  } catch (cause) {
    const words = `failed to parse node's ${JSON.stringify(NODE_IDS)} annotation value (${JSON.stringify(text)})`;
    throw new Error(`${words} err=${messageOf(cause)}`, { cause });
  }
}

/** Go writes maps in the order of their keys. */
function idText(ids: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(ids).toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

function quoted(key: string, value: string): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}
