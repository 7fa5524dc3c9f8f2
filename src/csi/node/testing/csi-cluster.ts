// A simulated node with a CSI driver, both in this process, for tests. Volumes are folders that links make visible, so that no test needs root.
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { PersistentVolumeSpec, PodSpec } from '../../../api/types/core/v1.d.ts';
import type { CSIDriverSpec } from '../../../api/types/storage/v1.d.ts';
import { mergePatch } from '../../../client/index.ts';
import { nodeAgents } from '../../../node/index.ts';
import { NodeCluster } from '../../../node/testing/node-cluster.ts';
import { simulatedBackend } from '../../../simulated/index.ts';
import { csiDriver } from '../../kit/csi-driver.ts';
import type { CsiDriverDefinition, CsiNode } from '../../kit/driver-definition.ts';
import { csiDriversIn } from '../open-csi-node.ts';

export const DRIVER = 'dir.csi.example.com';
export const HANDLE = 'volume-1';
export const UNIQUE = `kubernetes.io/csi/${DRIVER}^${HANDLE}`;

/** How a claim and its volume differ from a plain one. */
export interface ClaimOptions {
  readonly driver?: Partial<CSIDriverSpec>;
  readonly volume?: Partial<PersistentVolumeSpec>;
  readonly csi?: Partial<NonNullable<PersistentVolumeSpec['csi']>>;
}

export class CsiCluster implements AsyncDisposable {
  readonly nodes: NodeCluster;
  readonly folder: string;

  private constructor(nodes: NodeCluster, folder: string) {
    this.nodes = nodes;
    this.folder = folder;
  }

  static async start(): Promise<CsiCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'csi-'));
    const backend = simulatedBackend({ volumeDrivers: csiDriversIn({ folder: join(folder, 'nodes') }) });
    return new CsiCluster(await NodeCluster.start(nodeAgents({ backend })), folder);
  }

  /** The agent's folder. */
  get root(): string {
    return join(this.folder, 'nodes', 'keelson');
  }

  /** The file system of a volume. */
  data(id = HANDLE): string {
    return join(this.folder, 'data', id);
  }

  target(podUid: string, spec = 'v'): string {
    return join(this.root, 'pods', podUid, 'volumes', 'kubernetes.io~csi', spec, 'mount');
  }

  /** A driver whose volumes are folders, visible by links. */
  linking(members: Partial<CsiNode> = {}): CsiNode {
    return {
      id: 'node-1',
      publish: async ({ id }, { targetPath }) => {
        await mkdir(this.data(id), { recursive: true });
        await symlink(this.data(id), targetPath).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
        });
      },
      unpublish: (_, { targetPath }) => rm(targetPath, { force: true }),
      ...members,
    };
  }

  /** Serves a driver and registers it, until it is disposed of. */
  async serve(node: CsiNode, rest: Partial<CsiDriverDefinition> = {}): Promise<AsyncDisposable> {
    const driver = csiDriver({ name: DRIVER, version: '1', node, types: ['mount', 'block'], ...rest });
    const listen = `unix://${join(this.folder, 'csi.sock')}`;
    const served = driver.serve({ listen, registerIn: join(this.root, 'plugins_registry') });
    const stop = new AbortController();
    const running = served.run(stop.signal);
    await served.listening();
    return {
      async [Symbol.asyncDispose]() {
        stop.abort();
        await running;
      },
    };
  }

  async registered(): Promise<void> {
    await until(async () => {
      const { spec } = await this.nodes.client.storage.v1.csinodes.get('keelson');
      expect(spec.drivers).toMatchObject([{ name: DRIVER }]);
    });
  }

  /** The claim `data`, bound to the volume `v` of the driver. By default the driver does not attach. */
  async claim({ driver, volume, csi }: ClaimOptions = {}): Promise<void> {
    const { storage, core } = this.nodes.client;
    await storage.v1.csidrivers.create({ metadata: { name: DRIVER }, spec: { attachRequired: false, ...driver } });
    const claims = core.v1.persistentvolumeclaims.namespace('default');
    const { accessModes = ['ReadWriteOnce'], volumeMode = 'Filesystem' } = volume ?? {};
    const { metadata } = await claims.create({
      metadata: { name: 'data' },
      spec: { accessModes, volumeMode, resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
    });
    await claims.status.patch('data', mergePatch({ status: { phase: 'Bound' } }));
    await core.v1.persistentvolumes.create({
      metadata: { name: 'v' },
      spec: {
        accessModes,
        capacity: { storage: '1Gi' },
        claimRef: { namespace: 'default', name: 'data', uid: metadata.uid },
        ...volume,
        csi: { driver: DRIVER, volumeHandle: HANDLE, ...csi },
      },
    });
  }

  /** Makes a pod with the claim at `/data`; returns its uid. */
  async pod(name: string, spec: Partial<PodSpec> = {}): Promise<string> {
    const volumes = [{ name: 'files', persistentVolumeClaim: { claimName: 'data' } }];
    const volumeMounts = [{ name: 'files', mountPath: '/data' }];
    const containers = [{ name: 'c', image: 'busybox', command: ['sleep', '1000000'], volumeMounts }];
    const { metadata } = await this.nodes.pods.create({
      metadata: { name },
      spec: { nodeName: 'keelson', containers, volumes, ...spec },
    });
    return metadata.uid;
  }

  async running(name: string): Promise<void> {
    await until(async () => expect((await this.nodes.pods.get(name)).status?.phase).toBe('Running'));
  }

  /** Waits for an event about a pod. */
  async event(name: string, words: string): Promise<void> {
    await until(async () => expect((await this.nodes.events(name)).join('\n')).toContain(words));
  }

  async delete(name: string): Promise<void> {
    await this.nodes.pods.delete(name, { gracePeriodSeconds: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nodes[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Waits for a condition in real time: drivers answer over sockets. */
export async function until(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 120_000, interval: 20 });
}
