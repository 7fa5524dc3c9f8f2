import type { DashboardProgram } from './dashboard-cluster.ts';

/** Objects that tests create. */

export async function createNamespace(up: DashboardProgram, name: string): Promise<void> {
  await up.json('/cluster/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } });
}

export async function createConfigMap(
  up: DashboardProgram,
  namespace: string,
  {
    name,
    ...more
  }: {
    readonly name: string;
    readonly data?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { data, ...metadata } = more;
  await up.json(`/cluster/api/v1/namespaces/${namespace}/configmaps`, {
    method: 'POST',
    body: { metadata: { name, ...metadata }, data },
  });
}

export async function createDeployment(
  up: DashboardProgram,
  namespace: string,
  { name, replicas = 2 }: { readonly name: string; readonly replicas?: number },
): Promise<void> {
  const labels = { app: name };
  await up.json(`/cluster/apis/apps/v1/namespaces/${namespace}/deployments?fieldManager=tester`, {
    method: 'POST',
    body: {
      metadata: { name, labels },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80 }] }] },
        },
      },
    },
  });
}

/** The names of the pods of an app, once there are as many as wanted and all run. */
export async function runningPods(
  up: DashboardProgram,
  namespace: string,
  { app, count }: { readonly app: string; readonly count: number },
): Promise<string[]> {
  for (;;) {
    const list = await up.json<{ items: { metadata: { name: string }; status: { phase: string } }[] }>(
      `/cluster/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${app}`,
    );
    const running = list.items.filter(({ status }) => status.phase === 'Running');
    if (running.length === count) return running.map(({ metadata }) => metadata.name);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
