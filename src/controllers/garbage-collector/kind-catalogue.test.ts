import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { ServedKind, Survey } from '../../client/index.ts';
import { KindCatalogue } from './kind-catalogue.ts';

const signal = new AbortController().signal;

function kind(apiVersion: string, name: string, verbs = ['delete', 'list', 'watch', 'get']): ServedKind {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const plural = `${name.toLowerCase()}s`;
  const names = { kind: name, plural, singular: name.toLowerCase(), shortNames: [], categories: [] };
  return { ...names, apiVersion, group, version, scope: 'Namespaced', verbs, subresources: [] };
}

/** A server that serves the given kinds and counts discoveries. */
class Server {
  kinds: readonly ServedKind[] = [];
  failures: Survey['failures'] = new Map();
  asked = 0;

  async survey(): Promise<Survey> {
    this.asked += 1;
    return { kinds: this.kinds, failures: this.failures };
  }
}

function start(...kinds: ServedKind[]): { server: Server; clock: VirtualClock; catalogue: KindCatalogue } {
  const server = new Server();
  server.kinds = kinds;
  const clock = new VirtualClock();
  return { server, clock, catalogue: new KindCatalogue(server, clock) };
}

test('one version of each deletable resource is watched, except events', async () => {
  const { catalogue } = start(
    kind('v1', 'Pod'),
    kind('v1', 'Event'),
    kind('v1', 'Binding', ['create']),
    kind('apps/v2', 'Deployment'),
    kind('apps/v1', 'Deployment'),
    kind('events.k8s.io/v1', 'Event'),
  );
  await catalogue.refresh({ signal });

  expect(catalogue.deletable.map(({ apiVersion, plural }) => `${apiVersion}/${plural}`)).toEqual([
    'v1/pods',
    'apps/v2/deployments',
  ]);
  expect(await catalogue.find({ apiVersion: 'apps/v1', kind: 'Deployment' }, { signal })).toMatchObject({
    version: 'v1',
  });
});

test('an unknown kind is discovered at most every half minute, or after a change', async () => {
  const { server, clock, catalogue } = start(kind('v1', 'Pod'));
  const find = (): Promise<ServedKind | undefined> =>
    catalogue.find({ apiVersion: 'example.com/v1', kind: 'Widget' }, { signal });

  expect(await find()).toBeUndefined();
  expect(await find()).toBeUndefined();
  expect(server.asked).toBe(1);
  await clock.advance('30s');
  expect(await find()).toBeUndefined();
  expect(server.asked).toBe(2);

  server.kinds = [...server.kinds, kind('example.com/v1', 'Widget')];
  catalogue.expire();
  expect(await find()).toMatchObject({ plural: 'widgets' });
  expect(server.asked).toBe(3);
});

test('refresh() returns whether the served kinds changed', async () => {
  const { server, catalogue } = start(kind('v1', 'Pod'));

  expect(await catalogue.refresh({ signal })).toBe(true);
  expect(await catalogue.refresh({ signal })).toBe(false);
  server.kinds = [];
  expect(await catalogue.refresh({ signal })).toBe(true);
});

test('kinds of a group that cannot be discovered now stay', async () => {
  const { server, catalogue } = start(kind('v1', 'Pod'), kind('example.com/v1', 'Widget'));
  await catalogue.refresh({ signal });

  server.kinds = [kind('v1', 'Pod')];
  server.failures = new Map([['example.com/v1', 'is down']]);

  expect(await catalogue.refresh({ signal })).toBe(false);
  expect(catalogue.deletable.map(({ plural }) => plural)).toEqual(['pods', 'widgets']);
});

test('discovery runs once, and again after a failure', async () => {
  const { server, catalogue } = start(kind('v1', 'Pod'));
  const survey = server.survey.bind(server);
  server.survey = () => Promise.reject(new Error('down'));
  await expect(catalogue.known({ signal })).rejects.toThrow('down');
  server.survey = survey;

  await catalogue.known({ signal });
  await catalogue.known({ signal });

  expect([server.asked, catalogue.deletable.length]).toEqual([1, 1]);
});
