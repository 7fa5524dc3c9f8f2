import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { skipWhen } from '../../base/testing/requires.ts';
import { NftError } from '../nftables/nft.ts';
import type { PolicyStatement, RuleStatement } from '../policies/index.ts';
import { EnforcedNode, labPod } from './testing/enforced-node.ts';
import { type Flow, type LabNode, labRanges, PodLab, whyNoLab } from './testing/pod-lab.ts';

const reason = whyNoLab();

/** Two pods on the first node, one on the second. */
const nodes: readonly LabNode[] = [
  {
    name: 'n1',
    pods: [
      { name: 'a/web', addresses: ['10.1.0.2', 'fd01::2'] },
      { name: 'a/db', addresses: ['10.1.0.3', 'fd01::3'] },
    ],
  },
  { name: 'n2', pods: [{ name: 'b/far', addresses: ['10.2.0.2', 'fd02::2'] }] },
];
const pods = nodes.flatMap(({ name: node, pods: own }) => own.map((pod) => ({ ...pod, node })));
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a/web': { app: 'web' },
  'a/db': { app: 'db' },
  'b/far': { app: 'web' },
};

let lab: PodLab;
let enforced: readonly EnforcedNode[] = [];

function addressOf(pod: string, family: 4 | 6 = 4): string {
  return pods.find(({ name }) => name === pod)?.addresses[family === 4 ? 0 : 1] ?? pod;
}

function flow(from: string, to: string, about: Partial<Flow> & { readonly family?: 4 | 6 } = {}): Flow {
  const { family = 4, ...rest } = about;
  return { from, address: addressOf(to, family), protocol: 'TCP', port: 80, ...rest };
}

async function setPolicies(...statements: readonly PolicyStatement[]): Promise<void> {
  for (const { resolver } of enforced) for (const each of statements) resolver.setPolicy(each);
  await Promise.all(enforced.map((each) => each.apply()));
}

async function removePolicies(...keys: readonly string[]): Promise<void> {
  for (const { resolver } of enforced) for (const key of keys) resolver.removePolicy(key);
  await Promise.all(enforced.map((each) => each.apply()));
}

/** Checks which flows pass, all at once. */
async function expectFlows(...cases: readonly (readonly [Flow, boolean])[]): Promise<void> {
  const expected = cases.map(([, isAllowed]) => isAllowed);
  const results = await lab.probe(
    cases.map(([each]) => each),
    expected,
  );
  const worded = (list: readonly boolean[]): readonly string[] =>
    cases.map(([{ from, address, protocol, port }], at) => `${from} → ${address} ${protocol} ${port}: ${list[at]}`);
  expect(worded(results)).toEqual(worded(expected));
}

const ofDb = { namespace: 'a', podSelector: { matchLabels: { app: 'db' } } };
const ofWeb = { namespaceSelector: {}, podSelector: { matchLabels: { app: 'web' } } };
const to = (rules: readonly RuleStatement[], key = 'a/db'): PolicyStatement => ({ key, subject: ofDb, ingress: rules });
const from = (rules: readonly RuleStatement[], key = 'a/db'): PolicyStatement => ({
  key,
  subject: ofDb,
  egress: rules,
});

