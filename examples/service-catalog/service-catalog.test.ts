import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, mergePatch } from 'keelson';
import { BrokerError, type BrokerDefinition, serviceBroker } from 'keelson/broker';
import { startCluster, type TestCluster } from 'keelson/testing';
import { expect, onTestFinished, test } from 'vitest';
import { aggregatedCatalogApp, catalogApp } from './app.ts';
import { FolderStorage } from './folder-storage.ts';
import { svc } from './kubectl-svc.ts';
import {
  ClusterServiceBroker,
  ClusterServiceClass,
  ClusterServicePlan,
  ServiceBinding,
  ServiceBroker,
  ServiceClass,
  ServiceInstance,
} from './kinds.ts';

const parameters = { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 1 } } } as const;
const catalog = {
  database: {
    id: 'class-database',
    description: 'Databases',
    planUpdateable: true,
    plans: {
      small: { id: 'plan-small', description: 'At once', parameters },
      large: {
        id: 'plan-large',
        description: 'In the background',
        parameters,
        async: ['provision', 'update', 'deprovision', 'bind', 'unbind'],
      },
    },
  },
} as const;

type Functions = Partial<Omit<BrokerDefinition<typeof catalog>, 'catalog'>>;

/** A broker on a port, which notes what it does. */
async function startBroker(functions: Functions = {}) {
  const calls: string[] = [];
  const broker = serviceBroker({
    catalog,
    provision: ({ plan, parameters: { size }, context }, { originator }) =>
      void calls.push(
        `provision ${plan} ${size} in ${String(context['namespace'])} for ${String(originator?.value['username'])}`,
      ),
    update: ({ plan, parameters: { size } }, { previous }) =>
      void calls.push(`update ${previous.plan} to ${plan} ${size}`),
    deprovision: () => void calls.push('deprovision'),
    bind({ app }) {
      calls.push(`bind ${app === undefined ? 'nothing' : 'the namespace'}`);
      return { credentials: { uri: 'db://x', port: 5432 } };
    },
    unbind: () => void calls.push('unbind'),
    dashboard: () => 'https://dash.example.com',
    pollEvery: '1s',
    ...functions,
  });
  const server = await broker.listen({ access: { basic: { catalog: 'secret' } } });
  return { url: server.url, calls, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function start(url: string, catalogOf: App | Promise<App> = catalogApp()): Promise<TestCluster> {
  const cluster = await startCluster({ nodes: 0 });
  await cluster.run(await catalogOf);
  await cluster.client.core.v1.secrets
    .namespace('default')
    .create({ metadata: { name: 'login' }, stringData: { username: 'catalog', password: 'secret' } });
  await cluster.settle();
  await cluster.client.kind(ClusterServiceBroker).create({
    metadata: { name: 'databases' },
    spec: { url, authInfo: { basic: { secretRef: { namespace: 'default', name: 'login' } } } },
  });
  await cluster.settle();
  return cluster;
}

const readyOf = (object: {
  readonly status?: {
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}) => {
  const [ready] = object.status?.conditions ?? [];
  return ready === undefined ? 'nothing' : `${ready.status} ${ready.reason}`;
};
const instanceOf = (name: string, plan = 'small', size = 2) => ({
  metadata: { name },
  spec: { clusterServiceClassExternalName: 'database', clusterServicePlanExternalName: plan, parameters: { size } },
});
const kindsOf = ({ client }: TestCluster) => ({
  brokers: client.kind(ClusterServiceBroker),
  classes: client.kind(ClusterServiceClass),
  plans: client.kind(ClusterServicePlan),
  instances: client.kind(ServiceInstance).namespace('default'),
  bindings: client.kind(ServiceBinding).namespace('default'),
  secrets: client.core.v1.secrets.namespace('default'),
});

test.each(['definitions', 'aggregation'])('an instance is made, bound, changed and deleted, by %s', async (way) => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await using broker = await startBroker();
  await using cluster = await start(broker.url, way === 'definitions' ? catalogApp() : aggregatedCatalogApp(folder));
  await cluster.clock.advance('1m');
  await cluster.settle();
  const { brokers, classes, plans, instances, bindings, secrets } = kindsOf(cluster);
  expect(readyOf(await brokers.get('databases'))).toBe('True FetchedCatalog');
  expect((await classes.get('class-database')).spec).toMatchObject({
    externalName: 'database',
    clusterServiceBrokerName: 'databases',
    bindable: true,
  });
  expect((await plans.list()).items.map(({ spec }) => [spec.externalName, spec.clusterServiceClassRef?.name])).toEqual([
    ['large', 'class-database'],
    ['small', 'class-database'],
  ]);

  const ann = cluster.as('ann', ['system:masters']);
  await ann.kind(ServiceInstance).namespace('default').create(instanceOf('db'));
  await bindings.create({
    metadata: { name: 'db-login' },
    spec: { instanceRef: { name: 'db' }, secretTransforms: [{ renameKey: { from: 'uri', to: 'URI' } }] },
  });
  await cluster.settle();
  await cluster.clock.advance('1s');
  await cluster.settle();
  const made = await instances.get('db');
  expect(readyOf(made)).toBe('True ProvisionedSuccessfully');
  expect(made.status).toMatchObject({
    provisionStatus: 'Provisioned',
    dashboardURL: 'https://dash.example.com',
    externalProperties: { planExternalName: 'small' },
  });
  expect(readyOf(await bindings.get('db-login'))).toBe('True InjectedBindResult');
  const { data = {} } = await secrets.get('db-login');
  expect(
    Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])),
  ).toEqual({ URI: 'db://x', port: '5432' });

  await secrets.delete('db-login'); // it comes back
  await instances.patch('db', mergePatch({ spec: { parameters: { size: 3 } } }));
  await cluster.settle();
  await cluster.clock.advance('1s');
  await cluster.settle();
  expect((await secrets.get('db-login')).data).toEqual(data);

  await instances.delete('db');
  await cluster.settle();
  expect(readyOf(await instances.get('db'))).toBe('False DeprovisionBlockedByExistingCredentials');
  await bindings.delete('db-login');
  await cluster.settle();
  await cluster.clock.advance('1m');
  await cluster.settle();
  await expect(instances.get('db')).rejects.toMatchObject({ code: 404 });
  await expect(secrets.get('db-login')).rejects.toMatchObject({ code: 404 });
  expect(broker.calls).toEqual([
    'provision small 2 in default for ann',
    'bind the namespace',
    'update small to small 3',
    'unbind',
    'deprovision',
  ]);

  await brokers.delete('databases');
  await cluster.settle();
  expect((await classes.list()).items).toEqual([]);
  // before it is registered; and a busy machine may take seconds for an answer of the broker
  const expected = ['meaning="unserved"', 'time stands still'];
  expect(cluster.problems.filter((line) => !expected.some((text) => line.includes(text)))).toEqual([]);
});

