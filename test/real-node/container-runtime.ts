import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Daemon, findPeers, runProgram } from '../../peers/index.ts';
import { eventually } from './eventually.ts';
import { PAUSE_IMAGE, suiteImages } from './images/suite-images.ts';
import { type NodeLayout, type PartCommand } from './node-layout.ts';

const START_LIMIT_MS = 60_000;
const IMPORT_LIMIT_MS = 300_000;
const REGISTRY_HOST = 'registry.k8s.io';
const IPTABLES_NAMES = ['iptables', 'ip6tables'].flatMap((name) => [name, `${name}-save`, `${name}-restore`]);

export const RUNTIME_PEERS = [
  'containerd',
  'containerd-shim-runc-v2',
  'ctr',
  'runc',
  'iptables',
  'cni/bridge',
  'cni/loopback',
  'cni/host-local',
  'cni/portmap',
  'cni/bandwidth',
  'cni/firewall',
] as const;

export interface PrepareOptions {
  /** URL of the registry that stands in for the one of the images' names. */
  readonly registry: string;
  /** Whether to write the configuration of the pod network; default true. */
  readonly hasNetwork?: boolean;
}

/** Writes containerd's and the network's configuration and gathers programs that are looked for by name. */
export async function prepareRuntime(
  layout: NodeLayout,
  { registry, hasNetwork = true }: PrepareOptions,
): Promise<PartCommand> {
  const found = findPeers(RUNTIME_PEERS);
  if (found.paths === undefined) throw new Error(`Cannot start containerd: ${found.reason}`);
  const { paths } = found;
  await mkdir(layout.programs, { recursive: true });
  for (const path of [paths.containerd, paths['containerd-shim-runc-v2'], paths.runc])
    await symlink(path, join(layout.programs, basename(path)));
  for (const name of IPTABLES_NAMES) await symlink(paths.iptables, join(layout.programs, name));
  if (hasNetwork) await writeNetwork(layout);
  const hosts = join(layout.folder, 'registries', REGISTRY_HOST);
  await mkdir(hosts, { recursive: true });
  const capabilities = 'capabilities = ["pull", "resolve"]';
  await writeFile(join(hosts, 'hosts.toml'), `server = "${registry}"\n[host."${registry}"]\n  ${capabilities}\n`);
  const config = join(layout.folder, 'containerd.toml');
  await writeFile(config, runtimeConfig(layout, { plugins: dirname(paths['cni/bridge']), runc: paths.runc }));
  return { program: paths.containerd, args: ['--config', config] };
}

function runtimeConfig(
  { folder, runtimeSocket, networkFolder, pluginFolder }: NodeLayout,
  { plugins, runc }: { readonly plugins: string; readonly runc: string },
): string {
  return `version = 3
root = "${folder}/containerd"
state = "${dirname(runtimeSocket)}"
[grpc]
  address = "${runtimeSocket}"
[plugins.'io.containerd.internal.v1.opt']
  path = "${folder}/opt"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "${PAUSE_IMAGE}"
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = "${folder}/registries"
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      SystemdCgroup = false
      BinaryName = "${runc}"
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["${plugins}", "${pluginFolder}"]
    conf_dir = "${networkFolder}"
`;
}

/** Puts the configuration where the runtime looks for it, which is a folder of the node's own namespaces. */
async function writeNetwork(layout: NodeLayout): Promise<void> {
  const file = join(layout.folder, '10-bridge.conflist');
  await writeFile(file, JSON.stringify(networkConfig(layout), null, 2));
  await runProgram([...layout.enter, 'cp', file, layout.networkFolder]);
}

/** Pods keep their addresses on the way to other nodes, which have routes to them. */
function networkConfig({ folder, podRange }: NodeLayout): object {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'pods0',
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: podRange }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: join(folder, 'addresses'),
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
      { type: 'bandwidth', capabilities: { bandwidth: true } },
    ],
  };
}

/** Waits for containerd and gives it the suite's images. */
export async function importImages({ runtimeSocket, enter }: NodeLayout, daemon: Daemon): Promise<void> {
  const found = findPeers(['ctr']);
  if (found.paths === undefined) throw new Error(found.reason);
  const ctr = [...enter, found.paths.ctr, '--address', runtimeSocket, '--namespace', 'k8s.io'];
  await eventually(() => runProgram([...ctr, 'version'], { limitMs: START_LIMIT_MS }), {
    what: 'the start of containerd',
    limitMs: START_LIMIT_MS,
    daemons: [daemon],
  });
  const { archive } = suiteImages();
  await runProgram([...ctr, 'images', 'import', '--snapshotter', 'overlayfs', archive], { limitMs: IMPORT_LIMIT_MS });
}
