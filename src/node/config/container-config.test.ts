import { describe, expect, test } from 'vitest';
import type { Observed, Pod, Service } from '../../client/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { ContainerConfig } from '../runtime/index.ts';
import { podOf, type ViewSketch } from '../testing/pod-views.ts';
import { containerConfig, type ContainerConfigParts } from './container-config.ts';
import { environmentFileValue } from './environment.ts';
import { ExpansionBudget, expandVariables } from './expand-variables.ts';
import { sandboxConfig } from './sandbox-config.ts';
import { ServiceVariables } from './service-variables.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const configMaps: Record<string, Record<string, string>> = { 'default/settings': { color: 'blue', size: 'xl' } };
const secrets: Record<string, Record<string, string>> = { 'default/login': { password: base64('s3cret') } };

function service(namespace: string, name: string, spec: NonNullable<Service['spec']>): Observed<Service> {
  const metadata = { name, namespace, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { kind: 'Service', apiVersion: 'v1', metadata, spec };
}

const services = [
  service('default', 'kubernetes', { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] }),
  service('default', 'my-db', {
    clusterIP: '10.96.0.9',
    ports: [{ port: 5432 }, { name: 'stats', port: 9, protocol: 'UDP' }],
  }),
  service('default', 'headless', { clusterIP: 'None', ports: [{ port: 1 }] }),
];

const MACHINE = {
  folders: { root: '/var/lib/kubelet', podLogs: '/var/log/pods' },
  dns: { clusterServers: [], clusterDomain: 'cluster.local', resolver: undefined },
  cgroupDriver: 'cgroupfs',
} as const;

function parts(more: Partial<ContainerConfigParts> = {}): ContainerConfigParts {
  return {
    sources: {
      data: {
        configMap: async (namespace, name) => configMaps[`${namespace}/${name}`],
        secret: async (namespace, name) => secrets[`${namespace}/${name}`],
      },
      services: new ServiceVariables({ list: (namespace) => (namespace === 'default' ? services : []) }),
    },
    attempt: 2,
    image: undefined,
    volumes: new Map([['data', { path: '/volumes/data', isReadOnly: false, isRelabelled: true }]]),
    hasRecursiveReadOnly: true,
    subPath: async ({ index, subPath }) => `/parts/${index}/${subPath}`,
    podIps: ['10.244.0.7', 'fd00::7'],
    hostIps: ['10.0.0.1'],
    root: '/var/lib/kubelet',
    userNamespace: undefined,
    targetId: undefined,
    edits: undefined,
    capacity: { cpu: '8', memory: '16Gi', 'hugepages-2Mi': '0' },
    allocatable: { cpu: '7500m', memory: '15Gi' },
    readFile: async () => "A='first'\nB='sec\nond' # two lines\n",
    ...more,
  };
}

function configOf(
  container: Partial<ContainerSpec>,
  pod: Pick<ViewSketch, 'spec' | 'metadata' | 'status'> = {},
  more: Partial<ContainerConfigParts> = {},
): Promise<ContainerConfig> {
  const spec = { name: 'web', image: 'nginx', ...container };
  const about: Observed<Pod> = podOf({ ...pod, spec: { ...pod.spec, containers: [spec] } as NonNullable<Pod['spec']> });
  return containerConfig(about, spec, parts(more));
}

async function variables(
  env: ContainerSpec['env'],
  more: Partial<ContainerSpec> = {},
): Promise<Record<string, string>> {
  const pod = { spec: { containers: [], enableServiceLinks: false }, metadata: { labels: { app: 'a', b: 'c' } } };
  const { envs } = await configOf({ ...more, env: env ?? [] }, pod);
  const own = envs.filter(({ key }) => !key.startsWith('KUBERNETES_'));
  return Object.fromEntries(own.map(({ key, value }) => [key, value]));
}

