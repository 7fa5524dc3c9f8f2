/** How a peer comes to be: from a package of one of our Go modules, or straight from its own published module. */
export type Recipe =
  | { readonly type: 'build'; readonly module: string; readonly package: string }
  | { readonly type: 'test'; readonly module: string; readonly package: string }
  | { readonly type: 'install'; readonly package: string };

/** A real program that Keelson is measured against. */
export interface Peer {
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

function etcd(name: string, part: string): Peer {
  return {
    name,
    version: ETCD,
    recipe: { type: 'build', module: 'etcd', package: `go.etcd.io/etcd/${part}/v3` },
    minutes: 1,
  };
}

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
];

export function peerNamed(name: string): Peer | undefined {
  return peers.find((peer) => peer.name === name || (peer.aliases ?? []).includes(name));
}
