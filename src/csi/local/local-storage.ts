import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, messageOf, type Random, type Runnable, runTogether } from '../../base/index.ts';
import { type Client, CSIDriver, hasReason, StorageClass } from '../../client/index.ts';
import type { CapacitySettings, NodeDeployment } from '../../controllers/volume-sidecars/index.ts';
import type { HealthSource } from '../../kit/index.ts';
import { CsiControllers } from '../controller/csi-controllers.ts';
import { LOCAL_DRIVER, localDriver, type LocalDriverOptions } from './local-driver.ts';

/** Between looks whether the node is registered. */
const RETRY_MS = 1000;

export interface LocalStorageOptions extends LocalDriverOptions {
  /** The folder of the node's agent: `/var/lib/kubelet`. */
  readonly rootDir: string;
  /** The class that is created where it is missing; undefined for none. */
  readonly className?: string;
  readonly capacity: CapacitySettings;
  readonly nodeBinding?: Pick<NodeDeployment, 'isForImmediateBinding' | 'baseDelayMs' | 'maxDelayMs'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The driver of local volumes on one node, registered there, and the controllers that work for the node's volumes. */
export class LocalStorage implements Runnable, HealthSource {
  readonly #client: Client;
  readonly #options: LocalStorageOptions;
  /** Once the node is there. */
  #controllers: CsiControllers | undefined;

  constructor(client: Client, options: LocalStorageOptions) {
    this.#client = client;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { rootDir, folder, log } = this.#options;
    await mkdir(join(rootDir, 'plugins', LOCAL_DRIVER), { recursive: true, mode: 0o750 });
    await mkdir(folder, { recursive: true, mode: 0o711 });
    await this.#install(signal);
    const registerIn = join(rootDir, 'plugins_registry');
    const driver = localDriver(this.#options).serve({ listen: `unix://${this.#socket}`, registerIn, log });
    await runTogether([driver, { run: (scope) => this.#control(scope) }], signal);
  }

  get unready(): readonly string[] {
    return this.#controllers?.unready ?? [`node "${this.#options.nodeName}" is not registered`];
  }

  get registries(): HealthSource['registries'] {
    return this.#controllers?.registries ?? [];
  }

  /** Works for the node's volumes once there is the Node, which owns the objects that say what it has free. */
  async #control(signal: AbortSignal): Promise<void> {
    const { nodeName, capacity, nodeBinding = {}, clock, random, log } = this.#options;
    const uid = await this.#nodeUid(signal);
    if (uid === undefined) return;
    const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid };
    const settings = {
      nodeName,
      nodeBinding,
      capacity: { owner, ...capacity },
      bindsSnapshots: false,
      strictTopology: true,
    };
    const options = { addresses: [this.#socket], settings, clock, random, log };
    this.#controllers = new CsiControllers(this.#client, options);
    await this.#controllers.run(signal);
  }

  /** Waits for the Node; undefined if the signal aborts before. */
  async #nodeUid(signal: AbortSignal): Promise<string | undefined> {
    const { nodeName, clock, log } = this.#options;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        return (await this.#client.core.v1.nodes.get(nodeName, { signal })).metadata.uid;
      } catch (error) {
        if (signal.aborted) break;
        if (isFirst) log.info('waiting for the node', { node: nodeName, reason: messageOf(error) });
      }
      await clock.sleep(RETRY_MS, signal);
    }
    return undefined;
  }

  get #socket(): string {
    return join(this.#options.rootDir, 'plugins', LOCAL_DRIVER, 'csi.sock');
  }

  /** Tells the cluster of the driver, and makes its class, unless they are there. */
  async #install(signal: AbortSignal): Promise<void> {
    const { className } = this.#options;
    const driver = {
      metadata: { name: LOCAL_DRIVER },
      spec: { attachRequired: false, storageCapacity: true, fsGroupPolicy: 'File' as const },
    };
    await this.#client.kind(CSIDriver).create(driver, { signal }).catch(ignoreExisting);
    if (className === undefined) return;
    const storageClass = {
      metadata: { name: className },
      provisioner: LOCAL_DRIVER,
      volumeBindingMode: 'WaitForFirstConsumer' as const,
      allowVolumeExpansion: true,
      reclaimPolicy: 'Delete' as const,
    };
    await this.#client.kind(StorageClass).create(storageClass, { signal }).catch(ignoreExisting);
  }
}

function ignoreExisting(error: unknown): void {
  if (!hasReason(error, 'AlreadyExists')) throw error;
}