describe('the environment of a container', () => {
  test('has literal values, with references to what comes before', async () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '$(A)-$(LATER)-$$(A)-$(KUBERNETES_SERVICE_HOST)' },
      { name: 'LATER', value: '2' },
      { name: 'EMPTY' },
    ];
    expect(await variables(env)).toEqual({ A: '1', B: '1-$(LATER)-$(A)-10.96.0.1', LATER: '2', EMPTY: '' });
  });

  test('has values from the pod, from the node and from files', async () => {
    const field = (fieldPath: string): object => ({ valueFrom: { fieldRef: { fieldPath } } });
    const resource = (name: string, divisor?: string): object => ({
      valueFrom: { resourceFieldRef: { resource: name, ...(divisor === undefined ? {} : { divisor }) } },
    });
    const env = [
      { name: 'NAME', ...field('metadata.name') },
      { name: 'APP', ...field("metadata.labels['app']") },
      { name: 'LABELS', ...field('metadata.labels') },
      { name: 'IPS', ...field('status.podIPs') },
      { name: 'HOST', ...field('status.hostIP') },
      { name: 'CPUS', ...resource('limits.cpu') },
      { name: 'MILLIS', ...resource('requests.cpu', '1m') },
      { name: 'MEMORY', ...resource('limits.memory', '1Mi') },
      { name: 'FILE', valueFrom: { fileKeyRef: { volumeName: 'data', path: 'env', key: 'B' } } },
    ];
    expect(await variables(env, { resources: { requests: { cpu: '250m' } } })).toEqual({
      NAME: 'web',
      APP: 'a',
      LABELS: 'app="a"\nb="c"',
      IPS: '10.244.0.7,fd00::7',
      HOST: '10.0.0.1',
      CPUS: '8',
      MILLIS: '250',
      MEMORY: '15360',
      FILE: 'sec\nond',
    });
  });

  test('has values from ConfigMaps and Secrets, of which optional ones may be missing', async () => {
    const env = [
      { name: 'SIZE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'size' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
      { name: 'NO_KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'none', optional: true } } },
      { name: 'NO_MAP', valueFrom: { secretKeyRef: { name: 'none', key: 'none', optional: true } } },
      { name: 'S_color', value: 'red' },
    ];
    const envFrom = [
      { prefix: 'S_', configMapRef: { name: 'settings' } },
      { secretRef: { name: 'login' } },
      { configMapRef: { name: 'none', optional: true } },
    ];
    expect(await variables(env, { envFrom })).toEqual({
      S_color: 'red',
      S_size: 'xl',
      password: 's3cret',
      SIZE: 'xl',
      PASSWORD: 's3cret',
    });
  });

  const missing: readonly (readonly [string, Partial<ContainerSpec>])[] = [
    ['configmap "none" not found', { envFrom: [{ configMapRef: { name: 'none' } }] }],
    ['secret "none" not found', { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'k' } } }] }],
    [
      "couldn't find key k in ConfigMap default/settings",
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'k' } } }] },
    ],
    [
      "couldn't find key k in Secret default/login",
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'k' } } }] },
    ],
    ['cannot find volume "none" to mount into container "web"', { volumeMounts: [{ name: 'none', mountPath: '/a' }] }],
    ['missing value for B', { volumeMounts: [{ name: 'data', mountPath: '/a', subPathExpr: '$(B)' }] }],
    [
      `container's runAsUser breaks non-root policy (pod: "web_default(u1)", container: web)`,
      { securityContext: { runAsNonRoot: true, runAsUser: 0 } },
    ],
  ];
  for (const [message, container] of missing) {
    test(`fails for want of something: ${message}`, async () => {
      await expect(configOf(container)).rejects.toThrow(message);
    });
  }

  test('says where services are, those of the namespace only with links', async () => {
    const { envs } = await configOf({});
    expect(Object.fromEntries(envs.map(({ key, value }) => [key, value]))).toMatchObject({
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
      KUBERNETES_PORT: 'tcp://10.96.0.1:443',
      KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
      MY_DB_SERVICE_HOST: '10.96.0.9',
      MY_DB_PORT_9_UDP: 'udp://10.96.0.9:9',
      MY_DB_PORT_9_UDP_PROTO: 'udp',
    });
    expect(envs.some(({ key }) => key.startsWith('HEADLESS'))).toBe(false);
    const without = await configOf({}, { spec: { containers: [], enableServiceLinks: false } });
    expect(without.envs.every(({ key }) => key.startsWith('KUBERNETES_'))).toBe(true);
  });
});