test('work in the background is followed to its end', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const { instances, bindings, secrets } = kindsOf(cluster);
  await instances.create(instanceOf('db', 'large'));
  await bindings.create({ metadata: { name: 'logins' }, spec: { instanceRef: { name: 'db' } } });
  await cluster.settle();
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect(readyOf(await instances.get('db'))).toBe('True ProvisionedSuccessfully');
  expect(readyOf(await bindings.get('logins'))).toBe('True InjectedBindResult');
  expect(Object.keys((await secrets.get('logins')).data ?? {})).toEqual(['port', 'uri']);
  await instances.patch('db', mergePatch({ spec: { clusterServicePlanExternalName: 'small' } }));
  await bindings.delete('logins');
  await cluster.settle();
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect((await instances.get('db')).status?.externalProperties?.planExternalName).toBe('small');
  await instances.delete('db');
  await cluster.settle();
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect((await instances.list()).items).toEqual([]);
  expect(broker.calls.at(-1)).toBe('deprovision');
  expect(cluster.problems).toEqual([]);
});

test('what a failed request may have left is deleted, and the request is made again', async () => {
  let tries = 0;
  const events: string[] = [];
  await using broker = await startBroker({
    provision({ plan }) {
      tries += 1;
      events.push(`provision ${plan}`);
      if (tries < 3) throw new Error('out of memory');
    },
    deprovision: () => void events.push('deprovision'),
  });
  await using cluster = await start(broker.url);
  const { instances } = kindsOf(cluster);
  await instances.create(instanceOf('db'));
  await cluster.settle();
  await cluster.clock.advance('5m');
  await cluster.settle();
  expect(readyOf(await instances.get('db'))).toBe('True ProvisionedSuccessfully');
  expect(events).toEqual(['provision small', 'deprovision', 'provision small', 'deprovision', 'provision small']);
});

