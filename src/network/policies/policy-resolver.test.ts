import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networkPolicyStatement } from './network-policy-statement.ts';
import type { PolicedPod } from './policed-pod.ts';
import { PolicyResolver } from './policy-resolver.ts';
import { PolicyState } from './policy-state.ts';
import type { PolicyStatement } from './policy-statement.ts';
import { isAllowed } from './verdict.ts';

function pod(key: string, about: Partial<PolicedPod> = {}): PolicedPod {
  const [namespace = ''] = key.split('/');
  return {
    key,
    namespace,
    uid: `uid of ${key}`,
    createdAt: '',
    labels: {},
    node: 'n1',
    addresses: [],
    ports: [],
    ...about,
  };
}

/** The whole result, in an order that does not depend on how it came about. */
function resultOf(state: PolicyState): unknown {
  const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
    [...map].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    hasPolicies: state.hasPolicies,
    sets: sorted(state.sets).map(([id, addresses]) => [id, [...addresses].toSorted()]),
    policies: sorted(state.policies),
    pods: sorted(state.pods),
  };
}

function stateOf(resolver: PolicyResolver): PolicyState {
  const state = new PolicyState();
  const changes = resolver.takeChanges({ isWhole: true });
  if (changes !== undefined) state.apply(changes);
  return state;
}

const allowFromWeb: PolicyStatement = {
  key: 'shop/db',
  subject: { namespace: 'shop', podSelector: { matchLabels: { app: 'db' } } },
  ingress: [
    {
      peers: [{ namespace: 'shop', podSelector: { matchLabels: { app: 'web' } } }],
      ports: [{ protocol: 'TCP', port: 'sql' }],
    },
  ],
};

function shop(): PolicyResolver {
  const resolver = new PolicyResolver('n1');
  resolver.setNamespace('shop', {});
  resolver.setPod(
    pod('shop/db', {
      labels: { app: 'db' },
      addresses: ['10.0.0.1'],
      ports: [{ name: 'sql', protocol: 'TCP', port: 5432 }],
    }),
  );
  resolver.setPod(pod('shop/web', { labels: { app: 'web' }, addresses: ['10.0.0.2'], node: 'n2' }));
  resolver.setPod(pod('shop/other', { addresses: ['10.0.0.3'] }));
  return resolver;
}

