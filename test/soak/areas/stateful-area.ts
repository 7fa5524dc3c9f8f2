import {
  AREA_PREFIX,
  type AreaParts,
  below,
  CONTAINER,
  createNamespace,
  mergePatch,
  pick,
  type SoakArea,
} from './area.ts';

const NAMESPACE = `${AREA_PREFIX}stateful`;
const MAX_SETS = 4;

/** StatefulSets with claims of their own, which go with them, and a DaemonSet that is rolled out. */
export function statefulArea({ client, random }: AreaParts): SoakArea {
  const sets = client.apps.v1.statefulsets.namespace(NAMESPACE);
  const daemons = client.apps.v1.daemonsets.namespace(NAMESPACE);
  const { pods, persistentvolumeclaims, nodes } = client.core.v1;
  const wanted = new Map<string, number>();
  let made = 0;

  async function create(): Promise<string> {
    const name = `db-${++made}`;
    const labels = { app: name };
    const replicas = below(random, 4);
    await sets.create({
      metadata: { name },
      spec: {
        serviceName: name,
        replicas,
        selector: { matchLabels: labels },
        podManagementPolicy: pick(random, ['OrderedReady', 'Parallel']),
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
        template: {
          metadata: { labels },
          spec: { containers: [{ ...CONTAINER, volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
    wanted.set(name, replicas);
    return `created StatefulSet ${name} of ${replicas}`;
  }

  async function change(): Promise<string> {
    const name = pick(random, [...wanted.keys()]);
    const isScaled = random.float() < 0.5;
    const replicas = isScaled ? below(random, 5) : (wanted.get(name) ?? 0);
    const image = `main:${below(random, 100)}`;
    const spec = isScaled ? { replicas } : { template: { spec: { containers: [{ ...CONTAINER, image }] } } };
    await sets.patch(name, mergePatch({ spec }));
    wanted.set(name, replicas);
    return isScaled ? `scaled StatefulSet ${name} to ${replicas}` : `rolled StatefulSet ${name}`;
  }

  async function remove(): Promise<string> {
    const name = pick(random, [...wanted.keys()]);
    await sets.delete(name, { propagationPolicy: pick(random, ['Background', 'Foreground']) });
    wanted.delete(name);
    return `deleted StatefulSet ${name}`;
  }

  async function rollDaemons(): Promise<string> {
    const image = `agent:${below(random, 100)}`;
    await daemons.patch(
      'agent',
      mergePatch({ spec: { template: { spec: { containers: [{ ...CONTAINER, image }] } } } }),
    );
    return 'rolled the DaemonSet';
  }

  return {
    namespace: NAMESPACE,
    async begin() {
      await createNamespace(client, NAMESPACE);
      const labels = { app: 'agent' };
      const template = { metadata: { labels }, spec: { containers: [CONTAINER] } };
      await daemons.create({ metadata: { name: 'agent' }, spec: { selector: { matchLabels: labels }, template } });
    },
    act() {
      if (wanted.size === 0) return create();
      const actions = [change, change, rollDaemons, remove, ...(wanted.size < MAX_SETS ? [create] : [])];
      return pick(random, actions)();
    },
    async problems() {
      const found: string[] = [];
      const there = new Map((await sets.list()).items.map((set) => [set.metadata.name, set]));
      for (const name of there.keys()) if (!wanted.has(name)) found.push(`StatefulSet ${name} should be gone`);
      for (const [name, replicas] of wanted) {
        const { readyReplicas = 0, updatedReplicas = 0, replicas: all = 0 } = there.get(name)?.status ?? {};
        if (readyReplicas !== replicas || updatedReplicas !== replicas || all !== replicas)
          found.push(
            `StatefulSet ${name} has ${all} pods, ${readyReplicas} ready, ${updatedReplicas} new, not ${replicas}`,
          );
      }
      const sum = [...wanted.values()].reduce((total, count) => total + count, 0);
      const claims = (await persistentvolumeclaims.namespace(NAMESPACE).list()).items;
      const unbound = claims.filter(({ status }) => status?.phase !== 'Bound');
      if (claims.length !== sum) found.push(`there are ${claims.length} claims of StatefulSets, not ${sum}`);
      for (const { metadata } of unbound) found.push(`claim ${metadata.name} is not bound`);
      const volumes = (await client.core.v1.persistentvolumes.list()).items;
      if (volumes.length !== sum) found.push(`there are ${volumes.length} volumes, not ${sum}`);
      const count = (await nodes.list()).items.length;
      const { status } = await daemons.get('agent');
      if (status?.numberReady !== count || status.updatedNumberScheduled !== count)
        found.push(
          `the DaemonSet has ${status?.numberReady} ready, ${status?.updatedNumberScheduled} new, not ${count}`,
        );
      const running = (await pods.namespace(NAMESPACE).list()).items.length;
      if (running !== sum + count) found.push(`there are ${running} stateful pods and daemons, not ${sum + count}`);
      return found;
    },
  };
}
