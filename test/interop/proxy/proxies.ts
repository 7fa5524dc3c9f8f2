import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Daemon, findPeer } from '../../../peers/index.ts';

export type ProxyName = 'keelson proxy' | 'kube-proxy';
export const PROXIES: readonly ProxyName[] = ['keelson proxy', 'kube-proxy'];

export interface ProxyStart {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly node: string;
  /** Fields of KubeProxyConfiguration. */
  readonly configuration: object;
}

/** Starts a proxy in mode nftables, in this network namespace, with the same file for both. */
export async function startProxy(
  name: ProxyName,
  { folder, kubeconfig, node, configuration }: ProxyStart,
): Promise<Daemon> {
  const config = join(folder, 'proxy.json');
  await writeFile(
    config,
    JSON.stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'nftables',
      clientConnection: { kubeconfig, qps: 1000, burst: 1000 },
      hostnameOverride: node,
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
      ...configuration,
    }),
  );
  const logPath = join(folder, `${name.replace(' ', '-')}.log`);
  if (name === 'kube-proxy') return new Daemon(findPeer('kube-proxy').path ?? '', [`--config=${config}`], { logPath });
  return new Daemon(process.execPath, [join('dist', 'keelson.js'), 'proxy', `--config=${config}`], { logPath });
}
