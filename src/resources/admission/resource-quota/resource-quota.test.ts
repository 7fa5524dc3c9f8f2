import { afterEach, describe, expect, test } from 'vitest';
import { MERGE_PATCH, type Reply, TestApi } from '../../testing/test-api.ts';
import { resourceQuota } from './resource-quota.ts';
import type { LimitedResource } from './resource-quota-configuration.ts';

type Amounts = Readonly<Record<string, string>>;

const CORE = '/api/v1/namespaces/kinds';
let api: TestApi;

afterEach(() => api[Symbol.asyncDispose]());

async function open(limitedResources: readonly LimitedResource[] = []): Promise<void> {
  api = await TestApi.open({}, (parts) => [resourceQuota(parts, { limitedResources })]);
}

/** Creates a quota whose usage is already counted. */
async function quota(
  name: string,
  hard: Amounts,
  { used = {}, ...spec }: { readonly used?: Amounts; readonly [member: string]: unknown } = {},
): Promise<void> {
  await api.send('POST', `${CORE}/resourcequotas`, { metadata: { name }, spec: { hard, ...spec } });
  const zero = Object.fromEntries(Object.keys(hard).map((resource) => [resource, '0']));
  const status = { hard, used: { ...zero, ...used } };
  expect((await api.send('PATCH', `${CORE}/resourcequotas/${name}/status`, { status }, MERGE_PATCH)).code).toBe(200);
}

async function used(name: string): Promise<Amounts> {
  const { body } = await api.send('GET', `${CORE}/resourcequotas/${name}`);
  return (body as { status?: unknown } as { status: { used: Amounts } }).status.used;
}

function createPod(name: string, resources: object = {}, spec: object = {}): Promise<Reply> {
  return api.send('POST', `${CORE}/pods`, {
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
  });
}

const message = async (reply: Promise<Reply>): Promise<string | undefined> => (await reply).body.message;

