import { expect, test } from 'vitest';
import { server, storeFlags } from '../cluster/programs/apiserver/index.ts';
import { programs, type UpstreamFlag } from '../cluster/programs/index.ts';
import { UsageError } from './command.ts';
import { apiserverDefinitions } from './commands/apiserver.ts';
import { standaloneDefinitions } from './commands/program-command.ts';
import { upDefinitions } from './commands/up.ts';
import { Flags } from './flags.ts';
import { checkUpstreamFlags, withUpstreamFlags } from './upstream-flags.ts';

const apiserverFlags = server.flags.upstream.standalone;
const loaded = await Promise.all(programs.map(async ({ load }) => (await load()).program));
const withUpstream = loaded.flatMap((program) => {
  const { upstream } = program.flags;
  return upstream === undefined ? [] : [{ program, upstream }];
});

function parse(...args: readonly string[]): Flags {
  const flags = new Flags(args, withUpstreamFlags(apiserverDefinitions, apiserverFlags));
  checkUpstreamFlags(flags, apiserverDefinitions, apiserverFlags);
  return flags;
}

function obeyed(flags: readonly UpstreamFlag[]): string[] {
  return flags.filter(({ verdict, name }) => verdict === 'obeyed' && name !== 'help').map(({ name }) => name);
}

// flags that kube-apiserver does not have
const OURS = [
  'data-dir',
  'join-token',
  'kubernetes-version',
  'log-level',
  'trace-requests',
  'workers',
  ...Object.keys(storeFlags),
];

test('the flags marked as obeyed are exactly those that take effect', () => {
  const own = Object.keys(apiserverDefinitions).filter((name) => !OURS.includes(name));
  expect(obeyed(apiserverFlags)).toEqual(own.sort());
  const up = upDefinitions(loaded);
  for (const { program, upstream } of withUpstream) {
    for (const name of obeyed(upstream.inCluster)) expect(up).toHaveProperty(name);
    const defined = Object.keys(standaloneDefinitions(program));
    // programs with a configuration file also read flags that they do not obey, to compare them with their defaults; one
    // in place of several has more than they have
    if (['kubelet', 'kube-proxy', 'keelson-csi-controller'].includes(program.name))
      expect(defined).toEqual(expect.arrayContaining(obeyed(upstream.standalone)));
    else expect(obeyed(upstream.standalone)).toEqual(defined.sort());
  }
});

/** Of the program in a cluster, and of the program alone. */
const COUNTS: Readonly<Record<string, readonly [inCluster: number, alone: number]>> = {
  'kube-controller-manager': [148, 148],
  'kube-scheduler': [62, 62],
  kubelet: [0, 149],
  'kube-proxy': [0, 59],
  'keelson-csi-controller': [0, 61],
};

const verdicts: readonly (readonly [program: string, flags: readonly UpstreamFlag[], count: number])[] = [
  ['kube-apiserver', apiserverFlags, 172],
  ...withUpstream.flatMap(({ program: { name }, upstream }) => [
    [name, upstream.inCluster, COUNTS[name]?.[0] ?? 0] as const,
    [`${name} alone`, upstream.standalone, COUNTS[name]?.[1] ?? 0] as const,
  ]),
];

test.each(verdicts)('all flags of %s have one verdict', (_program, flags, count) => {
  const names = flags.map(({ name }) => name);
  expect(names).not.toContain('');
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(count);
});

test('a flag without effect is accepted', () => {
  expect(() =>
    parse('--profiling=false', '--delete-collection-workers=3', '--watch-cache-sizes', 'pods#5'),
  ).not.toThrow();
});

test('a flag that would be ignored is rejected with the reason', () => {
  expect(() => parse('--etcd-servers-overrides=/events#http://a')).toThrow(UsageError);
  expect(() => parse('--etcd-servers-overrides=/events#http://a')).toThrow(
    '--etcd-servers-overrides is refused: all kinds are in one etcd',
  );
  expect(() => parse('--allow-privileged=false')).toThrow(/"true" is fine/);
});

test('a value that equals the fixed behaviour is accepted', () => {
  expect(() => parse('--allow-privileged', '--storage-backend=etcd3', '--etcd-compaction-interval=5m0s')).not.toThrow();
  expect(() => parse('--storage-backend=etcd2')).toThrow('"etcd3" is fine');
  expect(() => parse('--storage-media-type=')).not.toThrow();
  expect(() => parse('--storage-media-type=application/json')).toThrow('--storage-media-type is refused');
});

test.each([
  ['--external-cloud-volume-plugin=', 'aws'],
  ['--pv-recycler-pod-template-filepath-nfs=', 'pod.yaml'],
  ['--pv-recycler-pod-template-filepath-hostpath=', 'pod.yaml'],
  ['--enable-hostpath-provisioner=', 'true'],
])('%s of the controller manager is refused with a value that would be ignored', (flag, value) => {
  const found = withUpstream.find(({ program }) => program.name === 'kube-controller-manager');
  const upstream = found?.upstream.standalone ?? [];
  const check = (text: string): void =>
    checkUpstreamFlags(new Flags([`${flag}${text}`], withUpstreamFlags({}, upstream)), {}, upstream);
  expect(() => check(flag.startsWith('--enable') ? 'false' : '')).not.toThrow();
  expect(() => check(value)).toThrow('is refused: ');
});

test('a flag that no version has is unknown', () => {
  expect(() => parse('--made-up=1')).toThrow('unknown flag --made-up');
});

test('an unknown flag comes with the nearest known one', () => {
  expect(() => parse('--bind-adress=::')).toThrow('unknown flag --bind-adress; did you mean --bind-address?');
  expect(() => parse('--no-profilng')).toThrow('unknown flag --no-profilng; did you mean --no-profiling?');
});
