/** How Go compiles a peer. */
export interface CompilerSettings {
  readonly tags?: readonly string[];
  /** Whether C may be linked in; default as Go decides. A program without C needs no library where it runs. */
  readonly cgo?: boolean;
  /** Leaves symbols out, for a program that travels in an image. */
  readonly isStripped?: boolean;
  /** A Debian package with headers and libraries for its C, unpacked into the peers' folder. */
  readonly headers?: string;
}

/**
 * How a peer comes to be: from a package of one of our Go modules, straight from its own published module, from a C file inside a Go module
 * that we require, or from a Debian package.
 */
export type Recipe =
  | ({ readonly type: 'build'; readonly module: string; readonly package: string } & CompilerSettings)
  | ({ readonly type: 'test'; readonly module: string; readonly package: string } & CompilerSettings)
  | ({ readonly type: 'install'; readonly package: string } & CompilerSettings)
  | { readonly type: 'c'; readonly module: string; readonly file: string; readonly flags: readonly string[] }
  | { readonly type: 'debian'; readonly package: string; readonly program: string };

/** The recipes that Go follows. */
export type GoRecipe = Extract<Recipe, CompilerSettings & { readonly type: 'build' | 'test' | 'install' }>;

/** A real program that Keelson is measured against. */
export interface Peer {
  /** Its path below the peers' folder. */
  readonly name: string;
  readonly version: string;
  readonly recipe: Recipe;
  /** Names that a hand-made copy of it may have. */
  readonly aliases?: readonly string[];
  /** Linker settings that give the program its version. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Rough time to build from nothing on two cores. */
  readonly minutes: number;
}

const KUBERNETES = '1.36.3';
const STAGING = 'v0.36.3';
const ETCD = '3.7.3';
const CONTAINERD = 'v2.4.2';
const CNI = 'v1.9.1';
const CNI_LIBRARY = 'v1.3.0';
const CRI_TOOLS = 'v1.36.0';
const SNAPSHOTTER = 'v8.6.0';

const kubernetesVersion = {
  'k8s.io/component-base/version.gitVersion': `v${KUBERNETES}`,
  'k8s.io/component-base/version.gitMajor': '1',
  'k8s.io/component-base/version.gitMinor': '36',
} as const;

function kubernetes(name: string, minutes: number, aliases: readonly string[] = []): Peer {
  return {
    name,
    version: KUBERNETES,
    recipe: { type: 'build', module: '.', package: `k8s.io/kubernetes/cmd/${name}` },
    aliases,
    variables: kubernetesVersion,
    minutes,
  };
}

