import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningServer, startKeelson } from '../../peers/index.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { BundledCommand } from '../support/bundled-command.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { checkRegister } from '../chaos/linearizability.ts';
import { Connection, workerOf, workersOf } from './connection.ts';
import { RegisterClient } from './register-client.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let command: BundledCommand;
let folder = '';
let bundle = '';
beforeAll(async () => {
  command = await BundledCommand.make();
  ({ folder, path: bundle } = command);
});
afterAll(() => command[Symbol.asyncDispose]());

describe('keelson up --workers=2', () => {
  let server: RunningServer;
  let auditLog: string;
  let pair: readonly [Connection, Connection];
  beforeAll(async () => {
    const policy = join(folder, 'policy.yaml');
    await writeFile(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
    auditLog = join(folder, 'audit.log');
    const flags = ['--workers=2', `--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`];
    server = await startKeelson({ bundle, flags });
    pair = await connectToBoth(server);
  });
  afterAll(async () => {
    for (const connection of pair) connection[Symbol.dispose]();
    await server.stop();
  });

  test('no update is lost when 32 writers count at both', async () => {
    await pair[0].request('POST', CONFIG_MAPS, configMap('counter', '0'));
    const conflicts = await Promise.all(
      Array.from({ length: 32 }, (_item, index) => count(pair[index % 2] as Connection, 'counter', 4)),
    );
    const { body } = await pair[1].request('GET', `${CONFIG_MAPS}/counter`);
    expect(body.data).toEqual({ value: '128' });
    expect(conflicts.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0); // otherwise the clients never conflicted
  });

  test('what one has acknowledged the other has: objects, lists, deletions', async () => {
    for (let round = 0; round < 100; round++) {
      const [writer, reader] = round % 2 === 0 ? pair : [pair[1], pair[0]];
      const path = `${CONFIG_MAPS}/seen-${round}`;
      const { body, code } = await writer.request('POST', CONFIG_MAPS, configMap(`seen-${round}`, String(round)));
      expect(code).toBe(201);
      expect((await reader.request('GET', path)).body.data).toEqual({ value: String(round) });
      const { items = [] } = (await reader.request('GET', CONFIG_MAPS)).body;
      expect(items.map(({ metadata }) => metadata.resourceVersion)).toContain(body.metadata.resourceVersion);
      expect((await writer.request('DELETE', path)).code).toBe(200);
      expect((await reader.request('GET', path)).code).toBe(404);
    }
  });

  test('watches of both have every event once, in order, whichever client wrote it', async () => {
    const { body: list } = await pair[0].request('GET', CONFIG_MAPS);
    const query = `watch=true&resourceVersion=${list.metadata.resourceVersion}&labelSelector=of%3Dwatched`;
    const watches = pair.map((each) => each.watch(`${CONFIG_MAPS}?${query}`, 1000));
    const written: string[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_item, writer) => {
        for (let index = 0; index < 50; index++) {
          const name = `watched-${writer}-${index}`;
          const labels = { of: 'watched' };
          const sent = { ...configMap(name, 'x'), metadata: { name, labels } };
          const { body } = await (pair[writer % 2] as Connection).request('POST', CONFIG_MAPS, sent);
          written.push(body.metadata.resourceVersion);
        }
      }),
    );
    written.sort((left, right) => Number(left) - Number(right));
    for (const watch of watches) expect((await watch).map(({ metadata }) => metadata.resourceVersion)).toEqual(written);
  });

  test('a kind that is defined at one is served by the other', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { code } = await pair[0].request('POST', definitions, definition());
    expect(code).toBe(201);
    const path = '/apis/example.com/v1/namespaces/default/crontabs';
    await vi.waitFor(async () => expect((await pair[1].request('GET', path)).code).toBe(200), { timeout: 120_000 });
    const made = { apiVersion: 'example.com/v1', kind: 'CronTab', metadata: { name: 'a' }, spec: { every: 5 } };
    expect((await pair[1].request('POST', path, made)).code).toBe(201);
    await vi.waitFor(async () => expect((await pair[0].request('GET', `${path}/a`)).code).toBe(200), {
      timeout: 120_000,
    });
  });

  test('/metrics adds up what both count, and has the programs of the main process', async () => {
    const made = async (): Promise<number> => {
      const { text, headers } = await pair[0].request('GET', '/metrics');
      expect(headers['process-start-time-unix']).toMatch(/^\d{10}$/);
      expect(text).toContain('workqueue_adds_total{');
      const lines = text.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
      return lines
        .filter((line) => line.includes('resource="configmaps"') && line.includes('verb="POST"'))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    const before = await made();
    for (const connection of [...pair, ...pair, ...pair])
      await connection.request('POST', CONFIG_MAPS, { ...configMap('', 'x'), metadata: { generateName: 'counted-' } });
    expect(await made()).toBe(before + 6);
  });

  test('one audit log has the requests of both', async () => {
    for (const [index, connection] of pair.entries())
      await connection.request('GET', `${CONFIG_MAPS}/audited-${index}`);
    const lines = (): unknown[] =>
      readFileSync(auditLog, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { requestURI: string }).requestURI);
    await vi.waitFor(
      () => expect(lines()).toEqual(expect.arrayContaining([`${CONFIG_MAPS}/audited-0`, `${CONFIG_MAPS}/audited-1`])),
      120_000,
    );
  });

  test('kubectl sees a Deployment become pods, and what they say', requires('kubectl'), async () => {
    const kubectl = new Kubectl(findKubectl() ?? '', server.kubeconfig);
    await kubectl.output('create', 'deployment', 'web', '--image=nginx', '--replicas=3');
    await kubectl.output('wait', '--for=condition=Available', 'deployment/web', '--timeout=120s');
    expect((await kubectl.output('get', 'pods', '-l', 'app=web', '-o', 'name')).trim().split('\n')).toHaveLength(3);
    await kubectl.output('logs', 'deployment/web');
    await kubectl.output('scale', 'deployment/web', '--replicas=0');
    await kubectl.output('wait', '--for=delete', 'pod', '-l', 'app=web', '--timeout=120s');
  });

  test('a worker that is killed is started again; the other serves on meanwhile', async () => {
    const [victim, other] = pair.map((each) => workerOf(each, server));
    process.kill(victim as number, 'SIGKILL');

    expect((await pair[1].request('GET', CONFIG_MAPS)).code).toBe(200);
    await vi.waitFor(() => expect(pair[0].isClosed).toBe(true), 120_000);
    await vi.waitFor(() => expect(workersOf(server).filter((pid) => pid !== victim)).toHaveLength(2), 120_000);
    pair[0][Symbol.dispose]();
    pair = await connectToBoth(server, pair[1]);
    expect(workerOf(pair[1], server)).toBe(other);
    await pair[0].request('POST', CONFIG_MAPS, configMap('after', '1'));
    expect((await pair[1].request('GET', `${CONFIG_MAPS}/after`)).body.data).toEqual({ value: '1' });
    expect(readFileSync(join(server.folder, 'keelson.log'), 'utf8')).toMatch(/a worker has ended and is started again/);
  });
});

