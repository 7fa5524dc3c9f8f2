/** One thing that is asked of both runners, one after the other. */
export interface RecordedStep {
  readonly command: 'add' | 'check' | 'del' | 'gc' | 'status';
  /** Path of the namespace; it is only passed on. */
  readonly netns: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What a plugin answers from here on: its exit code is 1 for `fail`. */
  readonly answers?: Readonly<Record<string, { readonly result?: unknown; readonly fail?: string }>>;
}

/** A folder of configurations, and what is done with one of its networks. */
export interface RecordedList {
  readonly title: string;
  readonly files: Readonly<Record<string, unknown>>;
  readonly network: string;
  readonly answers: NonNullable<RecordedStep['answers']>;
  readonly steps: readonly RecordedStep[];
}

const BLUE = '/run/netns/blue';
const RED = '/run/netns/red';

const life: readonly RecordedStep[] = [
  { command: 'add', netns: BLUE },
  { command: 'check', netns: BLUE },
  { command: 'status', netns: BLUE },
  { command: 'del', netns: BLUE },
  { command: 'del', netns: BLUE },
];

const interfaceResult = (cniVersion: string): object => ({
  cniVersion,
  interfaces: [
    { name: 'cni0', mac: '00:11:22:33:44:55', mtu: 1400 },
    { name: 'eth0', mac: '99:88:77:66:55:44', sandbox: BLUE, socketPath: '/tmp/s', pciID: '0000:00:1f.6' },
  ],
  ips: [
    {
      ...(cniVersion.startsWith('0.') ? { version: '4' } : {}),
      address: '10.1.0.5/16',
      gateway: '10.1.0.1',
      interface: 1,
    },
    { ...(cniVersion.startsWith('0.') ? { version: '6' } : {}), address: '2001:DB8:0:0::05/64', gateway: 'FD00::1' },
  ],
  routes: [
    { dst: '0.0.0.0/0' },
    { dst: '10.0.0.0/8', gw: '10.1.0.1', mtu: 1300, advmss: 1200, priority: 10, table: 0, scope: 253 },
  ],
  dns: { nameservers: ['10.1.0.1'], domain: 'local', search: ['a.local', 'b.local'], options: ['ndots:5'] },
});

const chain = (cniVersion: string, more: object = {}): object => ({
  cniVersion,
  name: 'dbnet',
  plugins: [
    {
      type: 'one',
      bridge: 'cni0',
      keyA: ['some more', { 'z<&>': 1.5e-7, a: 1e25, '10': 1, '9': 2 }],
      ipam: { type: 'host-local', subnet: '10.1.0.0/16' },
      dns: { nameservers: ['10.1.0.1'] },
    },
    {
      type: 'two',
      capabilities: { mac: true, portMappings: false, bandwidth: true },
      sysctl: { 'net.core.somaxconn': '500' },
    },
    {
      type: 'three',
      capabilities: { portMappings: true, aliases: true, ips: true, dns: true, ipRanges: true },
      name: 'own name',
    },
  ],
  ...more,
});

const capabilities = {
  CAP_ARGS: JSON.stringify({
    portMappings: [{ hostPort: 8080, containerPort: 80, protocol: 'tcp', hostIP: '127.0.0.1' }],
    bandwidth: { ingressRate: 2048, ingressBurst: 1600, egressRate: 4096, egressBurst: 1600 },
    mac: '00:11:22:33:44:66',
    ips: ['10.10.0.1/24', '3ffe:ffff:0:01ff::2'],
    aliases: ['db', 'primary'],
    dns: { searches: ['a'], servers: ['8.8.8.8'] },
    ipRanges: [[{ subnet: '10.1.2.0/24', rangeStart: '10.1.2.3' }]],
    infinibandGUID: 'c2:11:22:33:44:55:66:77',
    deviceID: '0000:04:00.5',
    cgroupPath: '/kubepods/x',
  }),
  CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAME=web-1',
  CNI_IFNAME: 'net1',
};

const answersOf = (cniVersion: string): RecordedList['answers'] => ({
  one: { result: interfaceResult(cniVersion) },
  two: { result: { ...interfaceResult(cniVersion), routes: [] } },
  three: { result: { ...interfaceResult(cniVersion), unknownMember: 1 } },
});

const ofVersion = (cniVersion: string): RecordedList => ({
  title: `a chain of version ${cniVersion}`,
  files: { '10-db.conflist': chain(cniVersion) },
  network: 'dbnet',
  answers: answersOf(cniVersion),
  steps: life.map((step) => ({ ...step, environment: capabilities })),
});