/** The server of another version of Kubernetes, which a Go module of its own names. */
function serverOfMinor(minor: number, release: string): Peer {
  return {
    name: `kube-apiserver-1.${minor}`,
    version: release,
    recipe: { type: 'build', module: `kubernetes-1.${minor}`, package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
    variables: {
      'k8s.io/component-base/version.gitVersion': `v${release}`,
      'k8s.io/component-base/version.gitMajor': '1',
      'k8s.io/component-base/version.gitMinor': String(minor),
    },
    minutes: 8,
  };
}

function etcd(name: string, part: string): Peer {
  return {
    name,
    version: ETCD,
    recipe: { type: 'build', module: 'etcd', package: `go.etcd.io/etcd/${part}/v3` },
    minutes: 1,
  };
}

/** A client and a judge of container runtimes. */
function criTools(name: string, type: 'build' | 'test'): Peer {
  return {
    name,
    version: CRI_TOOLS,
    recipe: { type, module: 'cri-tools', package: `sigs.k8s.io/cri-tools/cmd/${name}` },
    variables: { 'sigs.k8s.io/cri-tools/pkg/version.Version': CRI_TOOLS },
    minutes: 1,
  };
}

function containerd(name: string): Peer {
  return {
    name,
    version: CONTAINERD,
    recipe: {
      type: 'install',
      package: `github.com/containerd/containerd/v2/cmd/${name}`,
      tags: ['no_btrfs', 'no_devmapper', 'no_zfs'],
      cgo: false,
    },
    minutes: 2,
  };
}

/** A network plugin; containerd finds it by its file name in the folder `cni`. */
function cniPlugin(path: string): Peer {
  return {
    name: `cni/${path.replace(/^.*\//, '')}`,
    version: CNI,
    recipe: { type: 'install', package: `github.com/containernetworking/plugins/plugins/${path}`, cgo: false },
    minutes: 1,
  };
}

/** A program of the suite's images, which run in containers. */
function imageProgram(name: string, path: string): Peer {
  return {
    name: `image/${name}`,
    version: KUBERNETES,
    recipe: {
      type: 'build',
      module: '.',
      package: `k8s.io/kubernetes/test/images/${path}`,
      cgo: false,
      isStripped: true,
    },
    minutes: 1,
  };
}

/** What a node consists of besides its kubelet, and what the images of the suite are made of. */
const nodePeers: readonly Peer[] = [
  kubernetes('kube-proxy', 1),
  {
    name: 'coredns',
    version: 'v1.14.7',
    recipe: { type: 'build', module: 'coredns', package: '.', cgo: false },
    minutes: 2,
  },
  containerd('containerd'),
  containerd('containerd-shim-runc-v2'),
  containerd('ctr'),
  {
    name: 'runc',
    version: 'v1.5.2',
    recipe: {
      type: 'install',
      package: 'github.com/opencontainers/runc',
      tags: ['seccomp', 'urfave_cli_no_docs'],
      cgo: true,
      headers: 'libseccomp-dev',
    },
    minutes: 1,
  },
  ...['main/bridge', 'main/loopback', 'ipam/host-local', 'meta/portmap', 'meta/bandwidth', 'meta/firewall'].map(
    cniPlugin,
  ),
  {
    name: 'iptables',
    version: 'debian',
    recipe: { type: 'debian', package: 'iptables', program: 'usr/sbin/xtables-nft-multi' },
    minutes: 1,
  },
  imageProgram('agnhost', 'agnhost'),
  imageProgram('nnp', 'nonewprivs'),
  imageProgram('sampledeviceplugin', 'sample-device-plugin'),
  imageProgram('consumer', 'resource-consumer'),
  imageProgram('consume-cpu', 'resource-consumer/consume-cpu'),
  {
    name: 'image/socket-pair',
    version: '1',
    recipe: {
      type: 'build',
      module: '../test/real-node/images/socket-pair',
      package: '.',
      cgo: false,
      isStripped: true,
    },
    minutes: 1,
  },
  {
    name: 'image/pause',
    version: KUBERNETES,
    recipe: {
      type: 'c',
      module: 'k8s.io/kubernetes',
      file: 'build/pause/linux/pause.c',
      flags: ['-Os', '-static', '-s', '-DVERSION=3.10.2'],
    },
    minutes: 1,
  },
];

/** A storage driver, or a program that runs beside one and works for it on the API; each has the libraries of its own release. */
function csiSidecar(
  name: string,
  version: string,
  { module, path }: { readonly module: string; readonly path: string },
): Peer {
  return {
    name,
    version,
    recipe: { type: 'build', module, package: `github.com/kubernetes-csi/${path}/cmd/${name}`, cgo: false },
    variables: { 'main.version': version },
    minutes: 2,
  };
}

/** What judges storage drivers, what works for them, a driver, and a program of an image that fills volumes. */
const storagePeers: readonly Peer[] = [
  {
    name: 'csi-sanity',
    version: 'v5.6.0',
    recipe: { type: 'install', package: 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity', cgo: false },
    minutes: 1,
  },
  csiSidecar('csi-provisioner', 'v5.1.0', { module: 'csi-provisioner', path: 'external-provisioner/v5' }),
  csiSidecar('csi-resizer', 'v1.14.0', { module: 'csi-resizer', path: 'external-resizer' }),
  csiSidecar('csi-snapshotter', SNAPSHOTTER, { module: 'csi-snapshotter', path: 'external-snapshotter/v8' }),
  csiSidecar('snapshot-controller', SNAPSHOTTER, { module: 'csi-snapshotter', path: 'external-snapshotter/v8' }),
  csiSidecar('hostpathplugin', 'v1.7.2', { module: 'csi-hostpath', path: 'csi-driver-host-path' }),
  {
    name: 'image/hello-populator',
    version: 'v1.2.0',
    recipe: {
      type: 'build',
      module: 'hello-populator',
      package: 'github.com/kubernetes-csi/lib-volume-populator/example/hello-populator',
      cgo: false,
      isStripped: true,
    },
    minutes: 1,
  },
];

/** What judges network plugins, policies and proxies, besides what a node consists of. */
const networkPeers: readonly Peer[] = [
  {
    name: 'cnitool',
    version: CNI_LIBRARY,
    recipe: { type: 'install', package: 'github.com/containernetworking/cni/cnitool', cgo: false },
    minutes: 1,
  },
  ...['main/ptp', 'main/macvlan', 'main/host-device', 'ipam/dhcp', 'ipam/static', 'meta/tuning', 'meta/sbr'].map(
    cniPlugin,
  ),
  {
    name: 'cyclonus',
    version: 'v0.5.6',
    recipe: { type: 'install', package: 'github.com/mattfenwick/cyclonus/cmd/cyclonus', cgo: false },
    minutes: 2,
  },
];

/** Drivers of devices. */
const devicePeers: readonly Peer[] = [
  {
    name: 'dra-example-kubeletplugin',
    version: 'v0.4.0',
    recipe: {
      type: 'build',
      module: 'dra-example-driver',
      package: 'sigs.k8s.io/dra-example-driver/cmd/dra-example-kubeletplugin',
      cgo: false,
    },
    minutes: 2,
  },
];

/** Every peer, in the order in which they are built: what most suites need comes first. */
export const peers: readonly Peer[] = [
  etcd('etcd', 'server'),
  etcd('etcdctl', 'etcdctl'),
  kubernetes('kube-apiserver', 4),
  kubernetes('kubectl', 1, ['kubectl-1.36']),
  kubernetes('kube-controller-manager', 2),
  kubernetes('kube-scheduler', 1),
  {
    name: 'e2e.test',
    version: KUBERNETES,
    recipe: { type: 'test', module: '.', package: './e2e' },
    variables: kubernetesVersion,
    minutes: 3,
  },
  {
    name: 'ginkgo',
    version: '2.28.1',
    recipe: { type: 'build', module: '.', package: 'github.com/onsi/ginkgo/v2/ginkgo' },
    minutes: 1,
  },
  kubernetes('kubelet', 2),
  {
    name: 'sample-apiserver',
    version: STAGING,
    recipe: { type: 'install', package: 'k8s.io/sample-apiserver' },
    minutes: 2,
  },
  {
    name: 'sample-controller',
    version: STAGING,
    recipe: { type: 'build', module: '.', package: 'k8s.io/sample-controller' },
    minutes: 1,
  },
  { name: 'helm', version: 'v4.3.1', recipe: { type: 'install', package: 'helm.sh/helm/v4/cmd/helm' }, minutes: 2 },
  { name: 'helm3', version: 'v3.22.0', recipe: { type: 'install', package: 'helm.sh/helm/v3/cmd/helm' }, minutes: 2 },
  { name: 'kwok', version: 'v0.8.0', recipe: { type: 'install', package: 'sigs.k8s.io/kwok/cmd/kwok' }, minutes: 2 },
  {
    name: 'metrics-server',
    version: 'v0.9.0',
    recipe: { type: 'install', package: 'sigs.k8s.io/metrics-server/cmd/metrics-server' },
    minutes: 2,
  },
  {
    name: 'h2spec',
    version: 'v2.2.1+incompatible',
    recipe: { type: 'install', package: 'github.com/summerwind/h2spec/cmd/h2spec' },
    minutes: 1,
  },
  {
    name: 'client-go-load',
    version: STAGING,
    recipe: { type: 'build', module: '../bench/client-go', package: '.' },
    minutes: 1,
  },
  {
    name: 'stream-source',
    version: STAGING,
    recipe: { type: 'build', module: '../bench/stream-source', package: '.' },
    minutes: 1,
  },
  {
    name: 'assignment-recorder',
    version: KUBERNETES,
    recipe: { type: 'build', module: '../test/vectors/assignment/recorder', package: '.' },
    minutes: 3,
  },
  criTools('crictl', 'build'),
  criTools('critest', 'test'),
  serverOfMinor(37, '1.37.1'),
  ...nodePeers,
  ...networkPeers,
  ...storagePeers,
  ...devicePeers,
];

/** Names that stand for several peers: `node` is all that a real node and the suite's images need, `network` what judges networks,
 * `storage` what judges storage drivers and works for them, `devices` plugins and drivers of devices. */
export const peerGroups: Readonly<Record<string, readonly string[]>> = {
  node: ['kubelet', 'etcd', 'sample-apiserver', ...nodePeers.map(({ name }) => name)],
  network: networkPeers.map(({ name }) => name),
  storage: storagePeers.map(({ name }) => name),
  devices: ['image/sampledeviceplugin', ...devicePeers.map(({ name }) => name)],
};

export function peerNamed(name: string): Peer | undefined {
  return peers.find((peer) => peer.name === name || (peer.aliases ?? []).includes(name));
}