test('what a broker refuses for good has failed until the spec changes', async () => {
  await using broker = await startBroker({
    provision({ parameters: { size } }) {
      if (size > 5) throw new BrokerError(400, 'over the quota', { error: 'Quota' });
    },
  });
  await using cluster = await start(broker.url);
  const { instances } = kindsOf(cluster);
  await instances.create(instanceOf('db', 'small', 9));
  await cluster.settle();
  await cluster.clock.advance('1h');
  const failed = await instances.get('db');
  expect(readyOf(failed)).toBe('False ProvisionCallFailed');
  expect(failed.status?.conditions[1]).toMatchObject({
    type: 'Failed',
    status: 'True',
    message: 'the broker has answered 400: Quota: over the quota',
  });
  await instances.patch('db', mergePatch({ spec: { parameters: { size: 4 } } }));
  await cluster.settle();
  await cluster.clock.advance('1s');
  await cluster.settle();
  expect(readyOf(await instances.get('db'))).toBe('True ProvisionedSuccessfully');
});

test('users are held to the schemas of the plan, and to their own name', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const { instances } = kindsOf(cluster);
  await expect(instances.create(instanceOf('db', 'small', 0))).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('the parameters do not fit the plan: size: must be at least 1'),
  });
  await expect(
    instances.create({ ...instanceOf('db'), spec: { ...instanceOf('db').spec, clusterServicePlanName: 'plan-small' } }),
  ).rejects.toMatchObject({
    message: expect.stringContaining('spec names one class and one plan, each in one way'),
  });
  await expect(
    instances.create({ ...instanceOf('db'), spec: { ...instanceOf('db').spec, externalID: 'x' } }),
  ).rejects.toMatchObject({
    message: expect.stringContaining('externalID cannot be chosen'),
  });
  const forged = { username: 'admin', uid: '' };
  await instances.create({ ...instanceOf('db'), spec: { ...instanceOf('db').spec, userInfo: forged } });
  expect((await instances.get('db')).spec.userInfo?.username).not.toBe('admin');
});

test('a broker that is away, lies or comes back: conditions say so', async () => {
  const answers: { status: number; body: string }[] = [];
  const { createServer } = await import('node:http');
  await using broker = await startBroker();
  const server = createServer((request, response) => {
    const { status, body } = answers.shift() ?? { status: 200, body: '' };
    if (body !== '') return void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    const { url = '', method = '', headers } = request;
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const sent = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
        void fetch(`${broker.url}${url}`, { method, headers: headers as Record<string, string>, ...sent })
          .then(async (got) =>
            response.writeHead(got.status, { 'content-type': 'application/json' }).end(await got.text()),
          )
          .catch(() => response.destroy());
      });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  answers.push({ status: 503, body: '{}' }, { status: 200, body: '{"services":[{"name":"x"}]}' });
  await using cluster = await start(`http://127.0.0.1:${port}`);
  const { brokers, instances } = kindsOf(cluster);
  const message = async (): Promise<string | undefined> =>
    (await brokers.get('databases')).status?.conditions[0]?.message;
  expect(await message()).toBe('Error fetching catalog: the broker has answered 503');
  await cluster.clock.advance('31s');
  await cluster.settle();
  expect(await message()).toContain('service "x": "id" is no text, or empty');
  await instances.create(instanceOf('db'));
  await cluster.settle();
  expect(readyOf(await instances.get('db'))).toBe('False ReferencesNonexistentServiceClass');
  answers.push({ status: 200, body: '' }, { status: 201, body: 'made!' });
  await cluster.clock.advance('1m');
  await cluster.settle();
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect(readyOf(await brokers.get('databases'))).toBe('True FetchedCatalog');
  expect(readyOf(await instances.get('db'))).toBe('True ProvisionedSuccessfully');
  server.close().closeAllConnections();
});