describe('the configuration of a container', () => {
  test('expands variables in command and arguments', async () => {
    const { command, args } = await configOf({
      env: [{ name: 'A', value: '1' }],
      command: ['$(A)'],
      args: ['$(B)', '$$'],
    });
    expect([command, args]).toEqual([['1'], ['$(B)', '$']]);
  });

  test('mounts volumes where the container wants them', async () => {
    const env = [{ name: 'A', value: 'x' }];
    const volumeMounts = [
      { name: 'data', mountPath: '/data' },
      {
        name: 'data',
        mountPath: 'etc',
        subPathExpr: '$(A)/y',
        readOnly: true,
        mountPropagation: 'HostToContainer' as const,
      },
    ];
    const { mounts } = await configOf({ env, volumeMounts });
    expect(mounts).toMatchObject([
      { containerPath: '/data', hostPath: '/volumes/data', readonly: false, propagation: 'PROPAGATION_PRIVATE' },
      {
        containerPath: '/etc',
        hostPath: '/parts/1/x/y',
        readonly: true,
        propagation: 'PROPAGATION_HOST_TO_CONTAINER',
      },
      { containerPath: '/etc/hosts', hostPath: '/var/lib/kubelet/pods/u1/etc-hosts', readonly: false },
    ]);
  });

  test('has the block devices of volumes, those that are read-only without the right to write', async () => {
    const volumes = new Map([
      ['disk', { path: '/pods/u/volumeDevices/p/disk', isReadOnly: false, isRelabelled: false }],
      ['frozen', { path: '/pods/u/volumeDevices/p/frozen', isReadOnly: true, isRelabelled: false }],
    ]);
    const volumeDevices = [
      { name: 'disk', devicePath: '/dev/xvda' },
      { name: 'frozen', devicePath: '/dev/xvdb' },
    ];
    expect((await configOf({ volumeDevices }, {}, { volumes })).devices).toEqual([
      { containerPath: '/dev/xvda', hostPath: '/pods/u/volumeDevices/p/disk', permissions: 'mrw' },
      { containerPath: '/dev/xvdb', hostPath: '/pods/u/volumeDevices/p/frozen', permissions: 'r' },
    ]);
  });

  test('has what its devices change, and a file for its termination message', async () => {
    const edits = {
      envs: [{ key: 'GPU', value: '0' }],
      mounts: [],
      devices: [{ containerPath: '/dev/gpu', hostPath: '/dev/gpu0', permissions: 'rw' }],
      cdiDevices: ['gpu.example.com/device=0'],
      annotations: { 'gpu.example.com/id': '0' },
    };
    const container = { name: 'web', image: 'nginx', terminationMessagePath: '/dev/termination-log' };
    const config = await containerConfig(podOf({}), container, parts({ edits }));
    expect(config.envs).toContainEqual({ key: 'GPU', value: '0' });
    expect(config).toMatchObject({
      devices: edits.devices,
      cdiDevices: edits.cdiDevices,
      annotations: edits.annotations,
    });
    expect(config.mounts.at(-1)).toMatchObject({
      containerPath: '/dev/termination-log',
      hostPath: '/var/lib/kubelet/pods/u1/containers/web/2',
    });
  });

  test('resolves names as the cluster, the machine and the pod say', () => {
    const dns = {
      clusterServers: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      resolver: { servers: ['192.0.2.53'], searches: ['example.com'], options: [] },
    };
    const of = (spec: object): unknown => {
      const pod = podOf({ spec: { containers: [], ...spec } });
      return sandboxConfig(pod, 0, { ...MACHINE, dns }).dnsConfig;
    };
    const cluster = {
      servers: ['10.96.0.10'],
      searches: ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.com'],
      options: ['ndots:5'],
    };
    expect(of({})).toEqual(cluster);
    expect(of({ hostNetwork: true })).toEqual(dns.resolver);
    expect(of({ dnsPolicy: 'Default' })).toEqual(dns.resolver);
    const dnsConfig = { nameservers: ['192.0.2.1'], options: [{ name: 'ndots', value: '2' }] };
    expect(of({ dnsConfig })).toEqual({ ...cluster, servers: ['10.96.0.10', '192.0.2.1'], options: ['ndots:2'] });
    expect(of({ dnsPolicy: 'None', dnsConfig })).toEqual({
      servers: ['192.0.2.1'],
      searches: [],
      options: ['ndots:2'],
    });
  });

  test('names its cgroup as the driver wants it', () => {
    const of = (cgroupDriver: 'cgroupfs' | 'systemd'): string =>
      sandboxConfig(podOf({ metadata: { uid: 'a-b' } }), 0, { ...MACHINE, cgroupDriver }).linux.cgroupParent;
    expect(of('cgroupfs')).toBe('/kubepods/besteffort/poda-b');
    expect(of('systemd')).toBe('/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-poda_b.slice');
  });

  test('says where to log, below the directory of the sandbox', async () => {
    const { logPath } = await configOf({});
    expect(`${sandboxConfig(podOf({}), 0, MACHINE).logDirectory}/${logPath}`).toBe(
      '/var/log/pods/default_web_u1/web/2.log',
    );
  });

  test('limits processor and memory as the kernel counts them', async () => {
    const resources = { requests: { cpu: '250m', memory: '1Gi' }, limits: { cpu: '500m', memory: '2Gi' } };
    const { linux } = await configOf({ resources }, { status: { qosClass: 'Burstable' } });
    expect(linux.resources).toEqual({
      cpuShares: 256,
      cpuPeriod: 100_000,
      cpuQuota: 50_000,
      memoryLimitInBytes: 2 ** 31,
      oomScoreAdj: 938,
      hugepageLimits: [{ pageSize: '2MB', limit: 0 }],
    });
    const scores = { Guaranteed: -997, BestEffort: 1000 };
    for (const [qosClass, score] of Object.entries(scores)) {
      const config = await configOf({}, { status: { qosClass } as NonNullable<Pod['status']> });
      expect(config.linux.resources).toMatchObject({ oomScoreAdj: score, cpuShares: 2, cpuQuota: 0 });
    }
  });

  test('has the security settings of the pod unless it has its own', async () => {
    const securityContext = { runAsUser: 1000, runAsGroup: 5, fsGroup: 7, supplementalGroups: [8] };
    const own = { runAsUser: 2000, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
    const { linux } = await configOf(
      { securityContext: own },
      { spec: { containers: [], securityContext, hostPID: true } },
    );
    expect(linux.securityContext).toMatchObject({
      runAsUser: 2000,
      runAsGroup: 5,
      supplementalGroups: [7, 8],
      noNewPrivs: true,
      dropCapabilities: ['ALL'],
      namespaceOptions: { network: 'POD', pid: 'NODE', ipc: 'POD' },
      seccomp: { profileType: 'Unconfined' },
    });
  });

  test("has the runtime's seccomp profile by default where the node says so, and its own where it has one", async () => {
    const profileOf = async (own: ContainerSpec['securityContext'], seccompDefault: boolean): Promise<unknown> => {
      const { linux } = await configOf(own === undefined ? {} : { securityContext: own }, {}, { seccompDefault });
      return linux.securityContext.seccomp?.profileType;
    };
    expect(await profileOf(undefined, true)).toBe('RuntimeDefault');
    expect(await profileOf({ seccompProfile: { type: 'Unconfined' } }, true)).toBe('Unconfined');
    expect(await profileOf(undefined, false)).toBe('Unconfined');
  });
});

test('expandVariables() leaves alone what is no reference', () => {
  const expand = (text: string): string =>
    expandVariables(text, (name) => (name === 'A' ? '1' : undefined), new ExpansionBudget());
  expect(['$(A)', '$$(A)', '$(B)', '$A', '$(A', '$', '$$$(A)', '$()'].map(expand)).toEqual([
    '1',
    '$(A)',
    '$(B)',
    '$A',
    '$(A',
    '$',
    '$1',
    '$()',
  ]);
});

test('environmentFileValue() takes single quotes only', () => {
  const text = "# comment\n\n  A='1' # one\nB= '2'\nC='a\nb'\n";
  expect(['A', 'B', 'C', 'D'].map((key) => environmentFileValue(text, key))).toEqual([
    '1',
    undefined,
    'a\nb',
    undefined,
  ]);
  for (const bad of ['A', 'A=1', "A ='1'", "A='1' x", "A='1"])
    expect(() => environmentFileValue(bad, 'Z')).toThrow('line 1');
});

describe('what a configuration may become', () => {
  const tooLarge = {
    reason: 'CreateContainerError',
    message: 'environment variables, command and arguments are longer than 1048576 characters after expansion',
  };
  const doubling = Array.from({ length: 60 }, (_unused, index) => ({
    name: `V${index}`,
    value: index === 0 ? 'x' : `$(V${index - 1})$(V${index - 1})`,
  }));
  const long = { name: 'A', value: 'x'.repeat(10_000) };

  test('is bounded where variables double', async () => {
    await expect(configOf({ env: doubling })).rejects.toMatchObject(tooLarge);
    await expect(configOf({ env: doubling.slice(0, 15) })).resolves.toBeDefined();
  });

  test.each([
    ['arguments', { args: Array.from({ length: 20 }, () => '$(A)'.repeat(2_000)) }],
    ['a command', { command: ['$(A)'.repeat(2_000)] }],
    ['paths', { volumeMounts: [{ name: 'data', mountPath: '/data', subPathExpr: '$(A)'.repeat(2_000) }] }],
    [
      'variables',
      {
        envFrom: Array.from({ length: 300 }, (_, at) => ({
          prefix: 'P'.repeat(4_000) + at,
          configMapRef: { name: 'settings' },
        })),
      },
    ],
  ])('is bounded where %s become long', async (_what, container) => {
    await expect(configOf({ env: [long], ...container })).rejects.toMatchObject(tooLarge);
  });

  test('names no path that is longer than Linux takes', async () => {
    const volumeMounts = [{ name: 'data', mountPath: '/data', subPathExpr: '$(A)' }];
    await expect(configOf({ env: [long], volumeMounts })).rejects.toThrow(
      'error SubPath is longer than 4096 characters',
    );
  });

  test('costs no more than the length of the text, whatever is in it', () => {
    const open = '$('.repeat(500_000);
    expect(expandVariables(`${open}$$`, () => undefined, new ExpansionBudget())).toBe(`${open}$`);
  });
});