describe('a table of policies lets pass what they allow', skipWhen(reason !== undefined, reason ?? ''), () => {
  beforeAll(async () => {
    lab = await PodLab.open(nodes);
    await lab.serve([
      ...pods.flatMap(({ name, addresses }) =>
        addresses.flatMap((address) => [
          { in: name, address, protocol: 'TCP' as const, port: 80 },
          { in: name, address, protocol: 'TCP' as const, port: 81 },
          { in: name, address, protocol: 'UDP' as const, port: 80 },
        ]),
      ),
      { in: 'n1', address: '10.1.0.1', protocol: 'TCP', port: 80 },
    ]);
    enforced = nodes.map(({ name }) => new EnforcedNode(lab, name));
    for (const { resolver } of enforced) {
      for (const name of ['a', 'b']) resolver.setNamespace(name, { name });
      for (const { name, node, addresses } of pods)
        resolver.setPod(
          labPod(name, {
            node,
            addresses,
            labels: LABELS[name] ?? {},
            ports: [{ name: 'main', protocol: 'TCP', port: name === 'a/db' ? 81 : 80 }],
          }),
        );
    }
  });

  afterEach(async () => {
    await removePolicies('a/db', 'a/db-2', 'a/web');
    for (const { table } of enforced) await table.setRanges([]);
  });

  afterAll(() => lab[Symbol.asyncDispose]());

  test('without policies there is no table, and everything passes', async () => {
    await setPolicies();

    expect(await lab.run('n1', 'nft', 'list', 'ruleset')).toBe('');
    await expectFlows([flow('a/web', 'a/db'), true], [flow('b/far', 'a/db', { family: 6 }), true]);
  });

  test('connections to an isolated pod, from its node, from another one and in both families', async () => {
    await setPolicies(to([]));

    await expectFlows(
      [flow('a/web', 'a/db'), false],
      [flow('a/web', 'a/db', { family: 6 }), false],
      [flow('a/web', 'a/db', { protocol: 'UDP' }), false],
      [flow('b/far', 'a/db'), false],
      [flow('b/far', 'a/db', { family: 6 }), false],
      [flow('n1', 'a/db'), true], // the pod's own node, as probes need it
      [flow('n2', 'a/db'), false],
      [flow('a/db', 'a/web'), true],
      [flow('a/db', 'b/far', { family: 6 }), true],
      [flow('a/db', 'a/db'), true],
    );
  });

  test('connections from an isolated pod, also to its own node', async () => {
    await setPolicies(from([{ peers: [{ namespaceSelector: { matchLabels: { name: 'b' } } }] }]));

    await expectFlows(
      [flow('a/db', 'a/web'), false],
      [flow('a/db', 'a/web', { family: 6 }), false],
      [flow('a/db', 'b/far'), true],
      [flow('a/db', 'b/far', { family: 6 }), true],
      [flow('a/db', '10.1.0.1'), false],
      [flow('a/web', '10.1.0.1'), true],
      [flow('a/web', 'a/db'), true], // and the answers get out
      [flow('n1', 'a/db'), true],
    );
  });

  test('peers, numbers and names of ports, ranges of ports, and ranges of addresses with exceptions', async () => {
    await setPolicies(
      to([
        { peers: [ofWeb], ports: [{ protocol: 'TCP', port: 'main' }] },
        {
          peers: [{ cidrs: ['10.0.0.0/8', 'fd00::/8'], except: ['10.2.0.0/16'] }],
          ports: [{ protocol: 'UDP', port: 79, endPort: 82 }],
        },
      ]),
    );

    await expectFlows(
      [flow('a/web', 'a/db', { port: 81 }), true],
      [flow('b/far', 'a/db', { port: 81, family: 6 }), true],
      [flow('a/web', 'a/db', { port: 80 }), false],
      [flow('a/web', 'a/db', { protocol: 'UDP' }), true],
      [flow('b/far', 'a/db', { protocol: 'UDP' }), false],
      [flow('b/far', 'a/db', { protocol: 'UDP', family: 6 }), true],
    );
  });

  test('a name of a port means each destination pod its own number', async () => {
    await setPolicies({ key: 'a/web', subject: ofWeb, egress: [{ ports: [{ protocol: 'TCP', port: 'main' }] }] });

    await expectFlows(
      [flow('a/web', 'a/db', { port: 81 }), true],
      [flow('a/web', 'a/db', { port: 80 }), false],
      [flow('a/web', 'b/far', { port: 80 }), true],
      [flow('a/web', 'b/far', { port: 81 }), false],
    );
  });

  test('all ports of a protocol, and all of everything, which ICMP needs', async () => {
    const ping = flow('a/web', 'a/db', { protocol: 'ICMP' });
    await setPolicies(to([{ peers: [ofWeb], ports: [{ protocol: 'TCP' }] }]));
    await expectFlows(
      [flow('a/web', 'a/db'), true],
      [flow('a/web', 'a/db', { protocol: 'UDP' }), false],
      [ping, false],
    );

    await setPolicies(to([{ peers: [ofWeb] }]));

    await expectFlows([flow('a/web', 'a/db', { protocol: 'UDP' }), true], [ping, true]);
  });

  test('a connection that is open stops when a policy forbids it, and goes on when it is allowed again', async () => {
    await setPolicies(to([{ peers: [ofWeb] }]));
    expect(await lab.hold('near', flow('a/web', 'a/db'))).toBe(true);
    expect(await lab.hold('far', flow('b/far', 'a/db', { family: 6 }))).toBe(true);
    expect(await lab.talk('near', true)).toBe(true);

    await setPolicies(to([{ peers: [{ cidrs: ['10.1.0.2/32'] }] }]));
    expect(await lab.talk('near', true)).toBe(true);
    expect(await lab.talk('far', false)).toBe(false);
    await setPolicies(from([], 'a/db-2')); // answers are part of a connection that ingress allows
    expect(await lab.talk('near', true)).toBe(true);
    await setPolicies({ key: 'a/web', subject: ofWeb, egress: [] });
    expect(await lab.talk('near', false)).toBe(false);

    await removePolicies('a/web', 'a/db', 'a/db-2');
    expect(await lab.talk('near', true)).toBe(true);
    expect(await lab.talk('far', true)).toBe(true);
  });

  test('policies see the pod behind the address of a Service, also when a pod reaches itself by it', async () => {
    await lab
      .nft('n1')
      .apply(
        [
          'add table ip services',
          'add chain ip services pre { type nat hook prerouting priority dstnat; }',
          'add rule ip services pre ip daddr 10.96.0.1 tcp dport 8080 dnat to 10.1.0.3:80',
          'add chain ip services post { type nat hook postrouting priority srcnat; }',
          'add rule ip services post ct status dnat ct original ip saddr 10.1.0.3 masquerade',
        ].join('\n'),
      );
    const service = { address: '10.96.0.1', port: 8080 };
    try {
      await setPolicies(to([{ ports: [{ protocol: 'TCP', port: 80 }], peers: [{ cidrs: ['10.1.0.2/32'] }] }]));
      await expectFlows([flow('a/web', '', service), true], [flow('a/db', '', service), true]);

      await setPolicies(to([{ ports: [{ protocol: 'TCP', port: 8080 }] }]));
      await expectFlows([flow('a/web', '', service), false], [flow('a/db', '', service), true]);
    } finally {
      await lab.nft('n1').apply('delete table ip services');
    }
  });

  test('a program of the node behind a Service is found by the port of the Service, and by its own', async () => {
    await lab
      .nft('n1')
      .apply([
        'add table ip services',
        'add chain ip services pre { type nat hook prerouting priority dstnat; }',
        'add rule ip services pre ip daddr 10.96.0.10 tcp dport 53 dnat to 10.1.0.1:80',
      ]);
    const names = { address: '10.96.0.10', port: 53 };
    try {
      await setPolicies(from([{ ports: [{ protocol: 'TCP', port: 53 }] }]));
      await expectFlows(
        [flow('a/db', '', names), true],
        [flow('a/db', '10.1.0.1'), false],
        [flow('a/db', 'a/web', { port: 81 }), false],
      );

      await setPolicies(from([{ ports: [{ protocol: 'TCP', port: 80 }] }]));
      await expectFlows([flow('a/db', '', names), true], [flow('a/db', '10.1.0.1'), true]);
      await setPolicies(from([{ ports: [{ protocol: 'TCP', port: 81 }] }]));
      await expectFlows([flow('a/db', '', names), false]);
    } finally {
      await lab.nft('n1').apply('delete table ip services');
    }
  });

  test('an address in the ranges of the node is closed until its pod is known, while there is a policy', async () => {
    const [n1] = enforced;
    n1?.resolver.removePod('a/db');
    for (const [at, { table }] of enforced.entries()) await table.setRanges(labRanges(at));
    await setPolicies();
    await expectFlows([flow('a/web', 'a/db'), true]);

    await setPolicies(to([]));
    await expectFlows(
      [flow('a/web', 'a/db'), false],
      [flow('a/db', 'b/far'), false],
      [flow('a/db', '10.1.0.1'), false],
      [flow('a/web', 'b/far'), true],
      [flow('n1', 'a/db'), true],
      [flow('b/far', 'a/db', { family: 6 }), false],
    );

    n1?.resolver.setPod(labPod('a/db', { node: 'n1', labels: { app: 'other' } }));
    n1?.resolver.attach({ key: 'a/db', uid: 'a/db' }, ['10.1.0.3', 'fd01::3']);
    await setPolicies();
    await expectFlows([flow('a/web', 'a/db'), true], [flow('a/db', 'b/far'), true], [flow('a/db', '10.1.0.1'), true]);
    const known = { node: 'n1', addresses: ['10.1.0.3', 'fd01::3'], labels: { app: 'db' } };
    n1?.resolver.setPod(labPod('a/db', { ...known, ports: [{ name: 'main', protocol: 'TCP', port: 81 }] }));
  });

  test('tiers: the first rule that matches decides, and one that passes leaves it to the next tier', async () => {
    await setPolicies(
      {
        ...to([
          { action: 'deny', ports: [{ protocol: 'TCP', port: 81 }] },
          { action: 'pass', peers: [{ cidrs: ['10.1.0.0/16'] }] },
          { peers: [{ cidrs: ['10.2.0.0/16'] }] },
        ]),
        tier: -1,
      },
      to([{ ports: [{ protocol: 'UDP' }] }], 'a/db-2'),
    );
    await expectFlows(
      [flow('a/web', 'a/db', { port: 81 }), false],
      [flow('a/web', 'a/db'), false], // passed on, and not allowed there
      [flow('a/web', 'a/db', { protocol: 'UDP' }), true],
      [flow('b/far', 'a/db'), true],
      [flow('b/far', 'a/db', { family: 6 }), false], // no rule of the first tier
    );

    await setPolicies({ ...to([{}]), tier: -1 });
    await expectFlows([flow('a/web', 'a/db', { port: 81 }), true], [flow('b/far', 'a/db', { family: 6 }), true]);
  });

  test('a table that another program has flushed is made again whole', async () => {
    const [n1] = enforced;
    await setPolicies(to([{ peers: [ofWeb] }]));
    await lab.run('n1', 'nft', 'flush', 'ruleset');
    n1?.resolver.setPod(labPod('b/new', { addresses: ['10.2.0.9'], labels: { app: 'web' } }));

    const failure = await n1?.apply().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NftError);
    expect((failure as NftError).isMissing).toBe(true);
    await n1?.apply({ isWhole: true });

    await expectFlows([flow('a/web', 'a/db'), true], [flow('n2', 'a/db'), false]);
    n1?.resolver.removePod('b/new');
  });

  test('chains and sets that nothing uses any more do not stay', async () => {
    const names = async (): Promise<number> =>
      [...(await lab.run('n1', 'nft', 'list', 'table', 'inet', 'keelson-policies')).matchAll(/^\t(chain|set) /gm)]
        .length;
    await setPolicies(to([{ peers: [ofWeb] }]));
    const before = await names();

    await setPolicies(to([{ peers: [{ namespaceSelector: { matchLabels: { name: 'b' } } }] }], 'a/db-2'));
    await setPolicies({ key: 'a/web', subject: ofWeb, egress: [{ peers: [{ namespace: 'b' }] }] });
    expect(await names()).toBeGreaterThan(before);
    await removePolicies('a/db-2');
    await removePolicies('a/web');
    await setPolicies(to([{ peers: [ofWeb], ports: [{ protocol: 'TCP' }] }]));

    expect(await names()).toBe(before);
  });

  test('when the last policy is gone, and when it is removed, nothing is left', async () => {
    await setPolicies(to([{ peers: [ofWeb] }]));
    await removePolicies('a/db');
    expect(await lab.run('n1', 'nft', 'list', 'ruleset')).toBe('');

    await setPolicies(to([{ peers: [ofWeb] }]));
    for (const { table } of enforced) await table.remove();

    expect(await lab.run('n1', 'nft', 'list', 'ruleset')).toBe('');
    for (const each of enforced) await each.apply({ isWhole: true });
  });
});