test('plans that leave the catalog stay while instances use them', async () => {
  await using broker = await startBroker();
  const plain = serviceBroker({
    catalog: { database: { ...catalog.database, plans: { large: catalog.database.plans.large } } },
    provision: () => undefined,
    deprovision: () => undefined,
  });
  await using smaller = await plain.listen({ access: { basic: { catalog: 'secret' } } });
  await using cluster = await start(broker.url);
  const { brokers, plans, instances } = kindsOf(cluster);
  await instances.create(instanceOf('db'));
  await cluster.settle();
  await cluster.clock.advance('1s');
  await cluster.settle();
  await brokers.patch('databases', mergePatch({ spec: { url: smaller.url } }));
  await cluster.settle();
  expect((await plans.get('plan-small')).status).toEqual({ removedFromBrokerCatalog: true });
  expect((await plans.get('plan-large')).status).toEqual({ removedFromBrokerCatalog: false });
  await brokers.patch('databases', mergePatch({ spec: { url: broker.url } }));
  await cluster.settle();
  expect((await plans.get('plan-small')).status).toEqual({ removedFromBrokerCatalog: false });
  await brokers.patch('databases', mergePatch({ spec: { url: smaller.url } }));
  await instances.delete('db');
  await cluster.settle();
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect((await plans.list()).items.map(({ metadata }) => metadata.name)).toEqual(['plan-large']);
});

test('classes and plans that a user deletes come back, also when catalogs are read by hand', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const { brokers, classes, plans } = kindsOf(cluster);
  await brokers.patch('databases', mergePatch({ spec: { relistBehavior: 'Manual' } }));
  await cluster.settle();
  await plans.delete('plan-small');
  await cluster.settle();
  expect((await plans.get('plan-small')).spec.externalName).toBe('small');
  await classes.delete('class-database');
  await cluster.settle();
  expect((await classes.get('class-database')).spec.externalName).toBe('database');
});

test('a broker cannot take over the classes of another', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const { brokers, classes } = kindsOf(cluster);
  const { spec } = await brokers.get('databases');
  await brokers.create({ metadata: { name: 'copy' }, spec });
  await cluster.settle();
  expect((await brokers.get('copy')).status?.conditions[0]?.message).toContain(
    'id "class-database" is that of a class or plan of another owner',
  );
  expect((await classes.get('class-database')).spec.clusterServiceBrokerName).toBe('databases');
});

test('a namespace has brokers of its own', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const { instances } = kindsOf(cluster);
  const { client } = cluster;
  await client
    .kind(ServiceBroker)
    .namespace('default')
    .create({
      metadata: { name: 'own' },
      spec: { url: broker.url, authInfo: { basic: { secretRef: { name: 'login' } } } },
    });
  await cluster.settle();
  expect(
    (await client.kind(ServiceClass).namespace('default').list()).items.map(({ spec }) => spec.serviceBrokerName),
  ).toEqual(['own']);
  await instances.create({
    metadata: { name: 'db' },
    spec: { serviceClassExternalName: 'database', servicePlanExternalName: 'small' },
  });
  await cluster.settle();
  await cluster.clock.advance('1s');
  await cluster.settle();
  expect(readyOf(await instances.get('db'))).toBe('True ProvisionedSuccessfully');
});