export const recordedLists: readonly RecordedList[] = [
  ...['0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'].map(ofVersion),
  {
    title: 'GC of two attachments, then of none',
    files: { '10-db.conflist': chain('1.1.0') },
    network: 'dbnet',
    answers: answersOf('1.1.0'),
    steps: [
      { command: 'add', netns: BLUE, environment: capabilities },
      { command: 'add', netns: RED },
      { command: 'gc', netns: BLUE },
      { command: 'gc', netns: BLUE },
    ],
  },
  {
    title: 'GC of a version without it deletes what is cached',
    files: { '10-db.conflist': chain('1.0.0') },
    network: 'dbnet',
    answers: answersOf('1.0.0'),
    steps: [
      { command: 'add', netns: BLUE },
      { command: 'gc', netns: BLUE },
    ],
  },
  {
    title: 'the newest of several versions',
    files: { '10-db.conflist': chain('0.4.0', { cniVersions: ['0.3.1', '1.0.0', '2.0.0'] }) },
    network: 'dbnet',
    answers: answersOf('1.0.0'),
    steps: life,
  },
  {
    title: 'disableCheck and disableGC',
    files: { '10-db.conflist': chain('1.1.0', { disableCheck: true, disableGC: 'true' }) },
    network: 'dbnet',
    answers: answersOf('1.1.0'),
    steps: [
      { command: 'add', netns: BLUE },
      { command: 'check', netns: BLUE },
      { command: 'gc', netns: BLUE },
    ],
  },
  {
    title: 'plugins from the folder beside',
    files: {
      '10-db.conflist': { cniVersion: '1.1.0', name: 'dbnet', plugins: [{ type: 'one' }] },
      'dbnet/20-three.conf': { type: 'three', x: 1 },
      'dbnet/10-two.conf': { type: 'two', cniVersion: '0.4.0', name: 'ignored' },
      'dbnet/not-read.json': { type: 'four' },
    },
    network: 'dbnet',
    answers: answersOf('1.1.0'),
    steps: life,
  },
  {
    title: 'only inlined plugins',
    files: {
      '10-db.conflist': {
        cniVersion: '1.1.0',
        name: 'dbnet',
        loadOnlyInlinedPlugins: true,
        plugins: [{ type: 'one' }],
      },
      'dbnet/10-two.conf': { type: 'two' },
    },
    network: 'dbnet',
    answers: answersOf('1.1.0'),
    steps: life,
  },
  {
    title: 'a configuration of one plugin',
    files: {
      '10-single.conf': { cniVersion: '0.4.0', name: 'dbnet', type: 'one', mtu: 1400, capabilities: { mac: true } },
    },
    network: 'dbnet',
    answers: answersOf('0.4.0'),
    steps: life.map((step) => ({ ...step, environment: capabilities })),
  },
  {
    title: 'no version at all',
    files: { '10-old.conflist': { name: 'dbnet', plugins: [{ type: 'one' }] } },
    network: 'dbnet',
    answers: { one: { result: { ip4: { ip: '10.1.0.5/16', gateway: '10.1.0.1', routes: [{ dst: '0.0.0.0/0' }] } } } },
    steps: [
      { command: 'add', netns: BLUE },
      { command: 'check', netns: BLUE },
      { command: 'del', netns: BLUE },
    ],
  },
  {
    title: 'results of another version than the configuration, and of none',
    files: { '10-db.conflist': chain('1.0.0') },
    network: 'dbnet',
    answers: {
      one: { result: interfaceResult('0.4.0') },
      two: { result: { ips: [{ address: '10.1.0.7/16' }] } },
      three: { result: interfaceResult('0.3.1') },
    },
    steps: life,
  },
  {
    title: 'a plugin that fails, with and without words',
    files: { '10-db.conflist': chain('1.1.0') },
    network: 'dbnet',
    answers: answersOf('1.1.0'),
    steps: [
      { command: 'add', netns: BLUE, answers: { two: { fail: '{"code":11,"msg":"later","details":"no lease"}' } } },
      { command: 'del', netns: BLUE, answers: { two: { fail: '' } } },
      {
        command: 'gc',
        netns: BLUE,
        answers: { one: { fail: '{"code":7,"msg":"one"}' }, two: { fail: '{"code":8,"msg":"two"}' } },
      },
      { command: 'status', netns: BLUE, answers: { one: {}, two: { fail: '{"code":50,"msg":"not now"}' } } },
      { command: 'del', netns: BLUE, answers: { two: {} } },
    ],
  },
  {
    title: 'a result that cannot be read',
    files: { '10-db.conflist': chain('1.1.0') },
    network: 'dbnet',
    answers: { ...answersOf('1.1.0'), one: { result: { cniVersion: '1.1.0', ips: [{ address: 'nowhere' }] } } },
    steps: [{ command: 'add', netns: BLUE }],
  },
  {
    title: 'a network that is not there',
    files: { '10-db.conflist': chain('1.1.0') },
    network: 'other',
    answers: {},
    steps: [{ command: 'add', netns: BLUE }],
  },
  {
    title: 'a plugin that is not there',
    files: { '10-db.conflist': { cniVersion: '1.1.0', name: 'dbnet', plugins: [{ type: 'one' }, { type: 'none' }] } },
    network: 'dbnet',
    answers: answersOf('1.1.0'),
    steps: [
      { command: 'add', netns: BLUE },
      { command: 'del', netns: BLUE },
      { command: 'status', netns: BLUE },
    ],
  },
];