describe('the resolver of policies', () => {
  test('isolates the pods that a policy selects, with the addresses of its peers and the numbers of named ports', () => {
    const resolver = shop();
    resolver.setPolicy(allowFromWeb);

    const state = stateOf(resolver);

    expect(state.pods.get('shop/db')).toEqual({
      key: 'shop/db',
      uid: 'uid of shop/db',
      addresses: ['10.0.0.1'],
      ingress: [['shop/db']],
      egress: [],
    });
    expect(state.pods.get('shop/other')?.ingress).toEqual([]);
    expect(state.pods.has('shop/web')).toBe(false); // on another node
    expect([...(state.sets.get('pods shop app=web') ?? [])]).toEqual(['10.0.0.2']);
    const to = { destination: '10.0.0.1', protocol: 'TCP', port: 5432 } as const;
    expect(isAllowed(state, { ...to, source: '10.0.0.2' })).toBe(true);
    expect(isAllowed(state, { ...to, source: '10.0.0.2', port: 80 })).toBe(false);
    expect(isAllowed(state, { ...to, source: '10.0.0.3' })).toBe(false);
    expect(isAllowed(state, { ...to, source: '10.0.0.3', destination: '10.0.0.2' })).toBe(true);
  });

  test('a new pod among the peers is one added address, and nothing else', () => {
    const resolver = shop();
    resolver.setPolicy(allowFromWeb);
    resolver.takeChanges();

    resolver.setPod(pod('shop/web-2', { labels: { app: 'web' }, addresses: ['10.0.0.4', 'fd00::4'], node: 'n2' }));

    expect(resolver.takeChanges()).toEqual({
      isWhole: false,
      hasPolicies: true,
      sets: new Map([['pods shop app=web', { type: 'difference', added: ['10.0.0.4', 'fd00::4'], removed: [] }]]),
      policies: new Map(),
      pods: new Map(),
    });
    expect(resolver.takeChanges()).toBeUndefined();
  });

  test('the rules of a policy that selects no pod of the node are not resolved', () => {
    const resolver = shop();
    resolver.setPod(pod('shop/db', { node: 'n2', labels: { app: 'db' }, addresses: ['10.0.0.1'] }));
    resolver.setPolicy(allowFromWeb);

    const { hasPolicies, sets, policies } = stateOf(resolver);

    expect(hasPolicies).toBe(true);
    expect([sets.size, policies.size]).toEqual([0, 0]);
  });

  test('policies with the same peers share a set, which goes with the last of them', () => {
    const resolver = shop();
    resolver.setPolicy(allowFromWeb);
    resolver.setPolicy({ ...allowFromWeb, key: 'shop/db-2' });
    resolver.takeChanges();

    resolver.removePolicy('shop/db');
    expect(resolver.takeChanges()?.sets.size).toBe(0);
    resolver.removePolicy('shop/db-2');

    expect(resolver.takeChanges()?.sets.get('pods shop app=web')).toEqual({ type: 'gone' });
  });

  test('addresses that the node has given count before the status shows them, and no more after they were taken back', () => {
    const resolver = shop();
    resolver.setPod(pod('shop/new'));
    expect(stateOf(resolver).pods.has('shop/new')).toBe(false);

    resolver.attach({ key: 'shop/new', uid: 'uid of shop/new' }, ['10.0.0.9']);
    expect(stateOf(resolver).pods.get('shop/new')?.addresses).toEqual(['10.0.0.9']);
    resolver.setPod(pod('shop/new', { addresses: ['10.0.0.9'] }));
    resolver.detach({ key: 'shop/new', uid: 'uid of shop/new' });

    expect(stateOf(resolver).pods.has('shop/new')).toBe(false);
  });

  test('an address that two pods of the node have belongs to the one that the node gave it to', () => {
    const resolver = shop();
    resolver.setPod(pod('shop/late', { createdAt: '2026-01-02T00:00:00Z', addresses: ['10.0.0.1'] }));
    expect(stateOf(resolver).pods.get('shop/late')?.addresses).toEqual(['10.0.0.1']);
    expect(stateOf(resolver).pods.has('shop/db')).toBe(false);

    resolver.attach({ key: 'shop/db', uid: 'uid of shop/db' }, ['10.0.0.1']);

    expect(resolver.takeChanges()?.pods).toEqual(
      new Map([
        ['shop/db', expect.objectContaining({ addresses: ['10.0.0.1'] })],
        ['shop/late', undefined],
      ]),
    );
  });

  test('tiers are asked in order: denied, passed on, and what no rule of a tier matches is denied', () => {
    const resolver = shop();
    const block = (cidr: string): PolicyStatement['ingress'] => [{ action: 'deny', peers: [{ cidrs: [cidr] }] }];
    resolver.setPolicy({ key: 'b', subject: {}, tier: 1, ingress: [{ peers: [{ cidrs: ['10.0.0.0/8'] }] }] });
    resolver.setPolicy({ key: 'a', subject: {}, tier: -1, order: 2, ingress: [{ action: 'pass' }] });
    resolver.setPolicy({ key: 'z', subject: {}, tier: -1, order: 1, ingress: block('10.0.0.2/32') });
    const state = stateOf(resolver);
    const to = { destination: '10.0.0.1', protocol: 'TCP', port: 1 } as const;

    expect(state.pods.get('shop/db')?.ingress).toEqual([['z', 'a'], ['b']]);
    expect(isAllowed(state, { ...to, source: '10.0.0.2' })).toBe(false);
    expect(isAllowed(state, { ...to, source: '10.0.0.3' })).toBe(true);
    expect(isAllowed(state, { ...to, source: '192.168.0.1' })).toBe(false);
  });

  test('a NetworkPolicy without types is about ingress, and about egress if it has such rules', () => {
    const statement = (spec: object): PolicyStatement =>
      networkPolicyStatement({ metadata: { namespace: 'a', name: 'b' }, spec });

    expect(statement({ podSelector: {} })).toEqual({
      key: 'a/b',
      subject: { namespace: 'a', podSelector: {} },
      ingress: [],
    });
    expect(statement({ podSelector: {}, egress: [{}] }).egress).toEqual([{}]);
    expect(statement({ policyTypes: ['Egress'] })).toMatchObject({ egress: [] });
    expect(statement({ policyTypes: ['Egress'] }).ingress).toBeUndefined();
  });
});

/** Small worlds, in which names, labels and addresses often meet. */
const names = fc.constantFrom('a', 'b', 'c');
const labels = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2'), { maxKeys: 2 });
const selector = fc.oneof(
  labels.map((matchLabels) => ({ matchLabels })),
  fc
    .record({ key: fc.constantFrom('x', 'y'), operator: fc.constantFrom('Exists', 'DoesNotExist') })
    .map((expression) => ({ matchExpressions: [expression] })),
  fc
    .record({ key: fc.constantFrom('x', 'y'), operator: fc.constantFrom('In', 'NotIn'), values: fc.constant(['1']) })
    .map((expression) => ({ matchExpressions: [expression] })),
);
const selection = fc.oneof(
  fc.record({ namespace: names, podSelector: selector }),
  fc.record({ namespaceSelector: selector, podSelector: selector }, { requiredKeys: [] }),
);
const rules = fc.array(
  fc.record(
    {
      peers: fc.array(fc.oneof(selection, fc.constant({ cidrs: ['10.0.0.0/30'], except: ['10.0.0.1/32'] })), {
        maxLength: 2,
      }),
      ports: fc.array(
        fc.record({
          protocol: fc.constantFrom('TCP', 'UDP'),
          port: fc.constantFrom<number | string>(80, 'http', 'dns'),
        }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 2 },
);
const statement = fc.record(
  {
    key: names,
    subject: selection,
    tier: fc.constantFrom(0, 1),
    order: fc.constantFrom(0, 1),
    ingress: rules,
    egress: rules,
  },
  { requiredKeys: ['key', 'subject'] },
) as fc.Arbitrary<PolicyStatement>;
const somePod = fc
  .record({
    key: fc.tuple(names, names).map(([namespace, name]) => `${namespace}/${name}`),
    uid: fc.constantFrom('u1', 'u2'),
    labels,
    node: fc.constantFrom('n1', 'n2'),
    addresses: fc.uniqueArray(fc.constantFrom('10.0.0.1', '10.0.0.2', 'fd00::1'), { maxLength: 2 }),
    ports: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('http', 'dns'),
        protocol: fc.constantFrom('TCP', 'UDP'),
        port: fc.constantFrom(80, 8080),
      }),
      { maxLength: 2, selector: ({ name, protocol }) => `${name} ${protocol}` },
    ),
  })
  .map(({ key, uid, ...about }) => pod(key, { ...about, uid: `${key} ${uid}` } as Partial<PolicedPod>));