test('an API server of its own has its objects again when it is started again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const map = { metadata: { name: 'db', namespace: 'default', uid: 'u' }, spec: { updateRequests: 0 } };
  const context = { namespace: 'default', user: { name: 'ann', groups: [] }, signal: new AbortController().signal };
  const first = new FolderStorage(ServiceInstance, folder);
  await first.load();
  const made = await first.resource.create?.(map, context);
  await first.resource.create?.({ ...map, metadata: { ...map.metadata, name: 'gone' } }, context);
  const [gone] = first.list().filter(({ metadata }) => metadata?.name === 'gone');
  if (gone !== undefined) await first.resource.delete?.(gone, context);
  if (made !== undefined) await first.resource.update?.({ ...made, spec: { updateRequests: 1 } }, made, context);
  const second = new FolderStorage(ServiceInstance, folder);
  await second.load();
  expect(second.list({ namespace: 'default' })).toMatchObject([
    { metadata: { name: 'db', uid: 'u' }, spec: { updateRequests: 1 } },
  ]);
});

test('restrictions choose what of a catalog is offered', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const { brokers, classes, plans } = kindsOf(cluster);
  const restrict = (catalogRestrictions: object): Promise<unknown> =>
    brokers.patch('databases', mergePatch({ spec: { catalogRestrictions } }));
  const offered = async (): Promise<string[]> => {
    await cluster.settle();
    const all = [...(await classes.list()).items, ...(await plans.list()).items];
    return all.map(({ spec }) => spec.externalName);
  };
  await restrict({ servicePlan: ['spec.externalName in (small, tiny), spec.free=true'] });
  expect(await offered()).toEqual(['database', 'small']);
  await restrict({ servicePlan: ['name!=plan-small'] });
  expect(await offered()).toEqual(['database', 'large']);
  await restrict({ serviceClass: ['spec.externalName notin (database)'], servicePlan: null });
  expect(await offered()).toEqual([]);
  await restrict({
    serviceClass: null,
    servicePlan: ['spec.clusterServiceClass.name==class-database', 'spec.free!=true'],
  });
  expect(await offered()).toEqual([]); // a class without plans is not offered
  await brokers.patch('databases', mergePatch({ spec: { catalogRestrictions: null } }));
  expect(await offered()).toEqual(['database', 'large', 'small']);
  await expect(restrict({ serviceClass: ['spec.free=true'] })).rejects.toMatchObject({
    message: expect.stringContaining('spec.catalogRestrictions.serviceClass: "spec.free" is none of "name"'),
  });
  await expect(restrict({ servicePlan: ['small'] })).rejects.toMatchObject({
    message: expect.stringContaining('"small" is no restriction'),
  });
});

test('an instance that names no plan gets the only one of its class', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const { brokers, instances } = kindsOf(cluster);
  const unplanned = { metadata: { name: 'db' }, spec: { clusterServiceClassExternalName: 'database' } };
  await expect(instances.create(unplanned)).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('class "database" has more than one plan, so spec has to name one'),
  });
  await instances.create(instanceOf('older', 'large')); // keeps its plan, which others cannot choose then
  await cluster.settle();
  await brokers.patch('databases', mergePatch({ spec: { catalogRestrictions: { servicePlan: ['name=plan-small'] } } }));
  await cluster.settle();
  expect((await instances.create(unplanned)).spec).toMatchObject({ clusterServicePlanExternalName: 'small' });
  const byId = { metadata: { name: 'other' }, spec: { clusterServiceClassExternalID: 'class-database' } };
  expect((await instances.create(byId)).spec).toMatchObject({ clusterServicePlanExternalID: 'plan-small' });
  const unknown = { metadata: { name: 'third' }, spec: { clusterServiceClassName: 'none' } };
  await expect(instances.create(unknown)).rejects.toMatchObject({
    message: expect.stringContaining('class "none" does not exist'),
  });
});