describe('a server alone with two workers', () => {
  let server: RunningServer;
  beforeAll(async () => {
    const flags = ['--workers=2', '--nodes=0', '--controllers=false', '--scheduler=none'];
    server = await startKeelson({ bundle, flags });
  });
  afterAll(() => server.stop());

  test('a connection on its way to a worker that dies is closed', async () => {
    const [victim = 0, other = 0] = workersOf(server);
    process.kill(victim, 'SIGSTOP');
    const outcomes: string[] = [];
    const opening = Array.from({ length: 4 }, async () => {
      const opened = await Connection.open(server).catch(() => undefined);
      outcomes.push(opened === undefined ? 'closed' : 'open');
      opened?.[Symbol.dispose]();
    });
    await vi.waitFor(() => expect(outcomes).toEqual(['open', 'open', 'open']), 120_000);
    process.kill(victim, 'SIGKILL');
    await Promise.all(opening);
    expect(outcomes).toEqual(['open', 'open', 'open', 'closed']);
    expect(workersOf(server)).toContain(other);
    await vi.waitFor(() => expect(workersOf(server)).toHaveLength(2), 120_000);
  });

  test('reads and swaps at all workers have an order that explains them, while workers are killed', async () => {
    using first = await Connection.open(server);
    await first.request('POST', '/api/v1/namespaces/kube-public/configmaps', configMap('register', 'first'));
    const path = '/api/v1/namespaces/kube-public/configmaps/register';
    const clients = Array.from({ length: 8 }, (_item, index) => new RegisterClient(`client${index}`, path, server));
    for (let round = 0; round < 4; round++) {
      const [victim = 0] = workersOf(server);
      const running = Promise.all(clients.map((client) => times(25, () => client.step())));
      if (round > 0) process.kill(victim, 'SIGKILL');
      await running;
      await vi.waitFor(() => expect(workersOf(server)).toHaveLength(2), 120_000);
    }
    const operations = clients.flatMap((client) => client.operations);
    for (const client of clients) client[Symbol.dispose]();

    const swapped = operations.filter(({ did }) => did.type === 'swap' && did.outcome === 'done');
    expect(swapped.length).toBeGreaterThan(50);
    expect(checkRegister(operations, 'first')).toEqual({ isLinearizable: true });
  });
});