describe('pods', () => {
  test('are charged, and refused if they would exceed a quota', async () => {
    await open();
    await quota('q', { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' });
    const resources = { requests: { cpu: '600m' }, limits: { memory: '512Mi' } };

    expect((await createPod('a', resources)).code).toBe(201);
    expect(await used('q')).toEqual({ 'limits.memory': '512Mi', pods: '1', 'requests.cpu': '600m' });
    expect(await message(createPod('b', { ...resources, limits: { memory: '600Mi' } }))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: limits.memory=600Mi,requests.cpu=600m, ' +
        'used: limits.memory=512Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1',
    );
    expect(await used('q')).toEqual({ 'limits.memory': '512Mi', pods: '1', 'requests.cpu': '600m' });
  });

  test('must state the amounts that are counted', async () => {
    await open();
    await quota('q', { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '1' });
    const init = { initContainers: [{ name: 'b', image: 'i', resources: { requests: { cpu: '1' } } }] };

    expect(await message(createPod('a', {}, init))).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: b,c; requests.cpu for: c',
    );
    expect((await createPod('b', {}, { resources: { requests: { cpu: '1' } } })).code).toBe(201);
  });

  test('are refused while a quota has not been counted', async () => {
    await open();
    await api.send('POST', `${CORE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } });
    expect((await createPod('early')).code).toBe(201); // a quota without a status is not enforced yet
    const status = { hard: { pods: '1' } };
    await api.send('PATCH', `${CORE}/resourcequotas/q/status`, { status }, MERGE_PATCH);

    expect(await message(createPod('a'))).toBe('pods "a" is forbidden: status unknown for quota: q, resources: pods');
  });

  test('count only for quotas with their scopes, and for others after a change', async () => {
    await open();
    await quota('best', { pods: '1' }, { scopes: ['BestEffort'] });
    await quota('ending', { pods: '1' }, { scopes: ['Terminating'] });
    await quota(
      'high',
      { pods: '1' },
      {
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
      },
    );

    await createPod('a');
    expect([await used('best'), await used('ending'), await used('high')]).toEqual([
      { pods: '1' },
      { pods: '0' },
      { pods: '0' },
    ]);
    await createPod('b', { requests: { cpu: '1' } }, { priorityClassName: 'high' });
    expect([await used('best'), await used('high')]).toEqual([{ pods: '1' }, { pods: '1' }]);
    await api.send('PATCH', `${CORE}/pods/b`, { spec: { activeDeadlineSeconds: 5 } }, MERGE_PATCH);
    expect(await used('ending')).toEqual({ pods: '1' });
  });
});

test('an update is charged with its increase', async () => {
  await open();
  await quota('q', { services: '2', 'services.nodeports': '2', 'services.loadbalancers': '0' });
  const service = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };

  expect((await api.send('POST', `${CORE}/services`, service)).code).toBe(201);
  expect((await api.send('PATCH', `${CORE}/services/s`, { spec: { type: 'NodePort' } }, MERGE_PATCH)).code).toBe(200);
  expect(await used('q')).toEqual({ services: '1', 'services.loadbalancers': '0', 'services.nodeports': '1' });
  expect(await message(api.send('PATCH', `${CORE}/services/s`, { spec: { type: 'LoadBalancer' } }, MERGE_PATCH))).toBe(
    'services "s" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
  );
  expect((await api.send('PATCH', `${CORE}/services/s`, { spec: { type: 'ClusterIP' } }, MERGE_PATCH)).code).toBe(200);
  expect(await used('q')).toEqual({ services: '1', 'services.loadbalancers': '0', 'services.nodeports': '1' });
});

test('claims are charged by storage class, objects of every kind by their number', async () => {
  await open();
  await quota('q', {
    'requests.storage': '5Gi',
    'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
    'count/deployments.apps': '0',
    configmaps: '1',
  });
  const claim = (name: string, storageClassName: string) => ({
    metadata: { name },
    spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
  });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };

  expect((await api.send('POST', `${CORE}/persistentvolumeclaims`, claim('a', 'iron'))).code).toBe(201);
  expect(await message(api.send('POST', `${CORE}/persistentvolumeclaims`, claim('b', 'gold')))).toContain(
    'requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi',
  );
  expect(await message(api.send('POST', '/apis/apps/v1/namespaces/kinds/deployments', deployment))).toBe(
    'deployments.apps "d" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
  );
  expect((await api.send('POST', `${CORE}/configmaps`, { metadata: { name: 'a' } })).code).toBe(201);
  expect((await api.send('POST', `${CORE}/configmaps`, { metadata: { name: 'b' } })).code).toBe(403);
});

test('a dry run is refused like any other write, and not charged', async () => {
  await open();
  await quota('q', { pods: '1' });
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

  expect((await api.send('POST', `${CORE}/pods?dryRun=All`, pod)).code).toBe(201);
  expect(await used('q')).toEqual({ pods: '0' });
});

test('fifty concurrent writers get what is available, and are written in few batches', async () => {
  await open();
  await quota('a', { pods: '20', 'requests.cpu': '100' });
  await quota('b', { pods: '30', 'requests.cpu': '1700m' });

  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => createPod(`p${index}`, { requests: { cpu: '100m' } })),
  );

  const created = replies.filter(({ code }) => code === 201).length;
  const { body } = await api.send('GET', `${CORE}/pods`);
  expect([created, (body['items'] as unknown[]).length]).toEqual([17, 17]);
  expect(await used('b')).toEqual({ pods: '17', 'requests.cpu': '1700m' });
  expect(await used('a')).toEqual({ pods: '17', 'requests.cpu': '1700m' });
  expect(replies.filter(({ code }) => code !== 201).every(({ code }) => code === 403)).toBe(true);
});

test('servers that race for the same quotas do not exceed them together', async () => {
  api = await TestApi.open({}, (parts) => {
    const servers = Array.from({ length: 3 }, () => resourceQuota(parts));
    const [first] = servers;
    const serverOf = ({ name }: { readonly name: string }) => servers[Number(name.slice(1)) % servers.length];
    return [
      { name: 'ResourceQuota', handles: first?.handles, validate: (request) => serverOf(request)?.validate?.(request) },
    ];
  });
  await quota('a', { pods: '25' });
  await quota('b', { pods: '20', 'requests.cpu': '9' });

  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => createPod(`p${index}`, { requests: { cpu: '100m' } })),
  );

  const created = replies.filter(({ code }) => code === 201).length;
  const charged = Number((await used('b'))['pods']);
  expect(created).toBeGreaterThan(0);
  expect(created).toBeLessThanOrEqual(charged);
  expect(charged).toBeLessThanOrEqual(20);
  expect(Number((await used('a'))['pods'])).toBeLessThanOrEqual(25);
  const codes = new Set(replies.map(({ code }) => code));
  expect([...codes].every((code) => [201, 403, 409].includes(code))).toBe(true);
});

test('retries after losing a race for a quota', async () => {
  await open();
  await quota('q', { pods: '30' });
  const others = Array.from({ length: 3 }, async (_, index) => {
    await api.send('PATCH', `${CORE}/resourcequotas/q`, { metadata: { labels: { at: String(index) } } }, MERGE_PATCH);
  });

  const replies = await Promise.all([...Array.from({ length: 20 }, (_, index) => createPod(`p${index}`)), ...others]);

  expect(replies.filter((reply) => reply?.code === 201)).toHaveLength(20);
  expect(await used('q')).toEqual({ pods: '20' });
});

test('what the configuration limits needs a quota', async () => {
  const matchScopes = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] } as const];
  await open([{ resource: 'pods', matchContains: ['cpu'], matchScopes }]);

  expect((await createPod('a')).code).toBe(201);
  expect(await message(createPod('b', { requests: { cpu: '1' } }))).toBe(
    'pods "b" is forbidden: insufficient quota to consume: cpu,requests.cpu',
  );
  expect(await message(createPod('c', {}, { priorityClassName: 'high' }))).toBe(
    'insufficient quota to match these scopes: [{PriorityClass In [high]}]',
  );
  await quota('q', { pods: '5', cpu: '1', 'requests.cpu': '1' });
  expect((await createPod('b', { requests: { cpu: '1' } })).code).toBe(201);
});