test('an instance stays what its names meant, until the names change', async () => {
  await using broker = await startBroker();
  const { large, small } = catalog.database.plans;
  const plain = serviceBroker({
    catalog: { database: { ...catalog.database, plans: { small: { ...large, async: [] }, large: small } } },
    provision: () => undefined,
    deprovision: () => undefined,
    update: () => void broker.calls.push('update'),
    bind: () => ({ credentials: {} }),
    unbind: () => undefined,
  });
  await using renamed = await plain.listen({ access: { basic: { catalog: 'secret' } } });
  await using cluster = await start(broker.url);
  const { brokers, plans, instances } = kindsOf(cluster);
  const forged = {
    clusterServiceClassRef: { name: 'class-database' },
    clusterServicePlanRef: { name: 'plan-large' },
  };
  const ann = cluster.as('ann', ['system:masters']).kind(ServiceInstance).namespace('default');
  await ann.create({ ...instanceOf('db'), spec: { ...instanceOf('db').spec, ...forged } });
  await cluster.settle();
  await cluster.clock.advance('1s');
  await cluster.settle();
  const made = await instances.get('db');
  expect(made.spec).toMatchObject({
    clusterServiceClassRef: { name: 'class-database' },
    clusterServicePlanRef: { name: 'plan-small' }, // not as it was forged
    userInfo: { username: 'ann' }, // the catalog's own change is not the user's
  });
  expect(made.status).toMatchObject({
    userSpecifiedClassName: 'ClusterServiceClass/database',
    userSpecifiedPlanName: 'small',
    externalProperties: { planID: 'plan-small' },
  });
  await brokers.patch('databases', mergePatch({ spec: { url: renamed.url } })); // the plans swap their names
  await cluster.settle();
  expect((await plans.get('plan-small')).spec.externalName).toBe('large');
  await cluster.clock.advance('1m');
  await cluster.settle();
  expect((await instances.get('db')).status?.externalProperties?.planID).toBe('plan-small');
  expect(broker.calls).toEqual(['provision small 2 in default for ann']);
  await instances.patch(
    'db',
    mergePatch({
      spec: { clusterServicePlanExternalName: null, clusterServicePlanExternalID: 'plan-large' },
    }),
  );
  await cluster.settle();
  expect((await instances.get('db')).spec.clusterServicePlanRef).toEqual({ name: 'plan-large' });
});

test('kubectl svc shows what is offered, makes it, binds it and describes it', async () => {
  await using broker = await startBroker();
  await using cluster = await start(broker.url);
  const lines: string[] = [];
  const print = (line: string): unknown => lines.push(line);
  const kubectl = async (...args: readonly string[]): Promise<number> => {
    lines.length = 0;
    return svc.run(args, { client: cluster.client, print, printError: print });
  };
  await kubectl('marketplace');
  expect(lines).toEqual([
    'CLASS      PLAN    FREE   BINDABLE   BROKER      DESCRIPTION',
    'database   large   yes    yes        databases   In the background',
    'database   small   yes    yes        databases   At once',
  ]);
  await kubectl('provision', 'db', '--class', 'database', '--plan', 'small', '--params', '{"size":3}');
  expect(lines).toEqual(['serviceinstance.servicecatalog.k8s.io/db created']);
  await cluster.settle();
  await cluster.clock.advance('1s');
  await kubectl('bind', 'db', '--secret-name', 'login-of-db');
  await cluster.settle();
  await cluster.clock.advance('1s');
  await cluster.settle();
  await kubectl('describe', 'db');
  expect(lines).toEqual([
    'Name:       db',
    'Class:      database',
    'Plan:       small',
    'Status:     ProvisionedSuccessfully: The instance was provisioned successfully.',
    'Dashboard:  https://dash.example.com',
    '',
    'BINDING   SECRET        STATUS',
    'db        login-of-db   InjectedBindResult',
  ]);
  expect(await kubectl('describe', 'none')).toBe(1);
  expect(lines[0]).toContain('Error from server (NotFound): serviceinstances.servicecatalog.k8s.io "none" not found');
  expect(await kubectl('provision', 'x')).toBe(1);
  lines.length = 0;
  await svc.complete(['describe', ''], { client: cluster.client, print });
  expect(lines).toEqual(['db', ':4']);
});
