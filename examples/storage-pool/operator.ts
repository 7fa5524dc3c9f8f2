import { type App, app, controller, Node, Pod, resource, Service, StatefulSet, watch } from 'keelson';
import { z } from 'zod';
import { Pool } from './pool.ts';

export const POOL = 'storage.example.com/pool';
/** A store writes its address on its pod. */
export const ADDRESS = 'storage.example.com/address';
const LOOK_MS = 30_000;

/** Stores that keep objects together. */
export const StoragePool = resource('storage.example.com/v1', 'StoragePool', {
  shortNames: ['pool'],
  spec: z.object({
    /** Less than half of them may be away. */
    stores: z.int().min(1).max(9).default(3),
    image: z.string().default('storage-pool/store'),
    version: z.string().default('v1'),
  }),
  status: z.object({
    phase: z.enum(['Creating', 'Healthy', 'Degraded', 'Down']),
    ready: z.int(),
    version: z.string(),
    /** The pods whose stores have all objects. */
    whole: z.array(z.string()).default([]),
  }),
  columns: {
    Phase: (it) => it.status.phase,
    Stores: (it) => it.spec.stores,
    Ready: (it) => it.status.ready,
    Version: (it) => it.status.version,
  },
});

/** A place for objects in a pool. */
export const Bucket = resource('storage.example.com/v1', 'Bucket', {
  spec: z.object({ pool: z.string() }),
  status: z.object({ phase: z.enum(['Waiting', 'Ready']), bucket: z.string() }),
  columns: { Pool: (it) => it.spec.pool, Phase: (it) => it.status.phase, Bucket: (it) => it.status.bucket },
});

interface StorePod {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>>; readonly deletionTimestamp?: string };
  readonly status?: { readonly phase?: string };
}

/** The addresses of the stores that run. */
export function addressesIn(pods: readonly StorePod[]): readonly string[] {
  return pods.flatMap(({ metadata, status }) => {
    const address = metadata.annotations?.[ADDRESS];
    const isUp = status?.phase === 'Running' && metadata.deletionTimestamp === undefined;
    return isUp && address !== undefined ? [address] : [];
  });
}

const pools = controller(StoragePool, {
  name: 'storage-pools',
  owns: [Service, StatefulSet],
  reads: [Node],
  watches: [
    watch(Pod, {
      to: ({ metadata }) => {
        const pool = metadata.labels?.[POOL];
        return pool === undefined ? [] : [`${metadata.namespace}/${pool}`];
      },
    }),
  ],
  async reconcile({ metadata: { name, namespace = '' }, spec, status }, { desire, objects, event, after }) {
    const labels = { [POOL]: name };
    const away = { operator: 'Exists' as const, effect: 'NoExecute' as const, tolerationSeconds: 30 };
    await desire(Service, {
      metadata: { name },
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels, ports: [{ port: 80 }] },
    });
    await desire(StatefulSet, {
      metadata: { name },
      spec: {
        serviceName: name,
        replicas: spec.stores,
        podManagementPolicy: 'Parallel',
        // a new store is empty: the next one is replaced when it has been given its objects, and not when it answers
        updateStrategy: { type: 'OnDelete' },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: 'storage-pool',
            tolerations: ['not-ready', 'unreachable'].map((taint) => ({ key: `node.kubernetes.io/${taint}`, ...away })),
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'ScheduleAnyway' as const,
                labelSelector: { matchLabels: labels },
              },
            ],
            containers: [
              {
                name: 'store',
                image: `${spec.image}:${spec.version}`,
                env: [
                  { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                  { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
                  { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
                ],
                volumeMounts: [{ name: 'objects', mountPath: '/objects' }],
              },
            ],
            // a store that comes back empty gets its objects from the others
            volumes: [{ name: 'objects', emptyDir: {} }],
          },
        },
      },
    });
    const pods = objects(Pod)
      .list({ namespace })
      .filter(({ metadata }) => metadata.labels?.[POOL] === name);
    for (const { metadata, spec: at } of pods) {
      if (metadata.deletionTimestamp === undefined || isReady(objects(Node).get(at?.nodeName ?? ''))) continue;
      // the node cannot say that the store has stopped; the others have its objects
      await objects(Pod).delete(`${namespace}/${metadata.name}`, { gracePeriodSeconds: 0 });
      event({
        type: 'Warning',
        reason: 'StoreLost',
        message: `Store ${metadata.name} is lost with node ${at?.nodeName}`,
      });
    }
    const addresses = addressesIn(pods);
    const uids = pods.map(({ metadata }) => metadata.uid).toSorted();
    const isWhole = addresses.length === spec.stores && uids.length === spec.stores;
    const isRepaired = uids.every((uid) => status?.whole.includes(uid));
    if (!isWhole || !isRepaired) after(LOOK_MS);
    if (isWhole && !isRepaired) {
      const writes = await new Pool(async () => ({ size: spec.stores, addresses })).repair();
      event({ reason: 'Healthy', message: `All ${spec.stores} stores answer, ${writes} objects were missing on some` });
    }
    const old = pods.find(({ spec: it }) => it?.containers[0]?.image !== `${spec.image}:${spec.version}`);
    if (isWhole && old !== undefined) await objects(Pod).delete(`${namespace}/${old.metadata.name}`);
    const isUsable = addresses.length > spec.stores / 2;
    const wasUsable = status?.phase !== undefined && status.phase !== 'Creating';
    return {
      phase: isWhole ? 'Healthy' : isUsable ? 'Degraded' : wasUsable ? 'Down' : 'Creating',
      ready: addresses.length,
      version: isWhole && old === undefined ? spec.version : (status?.version ?? ''),
      whole: isWhole ? uids : (status?.whole ?? []),
    };
  },
});

const buckets = controller(Bucket, {
  name: 'buckets',
  reads: [Pod],
  watches: [
    watch(StoragePool, {
      to: ({ metadata }, { objects }) =>
        objects(Bucket)
          .list({ namespace: metadata.namespace ?? '' })
          .filter(({ spec }) => spec.pool === metadata.name)
          .map((bucket) => `${bucket.metadata.namespace}/${bucket.metadata.name}`),
    }),
  ],
  reconcile({ metadata: { uid, namespace = '' }, spec }, { objects }) {
    const pool = objects(StoragePool).get(`${namespace}/${spec.pool}`);
    const isUsable = pool?.status?.phase === 'Healthy' || pool?.status?.phase === 'Degraded';
    return { phase: isUsable ? 'Ready' : 'Waiting', bucket: `bucket-${uid}` };
  },
  async finalize({ metadata: { uid, namespace = '' }, spec }, { objects, after }) {
    const pool = objects(StoragePool).get(`${namespace}/${spec.pool}`);
    if (pool === undefined) return undefined; // its stores are gone with it
    const pods = objects(Pod)
      .list({ namespace })
      .filter(({ metadata }) => metadata.labels?.[POOL] === spec.pool);
    const addresses = addressesIn(pods);
    if (addresses.length <= pool.spec.stores / 2) {
      after(LOOK_MS);
      return 'wait';
    }
    await new Pool(async () => ({ size: pool.spec.stores, addresses })).drop(`bucket-${uid}`);
    return undefined;
  },
});

function isReady(
  node:
    | { readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] } }
    | undefined,
): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

export function storageOperator(): App {
  return app('storage-operator', [pools, buckets], { resources: [StoragePool, Bucket] });
}
