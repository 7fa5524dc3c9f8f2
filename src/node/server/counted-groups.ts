// Groups of a node whose containers are in cgroups, from what the kernel counts of them.
import type { Observed, Pod } from '../../client/index.ts';
import type { CgroupSource, ReadCgroupOptions } from '../backend/index.ts';
import { cgroupPath, KUBEPODS, podCgroupName, qosCgroupName } from '../config/cgroup-name.ts';
import { CONTAINER_NAME, POD_UID } from '../runtime/index.ts';
import type { Cgroup } from './cgroup.ts';
import { type GroupedNode, NAMELESS } from './used-groups.ts';

/** Cgroups that are read at the same time. */
const AT_ONCE = 8;

/** A cgroup that may be there. */
interface Expected {
  readonly labels: Cgroup['labels'];
  readonly network: ReadCgroupOptions['network'];
}

/** The groups that cAdvisor finds below those of pods: the machine, all pods, QoS classes, pods, sandboxes and containers. */
export async function countedGroups(
  node: GroupedNode,
  cgroups: CgroupSource,
  nowMs: number,
): Promise<readonly Cgroup[]> {
  const expected = [...shared(node), ...(await ofPods(node, cgroups))];
  const groups: Cgroup[] = [];
  for (let at = 0; at < expected.length; at += AT_ONCE) {
    const read = await Promise.all(
      expected.slice(at, at + AT_ONCE).map(async ({ labels, network }) => {
        const figures = await cgroups.read(labels.id, { nowMs, network });
        return figures === undefined ? [] : [{ labels, figures }];
      }),
    );
    groups.push(...read.flat());
  }
  return groups;
}

function shared({ backend: { machine } }: GroupedNode): readonly Expected[] {
  const { podCgroups: place = KUBEPODS, cgroupDriver } = machine;
  const paths = ['Guaranteed', 'Burstable', 'BestEffort'].map((quality) =>
    cgroupPath(qosCgroupName(quality, place), cgroupDriver),
  );
  return [
    { labels: NAMELESS, network: 'machine' },
    ...paths.map((id): Expected => ({ labels: { ...NAMELESS, id }, network: 'none' })),
  ];
}

async function ofPods(node: GroupedNode, cgroups: CgroupSource): Promise<readonly Expected[]> {
  const { runtime, machine } = node.backend;
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandbox({ state: 'SANDBOX_READY' }),
    runtime.listContainers({ state: 'CONTAINER_RUNNING' }),
  ]);
  const members = new Map<string, Expected[]>();
  const add = (pod: Observed<Pod>, folder: string): void => {
    const { uid, name, namespace = '' } = pod.metadata;
    const names = { ...NAMELESS, pod: name, namespace };
    const own = sandboxes.filter(({ labels }) => labels[POD_UID] === uid);
    members.set(uid, [
      { labels: { ...names, id: folder }, network: own.length === 0 ? 'own' : 'none' },
      ...own.map(({ id }): Expected => ({ labels: { ...names, id, name: id }, network: 'own' })),
    ]);
  };
  const folders = new Map<string, string>();
  for (const pod of node.pods()) {
    const folder = cgroupPath(podCgroupName(pod, machine.podCgroups ?? KUBEPODS), machine.cgroupDriver);
    folders.set(pod.metadata.uid, folder);
    add(pod, folder);
  }
  for (const { id, labels, image } of containers) {
    const own = members.get(labels[POD_UID] ?? '');
    const [first] = own ?? [];
    if (own === undefined || first === undefined) continue;
    const container = labels[CONTAINER_NAME] ?? '';
    own.push({ labels: { ...first.labels, id, name: id, container, image: image.image }, network: 'none' });
  }
  const found = await Promise.all(
    [...members].map(async ([uid, [pod, ...parts]]) => {
      const folder = folders.get(uid) ?? '';
      const names = await cgroups.children(folder);
      const placed = parts.flatMap((part) => {
        const name = names.find((each) => each.includes(part.labels.id)); // `ID`, `cri-containerd-ID.scope`, `crio-ID.scope`
        return name === undefined ? [] : [{ ...part, labels: { ...part.labels, id: `${folder}/${name}` } }];
      });
      return pod === undefined ? [] : [pod, ...placed];
    }),
  );
  return found.flat();
}
