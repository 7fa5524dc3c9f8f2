import type { DashboardProgram } from '../../test/dashboard/support/dashboard-cluster.ts';

const AT_ONCE = 20;

/** Creates pods `pod-FROM` to `pod-TO`, which nothing schedules. */
export async function createPods(up: DashboardProgram, from: number, to: number): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    while (next < to) {
      const name = nameOf(next++);
      await up.json('/cluster/api/v1/namespaces/default/pods', {
        method: 'POST',
        body: {
          metadata: { name, labels: { app: `app-${next % 50}` } },
          spec: { containers: [{ name: 'web', image: 'nginx' }] },
        },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Changes the phase of one pod after another, at most `perSecond`, until the signal aborts. Returns how many a second it were. */
export async function touchPods(up: DashboardProgram, perSecond: number, signal: AbortSignal): Promise<number> {
  const start = Date.now();
  let sent = 0;
  for (; !signal.aborted; sent++) {
    const name = nameOf(sent % 2000);
    const phase = sent % 4000 < 2000 ? 'Running' : 'Pending';
    await up.json(`/cluster/api/v1/namespaces/default/pods/${name}/status`, {
      method: 'PATCH',
      type: 'application/merge-patch+json',
      body: { status: { phase } },
    });
    const aheadMs = (sent * 1000) / perSecond - (Date.now() - start);
    if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  }
  return (sent * 1000) / (Date.now() - start);
}

function nameOf(index: number): string {
  return `pod-${String(index).padStart(5, '0')}`;
}
