import { statfs } from 'node:fs/promises';
import { type NodeLife, type Trial } from './node-life.ts';

const RESTARTS = 3;
const CONTAINERS_MS = 150_000;
/** Images are looked at every five minutes. */
const IMAGES_MS = 420_000;

/** Containers that have ended are removed, but the last one of each. */
export const containers: Trial = {
  name: 'containers',
  settings: () => ({}),
  async run(life) {
    await life.pod('crashing', 'exit 3', { spec: { restartPolicy: 'Always' } });
    await life.until(
      `${RESTARTS} restarts`,
      async () => {
        const { status } = await life.get('crashing');
        const count = status?.containerStatuses?.[0]?.restartCount ?? 0;
        return count >= RESTARTS ? undefined : `${count} restarts`;
      },
      { limitMs: CONTAINERS_MS },
    );
    await life.until('one container that has ended', () => endedProblem(life, 1), { limitMs: CONTAINERS_MS });
    const { lastState } = (await life.get('crashing')).status?.containerStatuses?.[0] ?? {};
    if (lastState?.terminated?.exitCode !== 3) throw new Error(`The last run ended with ${JSON.stringify(lastState)}`);
    await life.clear();
    await life.until('no container that has ended', () => endedProblem(life, 0), { limitMs: CONTAINERS_MS });
  },
};

async function endedProblem(life: NodeLife, most: number): Promise<string | undefined> {
  const ended = await life.metric('kubelet_running_containers', 'container_state="exited"');
  return ended <= most ? undefined : `${ended} containers have ended`;
}

/** Images that no container uses are removed when the disk is fuller than a threshold; the others stay. */
export const images: Trial = {
  name: 'images',
  async settings(life) {
    const { bavail, blocks } = await statfs(life.cluster.node.folder);
    const used = 100 - Math.trunc((bavail * 100) / blocks);
    const high = Math.max(2, used - 1);
    return { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: high - 1, imageMinimumGCAge: '1s' };
  },
  async run(life) {
    await life.pod('user', 'sleep 100000');
    await life.untilRunning('user');
    const before = (await namesOf(life)).length;
    await life.until(
      'images that are removed',
      async () => {
        const removed = await life.metric('kubelet_image_garbage_collected_total', 'reason="space"');
        return removed > 0 ? undefined : `none of ${before} were removed`;
      },
      { limitMs: IMAGES_MS },
    );
    await life.until('a report of the images that are left', async () => {
      const left = (await namesOf(life)).length;
      return left < before ? undefined : `${left} are reported`;
    });
    const names = await namesOf(life);
    for (const kept of ['e2e-test-images/busybox', 'registry.k8s.io/pause'])
      if (!names.some((name) => name.includes(kept)))
        throw new Error(`The image ${kept}, which is in use, was removed`);
  },
};

async function namesOf({ client, cluster }: NodeLife): Promise<readonly string[]> {
  const { status } = await client.core.v1.nodes.get(cluster.node.name);
  return (status?.images ?? []).map(({ names = [] }) => names.join());
}
