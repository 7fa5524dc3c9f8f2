import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FlagError, type FlagValues } from '../../flag.ts';
import { shownConfiguration } from '../../settings/written-values.ts';
import { proxyFlags } from '../upstream-flags.ts';
import { proxyConfiguration, type ProxySettings } from './proxy-fields.ts';
import { ignoredFlags, readProxySettings } from './read-settings.ts';

const HEAD = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' };

/** A command line, after parsing. */
function flags(given: Readonly<Record<string, string | boolean>>): FlagValues {
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    has: (name) => Object.hasOwn(given, name),
    text,
    isSet: (name) => given[name] === true,
    list: (name) => text(name)?.split(',') ?? [],
    integer: (name) => (text(name) === undefined ? undefined : Number(text(name))),
  };
}

async function fileOf(fields: object): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'proxy-')), 'config.json');
  await writeFile(path, JSON.stringify({ ...HEAD, ...fields }));
  return path;
}

async function read(fields: object, more: Readonly<Record<string, string>> = {}): Promise<ProxySettings> {
  return readProxySettings(flags({ config: await fileOf(fields), ...more }));
}

async function problemOf(fields: object): Promise<string> {
  try {
    await read(fields);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(FlagError);
    return (error as FlagError).message;
  }
}

/** Without what is empty, and without periods of modes that are not used, which upstream forgets. */
function said(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value)
    .filter(([name]) => name !== 'ipvs' && name !== 'iptables')
    .map(([name, each]) => [name, said(each)] as const)
    .filter(([, each]) => each !== null && each !== '' && each !== false && each !== '0s' && each !== 0);
  return Object.fromEntries(
    entries.filter(([, each]) => typeof each !== 'object' || Object.keys(each ?? {}).length > 0),
  );
}

test('the defaults are those that kube-proxy 1.36 fills in', async () => {
  const recorded = await readFile(join(import.meta.dirname, 'testdata', 'kube-proxy-defaults.json'), 'utf8');
  expect(said(shownConfiguration(proxyConfiguration, readProxySettings(flags({}))))).toEqual(
    said(JSON.parse(recorded)),
  );
});

test('every flag of kube-proxy 1.36 has a verdict, and no other', async () => {
  const recorded = await readFile(join(import.meta.dirname, 'testdata', 'kube-proxy-flags.txt'), 'utf8');
  expect(proxyFlags.map(({ name }) => name)).toEqual(recorded.trim().split('\n'));
});

test('beside a file only the name of the node counts', async () => {
  const both = { 'cluster-cidr': '10.1.0.0/16', 'hostname-override': ' N1 ' };
  expect(await read({ clusterCIDR: '10.2.0.0/16' }, both)).toMatchObject({
    clusterCIDR: '10.2.0.0/16',
    hostnameOverride: 'n1',
  });
  expect(ignoredFlags(flags({ config: 'x', ...both }))).toEqual(['cluster-cidr']);
  expect(ignoredFlags(flags(both))).toEqual([]);
});

test('flags of iptables count where upstream takes them for nftables', () => {
  expect(
    readProxySettings(flags({ 'iptables-min-sync-period': '5s', 'masquerade-all': true, 'kube-api-qps': '2.5' })),
  ).toMatchObject({
    nftables: { minSyncPeriod: 5000, masqueradeAll: true },
    clientConnection: { qps: 2.5 },
  });
});

test('ports of addresses have defaults, and may be turned off', async () => {
  const places = ({ healthzBindAddress, metricsBindAddress }: ProxySettings) => [
    healthzBindAddress,
    metricsBindAddress,
  ];
  expect(places(await read({ bindAddress: '::' }))).toEqual(['[::]:10256', '[::1]:10249']);
  expect(places(await read({ healthzBindAddress: '10.0.0.1', metricsBindAddress: '10.0.0.1:1' }))).toEqual([
    '10.0.0.1:10256',
    '10.0.0.1:1',
  ]);
  expect(places(readProxySettings(flags({ 'healthz-port': '0', 'metrics-bind-address': '' })))).toEqual(['', '']);
});

test('what is invalid is refused with the messages of kube-proxy', async () => {
  expect(await problemOf({ modus: 'x' })).toContain('strict decoding error: unknown field "modus"');
  expect(await problemOf({ bindAddress: 'here' })).toBe(
    'failed validate: KubeProxyConfiguration.BindAddress: Invalid value: "here": not a valid textual representation of an IP address',
  );
  expect(await problemOf({ nodePortAddresses: ['primary', '10.0.0.0/8'] })).toContain(
    "can't use both 'primary' and CIDRs",
  );
  expect(await problemOf({ nftables: { masqueradeBit: 32, syncPeriod: '1s', minSyncPeriod: '2s' } })).toMatch(
    /^failed validate: \[KubeProxyConfiguration.KubeProxyNFTablesConfiguration.MasqueradeBit: .*, KubeProxyConfiguration.SyncPeriod: /,
  );
  expect(await problemOf({ clusterCIDR: '10.0.0.0/8,10.1.0.0/16' })).toContain('dual-stack pair of CIDRs');
  expect(await problemOf({ detectLocalMode: 'BridgeInterface' })).toContain('must not be empty');
  expect(await problemOf({ healthzBindAddress: '1.2.3.4:99999' })).toContain('must be a valid port');
  expect(await problemOf({ featureGates: { NoSuchGate: true } })).toContain('unrecognized feature gate: NoSuchGate');
});

test('modes other than nftables are refused', async () => {
  expect(await problemOf({ mode: 'ipvs' })).toBe(
    'mode (--proxy-mode) "ipvs" is refused: nftables is the only mode that is implemented',
  );
  expect(await problemOf({ mode: '' })).toBe('');
});
