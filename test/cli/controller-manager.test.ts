import { get } from 'node:https';
import { startCluster } from 'keelson/testing';
import { describe, expect, test } from 'vitest';
import { freePorts } from '../../peers/index.ts';
import { runProgram } from '../../src/cli/program.ts';

interface Running {
  readonly ended: Promise<number>;
  stop(): void;
  output(): string;
}

function start(...args: readonly string[]): Running {
  let stop = (): void => undefined;
  let output = '';
  const ended = runProgram(['controller-manager', ...args], {
    env: {},
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (output += text) },
    once: (event, listener) => event === 'SIGTERM' && (stop = listener),
  });
  return { ended, stop: () => stop(), output: () => output };
}

describe('keelson controller-manager', () => {
  test('works on an API server over the network, each controller as its service account', async () => {
    await using cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0 });
    const kubeconfig = await cluster.kubeconfig();
    const { client } = cluster;
    const [port = 0] = await freePorts(1);
    const running = start(
      `--kubeconfig=${kubeconfig}`,
      '--controllers=deployment,replicaset,namespace',
      '--use-service-account-credentials',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      '--kube-api-qps=1000',
    );
    const spec = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod } };
    await client.apps.v1.deployments.namespace('default').create({ metadata: { name: 'web' }, spec });
    const pods = client.core.v1.pods.namespace('default');
    for await (const event of pods.watch({ timeoutSeconds: 60 })) if (event.type === 'ADDED') break;

    const [created] = (await pods.list()).items;
    expect(created?.metadata.generateName).toMatch(/^web-[a-z0-9]+-$/);
    const accounts = await client.core.v1.serviceaccounts.namespace('kube-system').list();
    expect(accounts.items.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['deployment-controller', 'replicaset-controller']),
    );
    const lease = await client.coordination.v1.leases.namespace('kube-system').get('kube-controller-manager');
    expect(lease.spec?.holderIdentity).toMatch(/.+_[0-9a-f-]{36}$/);
    expect(await ask(port, '/healthz')).toEqual({ status: 200, text: 'ok' });
    const { status, text } = await ask(port, '/metrics');
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({
      kind: 'Status',
      message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
    });
    running.stop();
    expect(await running.ended).toBe(0);
  });

  test.each([
    [['--controllers=*,foo'], '--controllers: "foo" is not in the list of known controllers'],
    [['--kubeconfig=/nowhere/config'], '/nowhere/config'],
    [['--leader-elect-lease-duration=5s'], 'must be greater than --leader-elect-renew-deadline'],
    [['--cluster-signing-cert-file=package.json'], '--cluster-signing-key-file go together'],
    [['--cloud-provider=aws'], '--cloud-provider is refused'],
    [['--kube-api-qps=fast'], '--kube-api-qps must be a number above 0'],
  ])('says what is wrong with %j', async (args, message) => {
    const { ended, output } = start(...args);

    expect(await ended).toBe(2);
    expect(output()).toContain(message);
  });
});

const pod = { containers: [{ name: 'c', image: 'nginx' }] };

function ask(port: number, path: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    }).on('error', reject);
  });
}
