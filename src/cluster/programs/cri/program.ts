import type { Program } from '../program.ts';

const GROUP = 'Runtime';

/** The simulated container runtime behind a socket, for a kubelet of any sort. */
export const program: Program = {
  name: 'cri',
  isOnePerCluster: false,
  isClient: false,
  flags: {
    standalone: {
      listen: {
        type: 'string',
        value: 'unix:///PATH',
        default: 'unix:///run/keelson/cri.sock',
        group: GROUP,
        help: 'Where to serve the Container Runtime Interface',
      },
      'stream-address': {
        type: 'string',
        value: 'HOST:PORT',
        default: '127.0.0.1:0',
        group: GROUP,
        help: 'Where to serve exec, attach and port-forward; port 0 takes a free port',
      },
      'pod-cidr': {
        type: 'string',
        value: 'CIDR,…',
        default: '10.88.0.0/16',
        group: GROUP,
        help: 'Range of pod addresses, until the kubelet sends the one of its node',
      },
      images: {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'A SimulatedImages file: names, ids, sizes and users of images (default: every image exists)',
      },
      'cgroup-driver': {
        type: 'string',
        value: 'NAME',
        default: 'cgroupfs',
        group: GROUP,
        help: 'What the runtime reports to the kubelet: cgroupfs or systemd',
      },
      'root-dir': {
        type: 'string',
        value: 'DIR',
        default: '/var/lib/kubelet',
        group: GROUP,
        help: 'Folder of the kubelet, with the volumes of pods',
      },
    },
  },
  help: {
    common: { Runtime: ['listen', 'stream-address', 'pod-cidr', 'images'], Logs: ['log-level'] },
    examples: [
      ['keelson cri --listen unix:///tmp/cri.sock', 'simulated containers'],
      ['kubelet --container-runtime-endpoint unix:///tmp/cri.sock …', "Kubernetes' kubelet on it"],
    ],
  },
  isWanted: () => false,
  load: async () => (await import('./serve-simulated.ts')).body,
};
