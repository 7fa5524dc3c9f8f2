import { describe, expect, test } from 'vitest';
import { startCluster } from '../../testing/index.ts';
import { runProgram } from '../program.ts';

interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command line of the program in this process. */
async function keelson(...args: readonly string[]): Promise<Run> {
  const output: string[] = [];
  const errors: string[] = [];
  const code = await runProgram(args, {
    env: process.env,
    stdout: { write: (text) => output.push(text) },
    stderr: { write: (text) => errors.push(text) },
    once: () => undefined,
  });
  return { code, output: output.join(''), errors: errors.join('') };
}

const WITHOUT_PROGRAMS = { controllers: false, nodes: 0, scheduler: false } as const;
const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };

/** A small client that creates a ConfigMap in the cluster of $KUBECONFIG. */
const CREATING = `
  const { clusters } = JSON.parse(require('node:fs').readFileSync(process.env.KUBECONFIG, 'utf8'));
  const url = clusters[0].cluster.server + '/api/v1/namespaces/default/configmaps';
  const body = JSON.stringify({ metadata: { name: process.argv[1] } });
  const other = new URL('/api/v1/namespaces', url);
  Promise.all([
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    fetch(other),
  ]).then(([made, unguarded]) => process.exit(made.status === 201 && unguarded.status === 404 ? 0 : 3));
`;

describe('keelson trace', () => {
  test('lists requests and shows one as a tree', async () => {
    await using cluster = await startCluster(WITHOUT_PROGRAMS);
    const kubeconfig = ['--kubeconfig', await cluster.kubeconfig()];
    await cluster.client.core.v1.pods.namespace('default').create(pod);

    const list = await keelson('trace', ...kubeconfig);
    const line = list.output.split('\n').find((text) => text.endsWith('POST /api/v1/namespaces/default/pods'));
    expect(line).toMatch(/^\d+ +[\d:.]+ +201 +[\d.]+ +kubernetes-admin +POST/);
    const { output } = await keelson('trace', (line ?? '').split(' ')[0] ?? '', ...kubeconfig);
    expect(output).toContain('├─ authentication: passed (client certificate: kubernetes-admin)');
    expect(output).toMatch(/│ {2}├─ Priority: changed {2}[\d.]+ ms\n│ {2}│ {4}add \/spec\/priority = 0\n/);
    expect(output).toMatch(/more passed\n└─ store: passed {2}[\d.]+ ms\nanswered 201 after [\d.]+ ms\n$/);
    expect(await keelson('trace', 'nothing', ...kubeconfig)).toMatchObject({
      code: 1,
      errors: 'keelson trace: requests "nothing" not found\n',
    });
  });

  test('shows the requests of a command, whose exit code counts', async () => {
    await using cluster = await startCluster(WITHOUT_PROGRAMS);
    const args = ['trace', '--kubeconfig', await cluster.kubeconfig(), '--', process.execPath, '-e', CREATING, 'made'];

    const { code, output } = await keelson(...args);
    expect(code).toBe(0);
    expect(output).toContain('POST /api/v1/namespaces/default/configmaps\nrequest ');
    expect(output).toContain('answered 201 after ');
    const again = await keelson(...args);
    expect(again.code).toBe(1);
    expect(again.output).toContain('answered 409 AlreadyExists after ');
  });

  test('reports that the server keeps no reviews', async () => {
    await using cluster = await startCluster(WITHOUT_PROGRAMS);
    const kubeconfig = ['--kubeconfig', await cluster.kubeconfig()];
    expect((await keelson('trace', 'webhooks', ...kubeconfig)).errors).toContain('--dev-webhooks');
    expect((await keelson('replay', '1', ...kubeconfig)).errors).toContain('--dev-webhooks');
    expect((await keelson('replay')).code).toBe(2);
  });
});
