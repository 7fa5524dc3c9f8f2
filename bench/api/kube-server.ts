import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { awaitNamespaces } from './await-ready.ts';
import { launch, rssMbOf, type ServerUnderTest, stopAll, TOKEN, TOKEN_FILE } from './server.ts';

/** A real kube-apiserver on a real etcd, from the binaries in `binaries`. */
export async function startKube(binaries: string, folder: string, port: number): Promise<ServerUnderTest> {
  await mkdir(folder, { recursive: true });
  const file = (name: string): string => join(folder, name);
  await writeFile(file('tokens'), TOKEN_FILE);
  spawnSync('openssl', ['genrsa', '-out', file('sa.key'), '2048'], { stdio: 'ignore' });
  const url = `https://127.0.0.1:${port}`;
  await writeFile(
    file('kubeconfig'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'kube', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'kube', user: { token: TOKEN } }],
      contexts: [{ name: 'kube', context: { cluster: 'kube', user: 'kube' } }],
      'current-context': 'kube',
    }),
  );
  const client = `http://127.0.0.1:${port + 1}`;
  const peer = `http://127.0.0.1:${port + 2}`;
  const started = performance.now();
  const etcd = launch(join(binaries, 'etcd'), [
    `--data-dir=${file('etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]);
  const apiserver = launch(join(binaries, 'kube-apiserver'), [
    `--etcd-servers=${client}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${file('certs')}`,
    `--token-auth-file=${file('tokens')}`,
    `--service-account-key-file=${file('sa.key')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
  ]);
  const processes = [etcd, apiserver];
  const startMs = await awaitNamespaces(file('kubeconfig'), started);
  return {
    name: 'kube-apiserver + etcd',
    url,
    kubeconfig: file('kubeconfig'),
    startMs,
    rssMb: () => rssMbOf(processes),
    stop: async () => void (await stopAll(processes)),
  };
}