test.each(['SIGTERM', 'SIGKILL'] as const)('workers end when the main process does, by %s', async (signal) => {
  await using server = await startKeelson({ bundle, flags: ['--workers=2', '--nodes=0'] });
  const workers = workersOf(server);
  expect(workers).toHaveLength(2);
  const [main] = server.daemons;
  for (const worker of workers) process.kill(worker, 'SIGTERM'); // as terminals and units do; workers wait for the main process
  using connection = await Connection.open(server);
  expect((await connection.request('GET', '/version')).code).toBe(200);
  expect(workersOf(server)).toEqual(workers);
  process.kill(main?.pid ?? 0, signal);
  await main?.ended;
  await vi.waitFor(() => expect(workers.filter(isAlive)).toEqual([]), 120_000);
});

/** Connections until there is one to each of the two workers. */
async function connectToBoth(server: RunningServer, first?: Connection): Promise<readonly [Connection, Connection]> {
  const known = first ?? (await Connection.open(server));
  const worker = workerOf(known, server);
  return vi.waitFor(
    async () => {
      const another = await Connection.open(server);
      await another.request('GET', '/version');
      if (workerOf(another, server) !== worker) return first === undefined ? [known, another] : [another, known];
      another[Symbol.dispose]();
      throw new Error('Both connections have the same worker');
    },
    { timeout: 120_000 },
  );
}

async function times(count: number, act: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done++) await act();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function configMap(name: string, value: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
}

/** Increments the value `times` times; returns how often another client was first. */
async function count(connection: Connection, name: string, times: number): Promise<number> {
  let conflicts = 0;
  for (let done = 0; done < times;) {
    const { body } = await connection.request('GET', `${CONFIG_MAPS}/${name}`);
    const data = { value: String(Number(body.data?.['value']) + 1) };
    const { code } = await connection.request('PUT', `${CONFIG_MAPS}/${name}`, { ...body, data });
    if (code === 200) done += 1;
    else if (code === 409) conflicts += 1;
    else throw new Error(`Unexpected answer ${code}`);
  }
  return conflicts;
}

function definition(): object {
  const names = { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' };
  const spec = { type: 'object', properties: { every: { type: 'integer' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'crontabs.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
