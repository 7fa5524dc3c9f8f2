import { describe, expect, onTestFinished, test } from 'vitest';
import { APIService, ConfigMap, CustomResourceDefinition, ValidatingWebhookConfiguration } from '../../client/index.ts';
import { VirtualClock } from '../../base/index.ts';
import { sharedAuthority } from '../webhooks/shared-authority.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { admission, api, app, extensionServer, memoryStorage, type Part, resource } from '../index.ts';

const spec = { type: 'object', properties: { size: { type: 'integer' } } } as const;
const Note = resource('notes.example.dev/v1', 'Note', { spec }).older(
  'v1beta1',
  { spec: { type: 'object', properties: { length: { type: 'integer' } } } },
  {
    up: ({ spec: { length } }) => ({ spec: { size: length } }),
    down: ({ spec: { size } }) => ({ spec: { length: size } }),
  },
);
const Page = resource('pages.example.dev/v1', 'Page', { spec });

const limits = admission(ConfigMap, {
  name: 'limits.maps.example.dev',
  failurePolicy: 'Ignore',
  validate: ({ data }) => (data?.['size'] === 'huge' ? 'too large' : undefined),
});

/** Two thirds of the ten years for which an authority is valid. */
const YEARS_UNTIL_DUE_MS = (3650 / 3) * 2 * 24 * 60 * 60_000;

const program = (more: Parameters<typeof extensionServer>[0] = {}) =>
  app('program', [], {
    resources: [Note],
    server: extensionServer({
      admission: [limits],
      apis: [api('pages.example.dev/v1', { pages: memoryStorage(Page) })],
      ...more,
    }),
  });

async function cluster(): Promise<TestCluster> {
  const started = await startCluster({ controllers: false, scheduler: false, nodes: 0 });
  onTestFinished(() => started.stop());
  return started;
}

/** The number of authorities in the webhook configuration, the definition and the APIService, which must agree. */
async function bundles({ client }: TestCluster): Promise<readonly number[]> {
  const hook = await client.kind(ValidatingWebhookConfiguration).get('limits.maps.example.dev');
  const definition = await client.kind(CustomResourceDefinition).get('notes.notes.example.dev');
  const service = await client.kind(APIService).get('v1.pages.example.dev');
  const registered = [
    hook.webhooks?.[0]?.clientConfig.caBundle,
    definition.spec.conversion?.webhook?.clientConfig?.caBundle,
    service.spec?.caBundle,
  ];
  expect(new Set(registered).size).toBe(1);
  return registered.map(
    (text) =>
      Buffer.from(text ?? '', 'base64')
        .toString()
        .match(/BEGIN/g)?.length ?? 0,
  );
}

describe('the server of an app', () => {
  test('answers everything on one port, over HTTPS', async () => {
    const started = await cluster();
    const { client } = started;
    const stop = new AbortController();
    const running = program().run(client, stop.signal, { install: true });
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    const hooks = client.kind(ValidatingWebhookConfiguration);
    const services = client.kind(APIService);
    await expect.poll(() => hooks.get('limits.maps.example.dev').catch(() => undefined)).toBeDefined();
    await expect.poll(() => services.get('v1.pages.example.dev').catch(() => undefined)).toBeDefined();
    const maps = client.core.v1.configmaps.namespace('default');
    await expect(maps.create({ metadata: { name: 'm' }, data: { size: 'huge' } })).rejects.toThrow('too large');
    await client
      .kind(Note)
      .namespace('default')
      .create({ metadata: { name: 'n' }, spec: { size: 3 } });
    const older = await client.dynamic('notes.example.dev/v1beta1', 'Note');
    expect(await older.namespace('default').get('n')).toMatchObject({ spec: { length: 3 } });
    const url = (await hooks.get('limits.maps.example.dev')).webhooks?.[0]?.clientConfig.url ?? '';
    const port = (await services.get('v1.pages.example.dev')).spec?.service?.port;
    expect(new URL(url).port).toBe(String(port));
  });

  test('is not ready before webhooks and APIs are registered', async () => {
    const started = await cluster();
    const hooks = started.fault({ type: 'internalError', resource: 'validatingwebhookconfigurations', verb: 'patch' });
    const services = started.fault({ type: 'internalError', resource: 'apiservices', verb: 'patch' });
    const server = program();
    await started.run(server);
    await started.clock.advance('1m');
    expect(server.unready).toEqual(['webhooks not registered', 'APIs not registered']);
    hooks.remove();
    await started.clock.advance('5m');
    expect(server.unready).toEqual(['APIs not registered']);
    services.remove();
    await started.clock.advance('5m');
    expect(server.unready).toEqual([]);
  });

  test('says how API servers on this machine call it, once the app runs', async () => {
    const { client } = await cluster();
    const server = extensionServer({ admission: [limits] });
    const stop = new AbortController();
    const running = app('program', [], { server }).run(client, stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    const { port } = await server.listening();
    expect(await server.clientConfig('/other')).toEqual({
      url: expect.stringMatching(new RegExp(`^https://\\S+:${port}/other$`)),
      caBundle: expect.stringMatching(/^LS0tLS1CRUdJTi/),
    });
  });

  test('registers a new authority with the cluster wherever the old one is registered', async () => {
    const started = await cluster();
    const { clock, client } = started;
    const secret = { namespace: 'default', name: 'authority' };
    const service = { namespace: 'default', name: 'program' };
    const dueInMs = 10 * 60_000;
    const madeAt = new VirtualClock({ startMs: clock.now() + dueInMs - YEARS_UNTIL_DUE_MS });
    const parts = {
      clock: madeAt,
      random: client.random,
      fieldManager: 'before',
      signal: new AbortController().signal,
    };
    await sharedAuthority(client, secret, parts);
    const replicas = [1, 2].map(() => program({ secret, service }));
    const stop = new AbortController();
    const running = replicas.map((each) => each.run(client, stop.signal, { install: true }));
    onTestFinished(async () => {
      stop.abort();
      await Promise.all(running);
    });
    await expect.poll(() => bundles(started).catch(() => [])).toEqual([1, 1, 1]);
    await clock.advance('20m');
    await expect.poll(() => bundles(started)).toEqual([2, 2, 2]);
  });

  test("serves the handlers of the app's parts", async () => {
    const part: Part = {
      name: 'extender',
      handlers: { '/filter': () => ({ nodes: [] }) },
      prepare: () => ({ run: () => Promise.resolve() }),
    };
    expect(app('a', [part], { server: extensionServer() }).webhookPaths).toEqual(['/filter']);
    expect(() => app('a', [part])).toThrow(
      'Cannot make app "a": part "extender" has webhook handlers, so the app needs a server',
    );
    const twice = { '/filter': () => ({}) };
    expect(() => app('a', [part], { server: extensionServer({ handlers: twice }) })).toThrow(
      'Cannot make app "a": two webhooks are at "/filter"',
    );
    expect(() => app('a', [], { server: extensionServer({ handlers: { '/apis/x': () => ({}) } }) })).toThrow(
      'Cannot make app "a": no webhook can be at "/apis/x"',
    );
  });
});
