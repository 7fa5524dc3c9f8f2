import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../../../src/base/index.ts';
import { EnforcedNode, labPod } from '../../../src/network/enforcer/testing/enforced-node.ts';
import { type Flow, PodLab } from '../../../src/network/enforcer/testing/pod-lab.ts';
import { isAllowed, networkPolicyStatement, PolicyResolver, PolicyState } from '../../../src/network/index.ts';
import { type End, Oracle, type Question } from './oracle.ts';
import { type Change, PORTS, RandomCluster, type RandomPod } from './random-cluster.ts';

const NODES = ['n1', 'n2'] as const;
/** The addresses by which the nodes reach each other: to pods of the other node, a node is outside the cluster. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  n1: ['192.168.77.1', 'fd77::1'],
  n2: ['192.168.77.2', 'fd77::2'],
};
const SHOWN = 20;

interface Counts {
  verdicts: number;
  allowed: number;
  packets: number;
  wrong: number;
}

export interface JudgeOptions {
  /** The program. */
  readonly cyclonus: string;
  readonly firstSeed: number;
  readonly clusters: number;
  /** How often each cluster changes. */
  readonly changes: number;
  readonly hasPackets: boolean;
}

/** Compares verdicts for clusters at random, and returns how many differ. */
export async function judgeClusters(options: JudgeOptions): Promise<number> {
  const { cyclonus, firstSeed, clusters, changes, hasPackets } = options;
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-policies-'));
  const oracle = new Oracle(cyclonus, folder);
  const counts: Counts = { verdicts: 0, allowed: 0, packets: 0, wrong: 0 };
  const lab = hasPackets ? await openLab() : undefined;
  try {
    for (let seed = firstSeed; seed < firstSeed + clusters; seed++) {
      const before = { ...counts };
      await judgeCluster(seed, { oracle, lab, counts, changes });
      console.log(
        `seed ${seed}: ${counts.verdicts - before.verdicts} verdicts, ${counts.allowed - before.allowed} of them allow, ` +
          `${counts.packets - before.packets} flows tried, ${counts.wrong - before.wrong} wrong`,
      );
    }
  } finally {
    await lab?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
  console.log(
    `${clusters} clusters, ${changes} changes each: ${counts.verdicts} verdicts equal Cyclonus's but for ${counts.wrong}; ` +
      `${counts.allowed} allow; ${counts.packets} flows were tried with real packets`,
  );
  return counts.wrong;
}

async function openLab(): Promise<PodLab> {
  const { pods } = new RandomCluster(new SeededRandom(0));
  const placed = [...pods.values()];
  const lab = await PodLab.open(
    NODES.map((name) => ({
      name,
      pods: placed.filter(({ node }) => node === name).map((pod) => ({ name: pod.name, addresses: pod.addresses })),
    })),
  );
  const served = [
    ...placed.map(({ name, addresses }) => ({ name, addresses: addresses as readonly string[] })),
    ...NODES.map((name) => ({ name, addresses: OUTSIDE[name] ?? [] })),
  ];
  await lab.serve(
    served.flatMap(({ name, addresses }) =>
      addresses.flatMap((address) => PORTS.map(({ protocol, port }) => ({ in: name, address, protocol, port }))),
    ),
  );
  return lab;
}

interface Judges {
  readonly oracle: Oracle;
  readonly lab: PodLab | undefined;
  readonly counts: Counts;
  readonly changes: number;
}

async function judgeCluster(seed: number, { oracle, lab, counts, changes }: Judges): Promise<void> {
  const cluster = new RandomCluster(new SeededRandom(seed));
  const enforced = NODES.map((name) => (lab === undefined ? new ComputedNode(name) : new EnforcedNode(lab, name)));
  for (const { resolver } of enforced) fill(resolver, cluster);
  let last = 'the start';
  for (let step = 0; step <= changes; step++) {
    if (step > 0) {
      const change = cluster.change();
      last = JSON.stringify(change);
      for (const { resolver } of enforced) follow(resolver, change);
    }
    await Promise.all(enforced.map((node) => node.apply()));
    const questions = questionsAbout(cluster);
    const expected = await oracle.ask(
      cluster,
      questions.map(({ question }) => question),
    );
    const computed = questions.map(({ question }) =>
      enforced.every(({ state }) => isAllowed(state, connectionOf(question))),
    );
    const seen = await lab?.probe(
      questions.map(({ flow }) => flow),
      expected,
    );
    counts.verdicts += expected.length;
    counts.allowed += expected.filter(Boolean).length;
    counts.packets += seen?.length ?? 0;
    for (const [at, { flow }] of questions.entries()) {
      if (computed[at] === expected[at] && (seen === undefined || seen[at] === expected[at])) continue;
      counts.wrong += 1;
      if (counts.wrong > SHOWN) continue;
      console.log(
        `WRONG seed ${seed} step ${step} (${last}): ${flow.from} → ${flow.address} ${flow.protocol} ${flow.port}: ` +
          `Cyclonus ${expected[at]}, resolved ${computed[at]}, packets ${seen?.[at]}`,
      );
      if (counts.wrong === 1)
        console.log(JSON.stringify([...cluster.policies], undefined, 1), [...cluster.pods], [...cluster.namespaces]);
    }
  }
  if (lab === undefined) return;
  for (const node of enforced) if (node instanceof EnforcedNode) await node.table.remove();
}

/** A node whose policies are resolved but not enforced. */
class ComputedNode {
  readonly resolver: PolicyResolver;
  readonly state = new PolicyState();

  constructor(name: string) {
    this.resolver = new PolicyResolver(name);
  }

  async apply(): Promise<void> {
    const changes = this.resolver.takeChanges();
    if (changes !== undefined) this.state.apply(changes);
  }
}

function policed({ name, namespace, node, addresses, labels }: RandomPod): Parameters<PolicyResolver['setPod']>[0] {
  return labPod(`${namespace}/${name}`, { node, addresses, labels, ports: PORTS });
}

function fill(resolver: PolicyResolver, cluster: RandomCluster): void {
  for (const [name, labels] of cluster.namespaces) resolver.setNamespace(name, labels);
  for (const pod of cluster.pods.values()) resolver.setPod(policed(pod));
  for (const policy of cluster.policies.values()) resolver.setPolicy(networkPolicyStatement(policy));
}

function follow(resolver: PolicyResolver, change: Change): void {
  switch (change.type) {
    case 'policy':
      return resolver.setPolicy(networkPolicyStatement(change.policy));
    case 'no policy':
      return resolver.removePolicy(`${change.namespace}/${change.name}`);
    case 'pod':
      if (change.before.namespace !== change.pod.namespace)
        resolver.removePod(`${change.before.namespace}/${change.before.name}`);
      return resolver.setPod(policed(change.pod));
    case 'namespace':
      return resolver.setNamespace(change.name, change.labels);
  }
}

/** Every pair of pods, and every pod with the other node, in both families and on every port. */
function questionsAbout(cluster: RandomCluster): readonly { readonly question: Question; readonly flow: Flow }[] {
  const ends = [...cluster.pods.values()].map((pod) => ({
    name: pod.name,
    node: pod.node,
    pod,
    addresses: pod.addresses as readonly string[],
  }));
  const nodes = NODES.map((name) => ({ name, node: name, pod: undefined, addresses: OUTSIDE[name] ?? [] }));
  const all = [...ends, ...nodes];
  const endOf = (each: (typeof all)[number], address: string): End =>
    each.pod === undefined ? { address } : { pod: each.pod, address };
  return all.flatMap((source) =>
    all
      .filter((destination) => isAsked(source, destination))
      .flatMap((destination) =>
        [0, 1].flatMap((family) =>
          PORTS.map((port) => {
            const [from, to] = [source.addresses[family] ?? '', destination.addresses[family] ?? ''];
            return {
              question: { source: endOf(source, from), destination: endOf(destination, to), port },
              flow: { from: source.name, address: to, protocol: port.protocol, port: port.port },
            };
          }),
        ),
      ),
  );
}

interface Place {
  readonly name: string;
  readonly node: string;
  readonly pod: RandomPod | undefined;
}

/** A pod always reaches itself and is reached by its own node, which Cyclonus does not know; nodes are asked about with pods of the other one. */
function isAsked(source: Place, destination: Place): boolean {
  if (source.name === destination.name) return false;
  if (source.pod !== undefined && destination.pod !== undefined) return true;
  return source.node !== destination.node && (source.pod ?? destination.pod) !== undefined;
}

function connectionOf({ source, destination, port }: Question): Parameters<typeof isAllowed>[1] {
  return { source: source.address, destination: destination.address, protocol: port.protocol, port: port.port };
}