type Change =
  | { readonly type: 'pod'; readonly pod: PolicedPod }
  | { readonly type: 'no pod'; readonly key: string }
  | { readonly type: 'attach' | 'detach'; readonly pod: PolicedPod }
  | { readonly type: 'namespace'; readonly name: string; readonly labels: Record<string, string> | undefined }
  | { readonly type: 'policy'; readonly statement: PolicyStatement }
  | { readonly type: 'no policy'; readonly key: string }
  | { readonly type: 'take' };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: somePod.map((each) => ({ type: 'pod', pod: each }) as const) },
  somePod.map(({ key }) => ({ type: 'no pod', key }) as const),
  fc.record({ type: fc.constantFrom('attach', 'detach'), pod: somePod }) as fc.Arbitrary<Change>,
  fc.record({ type: fc.constant('namespace' as const), name: names, labels: fc.option(labels, { nil: undefined }) }),
  { weight: 4, arbitrary: statement.map((each) => ({ type: 'policy', statement: each }) as const) },
  names.map((key) => ({ type: 'no policy', key }) as const),
  fc.constant({ type: 'take' } as const),
);

/** What exists after changes, kept as plainly as can be. */
class World {
  readonly pods = new Map<string, PolicedPod>();
  readonly attached = new Map<string, PolicedPod>();
  readonly namespaces = new Map<string, Record<string, string>>();
  readonly policies = new Map<string, PolicyStatement>();

  apply(each: Change): void {
    switch (each.type) {
      case 'pod':
        if (this.pods.get(each.pod.key)?.uid !== each.pod.uid) this.#dropPod(each.pod.key);
        return void this.pods.set(each.pod.key, each.pod);
      case 'no pod':
        return this.#dropPod(each.key);
      case 'attach':
        return void this.attached.set(each.pod.uid, each.pod);
      case 'detach':
        if (this.pods.get(each.pod.key)?.uid === each.pod.uid)
          this.attached.set(each.pod.uid, { ...each.pod, addresses: [] });
        else this.attached.delete(each.pod.uid);
        return;
      case 'namespace':
        if (each.labels === undefined) this.namespaces.delete(each.name);
        else this.namespaces.set(each.name, each.labels);
        return;
      case 'policy':
        return void this.policies.set(each.statement.key, each.statement);
      case 'no policy':
        return void this.policies.delete(each.key);
      case 'take':
        return;
    }
  }

  #dropPod(key: string): void {
    this.attached.delete(this.pods.get(key)?.uid ?? '');
    this.pods.delete(key);
  }

  resolvedAgain(): PolicyResolver {
    const resolver = new PolicyResolver('n1');
    for (const [name, each] of this.namespaces) resolver.setNamespace(name, each);
    for (const each of this.pods.values()) resolver.setPod(each);
    for (const each of this.attached.values()) resolver.attach(each, each.addresses);
    for (const each of this.policies.values()) resolver.setPolicy(each);
    return resolver;
  }
}

function applyTo(resolver: PolicyResolver, each: Change): void {
  switch (each.type) {
    case 'pod':
      return resolver.setPod(each.pod);
    case 'no pod':
      return resolver.removePod(each.key);
    case 'attach':
      return resolver.attach(each.pod, each.pod.addresses);
    case 'detach':
      return resolver.detach(each.pod);
    case 'namespace':
      return resolver.setNamespace(each.name, each.labels);
    case 'policy':
      return resolver.setPolicy(each.statement);
    case 'no policy':
      return resolver.removePolicy(each.key);
    case 'take':
      return;
  }
}

test('after any sequence of changes the delivered differences add up to what is resolved from scratch', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 10, maxLength: 60, size: 'max' }), (changes) => {
      const world = new World();
      const resolver = new PolicyResolver('n1');
      const delivered = new PolicyState();
      const take = (): void => {
        const taken = resolver.takeChanges();
        if (taken !== undefined) delivered.apply(taken);
      };
      for (const each of changes) {
        world.apply(each);
        applyTo(resolver, each);
        if (each.type === 'take') take();
      }
      take();
      expect(resultOf(delivered)).toEqual(resultOf(stateOf(world.resolvedAgain())));
      expect(resultOf(stateOf(resolver))).toEqual(resultOf(delivered));
    }),
    { numRuns: 300 },
  );
});
