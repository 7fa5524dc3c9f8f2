import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { type ControlPlaneOptions, readWebhookKubeconfig } from '../../src/cluster/index.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const command = findKubectl() ?? '';
const root = join(import.meta.dirname, '../..');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Tries until it works: another process takes its time. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test(
  'an app that is everything runs as a program, before and after the API server is configured to call it',
  requires('kubectl'),
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-library-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const listen = { host: '127.0.0.1', port: await freePort() };
    const storage = { type: 'durable', folder: join(folder, 'store') } as const;
    const place: Partial<ControlPlaneOptions> = { storage, serving: { listen, pkiFolder: join(folder, 'pki') } };
    let cluster = await startTestCluster(place);
    const certificates = join(folder, 'certificates');
    const program = ['scripts/run.mjs', 'examples/library/main.ts', String(await freePort()), certificates];
    const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
    const app = spawn(process.execPath, program, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(app, 'exit');
    let log = '';
    app.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    try {
      let kubectl = new Kubectl(command, cluster.kubeconfig);
      const loan = (name: string, more: object = {}): string =>
        JSON.stringify({
          apiVersion: 'library.example.dev/v1beta1',
          kind: 'Loan',
          metadata: { name },
          spec: { book: 'Moby Dick', borrower: 'ada', ...more },
        });
      const book = { apiVersion: 'catalogue.example.dev/v1', kind: 'Book', metadata: { name: 'moby' } };
      const create = async (manifest: string): Promise<string> => kubectl.create(manifest);
      const tooLong = ['create', '--dry-run=server', '-f', '-'];
      await eventually(async () => {
        const { stderr } = await kubectl.run(tooLong, loan('ulysses', { days: 400 }));
        expect(stderr).toContain('a book is lent for 90 days at most');
      });
      await create(loan('moby'));
      expect(await eventually(() => kubectl.output('get', 'cm', 'slip-moby', '-o', 'jsonpath={.data.text}'))).toBe(
        'ada has Moby Dick for 28 days',
      );
      await eventually(() => create(JSON.stringify({ ...book, spec: { shelf: 'M' } })));
      expect(existsSync(join(certificates, 'authenticate.kubeconfig'))).toBe(true);

      const asked = (name: string) => readWebhookKubeconfig(join(certificates, `${name}.kubeconfig`));
      await cluster[Symbol.asyncDispose]();
      cluster = await startTestCluster({
        ...place,
        access: {
          authentication: { tokenWebhook: { webhook: asked('authenticate'), version: 'v1' } },
          authorization: {
            modes: ['Node', 'RBAC', 'Webhook'],
            webhook: { webhook: asked('authorize'), version: 'v1' },
          },
        },
      });
      kubectl = new Kubectl(command, cluster.kubeconfig);
      await kubectl.output('config', 'set-credentials', 'ada', '--token=card-7');
      expect(await eventually(() => kubectl.output('get', 'books', '--user=ada', '-o', 'name'))).toBe(
        'book.catalogue.example.dev/moby\n',
      );
      const denied = await kubectl.run(['get', 'loans', '--user=ada']);
      expect(denied.stderr).toContain('User "ada" cannot list resource "loans"');
      await eventually(() => create(loan('emma')));
      await eventually(() => kubectl.output('get', 'cm', 'slip-emma'));
    } catch (error) {
      throw new Error(`The app said:\n${log}`, { cause: error });
    } finally {
      app.kill('SIGTERM');
      const [code] = (await ended) as [number];
      await cluster[Symbol.asyncDispose]();
      expect(code).toBe(0);
    }
  },
);
