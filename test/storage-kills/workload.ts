import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../src/base/index.ts';
import { type Client, hasReason, type Observed, type Pod } from '../../src/client/index.ts';
import { DRIVER_NAME } from './names.ts';

const CLASS = 'kills';
/** A pod is taken at its word when it has run for this long: then it has written its name. */
const SURE_MS = 1500;

/** Claims whose pods come and go, on one node after another. Each pod adds its name to a file in the volume. */
export class Workload {
  readonly #client: Client;
  readonly #random: Random;
  readonly #nodes: readonly string[];
  /** Claims, each with the names that its file must have. */
  readonly #written = new Map<string, string[]>();
  /** Since when pods are seen to run. */
  readonly #runningSinceMs = new Map<string, number>();
  #made = 0;

  constructor(client: Client, options: { readonly random: Random; readonly nodes: readonly string[] }) {
    this.#client = client;
    this.#random = options.random;
    this.#nodes = options.nodes;
  }

  async start(claims: number): Promise<void> {
    const { storage } = this.#client;
    await storage.v1.csidrivers.create({ metadata: { name: DRIVER_NAME }, spec: { attachRequired: true } });
    await storage.v1.storageclasses.create({ metadata: { name: CLASS }, provisioner: DRIVER_NAME });
    for (let index = 0; index < claims; index++) await this.#claim();
  }

  /** Starts or deletes a pod, or replaces a claim; what fails because a server is away is left for another time. */
  async step(): Promise<void> {
    try {
      const pods = await this.#pods();
      this.#look(pods);
      const claims = [...this.#written.keys()];
      const claim = claims[Math.floor(this.#random.float() * claims.length)] ?? '';
      const pod = pods.find(({ spec }) => claimOf(spec) === claim);
      if (pod === undefined) {
        if (this.#random.float() < 0.15) await this.#replace(claim);
        else await this.#pod(claim);
      } else if (pod.metadata.deletionTimestamp === undefined) await this.#end(pod);
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }

  /** Starts a pod for each claim that has none. */
  async startAll(): Promise<void> {
    const pods = await this.#pods();
    this.#look(pods);
    for (const claim of this.#written.keys())
      if (!pods.some(({ spec }) => claimOf(spec) === claim)) await this.#pod(claim);
  }

  /** What hinders that all pods run; undefined when all do. */
  async waiting(): Promise<string | undefined> {
    const pods = await this.#pods();
    this.#look(pods);
    for (const claim of this.#written.keys()) {
      const pod = pods.find((each) => claimOf(each.spec) === claim);
      if (pod?.metadata.deletionTimestamp !== undefined) return `pod ${pod.metadata.name} is still there`;
      if (pod?.status?.phase !== 'Running') return `claim ${claim} has no running pod`;
    }
    return undefined;
  }

  /** Names that are missing in the volumes. */
  async lost(data: string): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const [claim, names] of this.#written) {
      const { spec } = await this.#claims().get(claim);
      const { volumeName = '' } = spec ?? {};
      const volume = volumeName === '' ? undefined : await this.#client.core.v1.persistentvolumes.get(volumeName);
      const file = join(data, volume?.spec?.csi?.volumeHandle ?? 'none', 'pods');
      const text = await readFile(file, 'utf8').catch(() => '');
      const found = text.split('\n');
      for (const name of names)
        if (!found.includes(name)) problems.push(`what pod ${name} wrote into claim ${claim} is lost`);
    }
    return problems;
  }

  async deletePods(): Promise<void> {
    for (const { metadata } of await this.#pods())
      await this.#client.core.v1.pods.namespace('default').delete(metadata.name).catch(ignoreMissing);
  }

  async deleteClaims(): Promise<void> {
    for (const claim of this.#written.keys()) await this.#claims().delete(claim).catch(ignoreMissing);
  }

  async #claim(): Promise<void> {
    const name = `claim-${this.#made++}`;
    await this.#claims().create({
      metadata: { name },
      spec: { storageClassName: CLASS, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    });
    this.#written.set(name, []);
  }

  async #replace(claim: string): Promise<void> {
    await this.#claims().delete(claim).catch(ignoreMissing);
    this.#written.delete(claim);
    await this.#claim();
  }

  async #pod(claim: string): Promise<void> {
    const name = `pod-${this.#made++}`;
    const node = this.#nodes[Math.floor(this.#random.float() * this.#nodes.length)] ?? '';
    const command = ['sh', '-c', `echo ${name} >> /data/pods; sleep 1000000`];
    await this.#client.core.v1.pods.namespace('default').create({
      metadata: { name },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node },
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'c', image: 'busybox', command, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
      },
    });
  }

  async #end({ metadata }: Observed<Pod>): Promise<void> {
    const isForced = this.#random.float() < 0.2;
    const options = isForced ? { gracePeriodSeconds: 0 } : {};
    await this.#client.core.v1.pods.namespace('default').delete(metadata.name, options).catch(ignoreMissing);
  }

  /** Notes what the pods that have run for a while must have written. */
  #look(pods: readonly Observed<Pod>[]): void {
    const nowMs = performance.now();
    for (const { metadata, spec, status } of pods) {
      const { name } = metadata;
      if (status?.phase !== 'Running' || metadata.deletionTimestamp !== undefined) continue;
      const sinceMs = this.#runningSinceMs.get(name) ?? nowMs;
      this.#runningSinceMs.set(name, sinceMs);
      const names = this.#written.get(claimOf(spec) ?? '');
      if (nowMs - sinceMs >= SURE_MS && names?.includes(name) === false) names.push(name);
    }
  }

  async #pods(): Promise<readonly Observed<Pod>[]> {
    return (await this.#client.core.v1.pods.namespace('default').list()).items;
  }

  #claims(): ReturnType<Client['core']['v1']['persistentvolumeclaims']['namespace']> {
    return this.#client.core.v1.persistentvolumeclaims.namespace('default');
  }
}

function claimOf(spec: Observed<Pod>['spec']): string | undefined {
  return spec?.volumes?.find(({ name }) => name === 'data')?.persistentVolumeClaim?.claimName;
}

/** Whether a request failed because the server was killed, and not because it is wrong. */
function isOutage(error: unknown): boolean {
  return !(['Invalid', 'BadRequest', 'Forbidden', 'NotFound'] as const).some((reason) => hasReason(error, reason));
}

function ignoreMissing(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}
