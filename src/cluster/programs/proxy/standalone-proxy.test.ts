import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, MetricRegistry, RealClock } from '../../../base/index.ts';
import type { FlagValues } from '../flag.ts';
import { NO_FLAGS } from '../settings/flag-texts.ts';
import { proxyPage } from './proxy-pages.ts';
import { ruleOptions } from './rule-options.ts';
import { readProxySettings } from './settings/read-settings.ts';
import { standaloneProxy } from './standalone-proxy.ts';

const TOOLS = {
  clock: new RealClock(),
  random: new CryptoRandom(),
  log: discardLogger,
  print: () => undefined,
  signal: new AbortController().signal,
};

function flags(given: Readonly<Record<string, string>>): FlagValues {
  return { ...NO_FLAGS, has: (name) => Object.hasOwn(given, name), text: (name) => given[name] };
}

test('--write-config-to writes a file that --config takes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'proxy.yaml');
  const given = { 'cluster-cidr': '10.244.0.0/16', 'write-config-to': path };

  expect(await standaloneProxy(flags(given), TOOLS)).toBeUndefined();

  expect(await readFile(path, 'utf8')).toContain(
    'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nbindAddress: 0.0.0.0\n',
  );
  expect(readProxySettings(flags({ config: path }))).toEqual(readProxySettings(flags(given)));
});

test('the metrics port has the pages of kube-proxy', () => {
  const registry = new MetricRegistry();
  registry.counter({ name: 'some_total', help: 'Some' });
  const page = (path: string) =>
    proxyPage({ path, accept: '' }, { settings: readProxySettings(NO_FLAGS), registries: () => [registry] });
  expect(page('/proxyMode')).toMatchObject({ status: 200, text: 'nftables' });
  expect(page('/healthz')?.text).toBe('ok');
  expect(page('/metrics')?.text).toContain('some_total 0');
  expect(JSON.parse(page('/configz')?.text ?? '')).toMatchObject({
    'kubeproxy.config.k8s.io': { kind: 'KubeProxyConfiguration', healthzBindAddress: '0.0.0.0:10256' },
  });
  expect(page('/debug/pprof')).toBeUndefined();
});

test('the configuration becomes options of rules', () => {
  const given = {
    'bind-address': '192.0.2.7',
    'cluster-cidr': '10.244.0.0/16,fd00::/48',
    'detect-local-mode': 'NodeCIDR',
  };
  expect(ruleOptions(readProxySettings(flags(given)))).toMatchObject({
    nodeAddress: '192.0.2.7',
    clusterCidrs: ['10.244.0.0/16', 'fd00::/48'],
    detectLocalMode: 'NodeCIDR',
    nodePortAddresses: 'primary',
    masqueradeBit: 14,
  });
  expect(ruleOptions(readProxySettings(NO_FLAGS))).toMatchObject({ nodeAddress: undefined, clusterCidrs: [] });
});
