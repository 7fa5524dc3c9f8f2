import { mkdtemp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FlagError, type FlagValues } from '../../flag.ts';
import { kubeletFlags } from '../upstream-flags.ts';
import { fieldFlags } from '../../settings/flag-texts.ts';
import { kubeletConfiguration } from './kubelet-fields.ts';
import { readKubeletSettings } from './read-settings.ts';
import { shownConfiguration } from '../../settings/written-values.ts';

const HEAD = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };

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
    integer: (name) => Number(text(name)),
  };
}

async function fileOf(fields: object): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'kubelet-')), 'config.json');
  await writeFile(path, JSON.stringify({ ...HEAD, ...fields }));
  return path;
}

async function problemOf(fields: object): Promise<string> {
  const config = await fileOf(fields);
  try {
    readKubeletSettings(flags({ config }));
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(FlagError);
    return (error as FlagError).message;
  }
}

test('the defaults are those that kubelet 1.36 fills in', async () => {
  const recorded = JSON.parse(
    await readFile(join(import.meta.dirname, 'testdata', 'kubelet-defaults.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  const shown = shownConfiguration(kubeletConfiguration, readKubeletSettings(flags({})));
  const { evictionHard: _thresholds, ...others } = shown; // a kubelet adds those of its system later
  expect(others).toMatchObject({ ...recorded, ...HEAD });
});

test('every flag of kubelet 1.36 has a verdict, and no other', async () => {
  const recorded = await readFile(join(import.meta.dirname, 'testdata', 'kubelet-flags.txt'), 'utf8');
  expect(kubeletFlags.map(({ name }) => name)).toEqual(recorded.trim().split('\n'));
});

test('flags override drop-in files, in the order of their names, which override the file', async () => {
  const config = await fileOf({ maxPods: 10, clusterDomain: 'a', clusterDNS: ['10.0.0.1'], containerLogMaxFiles: 5 });
  const folder = await mkdtemp(join(tmpdir(), 'kubelet-drop-in-'));
  await mkdir(join(folder, '20-more'));
  const write = (name: string, fields: object): Promise<void> =>
    writeFile(join(folder, name), JSON.stringify({ ...HEAD, ...fields }));
  await write('10-first.conf', { maxPods: 20, clusterDomain: 'b' });
  await write('20-more/second.conf', { maxPods: 30, clusterDNS: ['10.0.0.2'] });
  await write('ignored.txt', { maxPods: 40 });
  const read = readKubeletSettings(flags({ config, 'config-dir': folder, 'cluster-domain': 'c' }));
  expect(read).toMatchObject({ maxPods: 30, clusterDomain: 'c', clusterDNS: ['10.0.0.2'] });
});

test('what is invalid is refused with the messages of a kubelet', async () => {
  expect(await problemOf({ maxPodz: 1 })).toContain('strict decoding error: unknown field "maxPodz"');
  expect(await problemOf({ port: 70_000 })).toBe(
    'failed to validate kubelet configuration: invalid configuration: port (--port) 70000 must be between 1 and 65535, inclusive',
  );
  expect(await problemOf({ enforceNodeAllocatable: ['pods', 'kube-reserved'] })).toContain(
    'kubeReservedCgroup (--kube-reserved-cgroup) must be specified when "kube-reserved" or "kube-reserved-compressible" included in enforceNodeAllocatable',
  );
  expect(await problemOf({ maxParallelImagePulls: 5, serializeImagePulls: true })).toContain(
    'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false',
  );
  expect(await problemOf({ shutdownGracePeriod: '10s', shutdownGracePeriodCriticalPods: '20s' })).toContain(
    'shutdownGracePeriodCriticalPods {20s} must be <= shutdownGracePeriod {10s}',
  );
  expect(await problemOf({ featureGates: { NoSuchGate: true } })).toContain('unrecognized feature gate: NoSuchGate');
  expect(await problemOf({ kubeReserved: { cpu: 'much' } })).toContain('failed to parse quantity "much"');
});

test('a field that is not obeyed may have its default, and nothing else', async () => {
  expect(await problemOf({ tracing: { endpoint: 'localhost:4317' } })).toBe(
    'tracing.endpoint "localhost:4317" is refused: the agent writes no traces',
  );
  expect(await problemOf({ memoryReservationPolicy: 'None', registerNode: true })).toBe('');
});

test('a zero in a field that is no pointer means the default, and in a pointer zero', async () => {
  const config = await fileOf({ port: 0, syncFrequency: '0s', healthzPort: 0, evictionPressureTransitionPeriod: '0s' });
  expect(readKubeletSettings(flags({ config }))).toMatchObject({
    port: 10_250,
    syncFrequency: 60_000,
    healthzPort: 0,
    evictionPressureTransitionPeriod: 300_000,
  });
});

test('flags of every form are read', () => {
  const read = readKubeletSettings(
    flags({
      'register-with-taints': 'gpu=true:NoSchedule,old:NoExecute',
      'kube-reserved': 'cpu=100m,memory=100Mi',
      'authentication-token-webhook-cache-ttl': '10s',
      'anonymous-auth': true,
      'feature-gates': 'NodeSwap=true',
      'max-pods': '250',
    }),
  );
  expect(read).toMatchObject({
    registerWithTaints: [
      { key: 'gpu', value: 'true', effect: 'NoSchedule' },
      { key: 'old', effect: 'NoExecute' },
    ],
    kubeReserved: { cpu: '100m', memory: '100Mi' },
    authentication: { webhook: { cacheTTL: 10_000 }, anonymous: { enabled: true } },
    maxPods: 250,
  });
  expect(() => readKubeletSettings(flags({ 'max-pods': 'many' }))).toThrow('--max-pods: invalid argument "many"');
  expect(Object.keys(fieldFlags(kubeletConfiguration))).toContain('eviction-hard');
});

test('a file that says how often the status is made says how often it is written, too, unless it says that as well', async () => {
  const reportMs = async (fields: object): Promise<number> =>
    readKubeletSettings(flags({ config: await fileOf(fields) })).nodeStatusReportFrequency;
  expect(await reportMs({})).toBe(300_000);
  expect(await reportMs({ nodeStatusUpdateFrequency: '20s' })).toBe(20_000);
  expect(await reportMs({ nodeStatusUpdateFrequency: '20s', nodeStatusReportFrequency: '2m' })).toBe(120_000);
  expect(readKubeletSettings(flags({ 'node-status-update-frequency': '20s' })).nodeStatusReportFrequency).toBe(300_000);
});

test('a configuration as kubeadm writes it, with zeros for defaults, means the defaults', async () => {
  const zeros = [
    ...['cpuManagerReconcilePeriod', 'evictionPressureTransitionPeriod', 'fileCheckFrequency', 'httpCheckFrequency'],
    ...['imageMaximumGCAge', 'imageMinimumGCAge', 'nodeStatusReportFrequency', 'nodeStatusUpdateFrequency'],
    ...['runtimeRequestTimeout', 'shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'],
    ...['streamingConnectionIdleTimeout', 'syncFrequency', 'volumeStatsAggPeriod'],
  ];
  const config = await fileOf({
    ...Object.fromEntries(zeros.map((name) => [name, '0s'])),
    ...{ crashLoopBackOff: {}, memorySwap: {}, cgroupDriver: 'systemd', staticPodPath: '/etc/kubernetes/manifests' },
    logging: {
      flushFrequency: 0,
      options: { json: { infoBufferSize: '0' }, text: { infoBufferSize: '0' } },
      verbosity: 0,
    },
  });
  const read = readKubeletSettings(flags({ config }));
  const defaults = readKubeletSettings(flags({}));
  for (const name of zeros) expect(read).toHaveProperty(name, defaults[name as keyof typeof defaults]);
  expect(read.crashLoopBackOff).toEqual(defaults.crashLoopBackOff);
});
