import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID, type RuntimeService } from '../runtime/index.ts';

/** What a running container uses. */
interface ContainerUse {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly name: string;
  readonly startedAtMs: number;
  readonly atMs: number;
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

async function usesOf(runtime: RuntimeService): Promise<readonly ContainerUse[]> {
  const filter = { state: 'CONTAINER_RUNNING' } as const;
  const [containers, stats] = await Promise.all([runtime.listContainers(filter), runtime.containerStats(filter)]);
  const byId = new Map(stats.map((each) => [each.id, each]));
  return containers.flatMap(({ id, labels, startedAtMs = 0 }) => {
    const stat = byId.get(id);
    if (stat === undefined) return [];
    const {
      [POD_NAMESPACE]: namespace = '',
      [POD_NAME]: pod = '',
      [POD_UID]: uid = '',
      [CONTAINER_NAME]: name = '',
    } = labels;
    const { timestampMs: atMs, usageCoreNanoSeconds: cpuNanoseconds, workingSetBytes: memoryBytes } = stat;
    return [{ namespace, pod, uid, name, startedAtMs, atMs, cpuNanoseconds, memoryBytes }];
  });
}

/** What the node uses, and each of its pods: the document of `/stats/summary`. */
export async function statsSummary(
  node: { readonly name: string; readonly startedAtMs: number },
  runtime: RuntimeService,
): Promise<object> {
  const uses = await usesOf(runtime);
  return {
    node: { nodeName: node.name, startTime: timeOf(node.startedAtMs), ...usage(uses) },
    pods: byPod(uses).map((own) => {
      const [{ namespace, pod, uid }] = own as readonly [ContainerUse];
      return {
        podRef: { name: pod, namespace, uid },
        startTime: timeOf(Math.min(...own.map(({ startedAtMs }) => startedAtMs))),
        containers: own.map((use) => ({ name: use.name, startTime: timeOf(use.startedAtMs), ...usage([use]) })),
        ...usage(own),
      };
    }),
  };
}

function byPod(uses: readonly ContainerUse[]): readonly (readonly ContainerUse[])[] {
  const pods = new Map<string, ContainerUse[]>();
  for (const use of uses) {
    const own = pods.get(use.uid);
    if (own === undefined) pods.set(use.uid, [use]);
    else own.push(use);
  }
  return [...pods.values()];
}

function usage(uses: readonly ContainerUse[]): object {
  const time = timeOf(Math.max(0, ...uses.map(({ atMs }) => atMs)));
  const usageNanoCores = sum(uses, ({ cpuNanoseconds, atMs, startedAtMs }) =>
    atMs > startedAtMs ? Math.round((cpuNanoseconds * 1000) / (atMs - startedAtMs)) : 0,
  );
  const memory = sum(uses, ({ memoryBytes }) => memoryBytes);
  return {
    cpu: { time, usageNanoCores, usageCoreNanoSeconds: sum(uses, ({ cpuNanoseconds }) => cpuNanoseconds) },
    memory: { time, usageBytes: memory, workingSetBytes: memory, rssBytes: memory, pageFaults: 0, majorPageFaults: 0 },
  };
}

/** The same as metrics, by the names that metrics-server looks for: the document of `/metrics/resource`. */
export async function resourceMetrics(runtime: RuntimeService): Promise<string> {
  const uses = await usesOf(runtime);
  const lines: string[] = [];
  const family = (name: string, type: 'counter' | 'gauge', samples: readonly Sample[]): void => {
    lines.push(`# HELP ${name} [STABLE] ${HELP[name] ?? ''}`, `# TYPE ${name} ${type}`);
    for (const { labels, value, atMs } of samples)
      lines.push(`${name}${labels} ${value}${atMs === undefined ? '' : ` ${atMs}`}`);
  };
  const containers = (value: (use: ContainerUse) => number): readonly Sample[] =>
    uses.map((use) => ({
      labels: labelsOf({ container: use.name, namespace: use.namespace, pod: use.pod }),
      value: value(use),
      atMs: use.atMs,
    }));
  const pods = (value: (use: ContainerUse) => number): readonly Sample[] =>
    byPod(uses).map((own) => {
      const [{ namespace, pod, atMs }] = own as readonly [ContainerUse];
      return { labels: labelsOf({ namespace, pod }), value: sum(own, value), atMs };
    });
  const whole = (value: (use: ContainerUse) => number): readonly Sample[] => {
    const [first] = uses;
    return [{ labels: '', value: sum(uses, value), ...(first === undefined ? {} : { atMs: first.atMs }) }];
  };
  family('container_cpu_usage_seconds_total', 'counter', containers(cpuSeconds));
  family('container_memory_working_set_bytes', 'gauge', containers(memoryOf));
  family(
    'container_start_time_seconds',
    'gauge',
    containers(({ startedAtMs }) => startedAtMs / 1000),
  );
  family('node_cpu_usage_seconds_total', 'counter', whole(cpuSeconds));
  family('node_memory_working_set_bytes', 'gauge', whole(memoryOf));
  family('pod_cpu_usage_seconds_total', 'counter', pods(cpuSeconds));
  family('pod_memory_working_set_bytes', 'gauge', pods(memoryOf));
  family('resource_scrape_error', 'gauge', [{ labels: '', value: 0 }]);
  return `${lines.join('\n')}\n`;
}

interface Sample {
  readonly labels: string;
  readonly value: number;
  readonly atMs?: number;
}

const HELP: Readonly<Record<string, string>> = {
  container_cpu_usage_seconds_total: 'Processor time that the container has used, in seconds of one core',
  container_memory_working_set_bytes: 'Memory that the container uses now, in bytes',
  container_start_time_seconds: 'When the container was started, in seconds since 1970',
  node_cpu_usage_seconds_total: 'Processor time that the node has used, in seconds of one core',
  node_memory_working_set_bytes: 'Memory that the node uses now, in bytes',
  pod_cpu_usage_seconds_total: 'Processor time that the pod has used, in seconds of one core',
  pod_memory_working_set_bytes: 'Memory that the pod uses now, in bytes',
  resource_scrape_error: '1 if the figures could not be had, 0 otherwise',
};

function cpuSeconds({ cpuNanoseconds }: ContainerUse): number {
  return cpuNanoseconds / 1e9;
}

function memoryOf({ memoryBytes }: ContainerUse): number {
  return memoryBytes;
}

function sum(uses: readonly ContainerUse[], value: (use: ContainerUse) => number): number {
  return uses.reduce((total, use) => total + value(use), 0);
}

/** Names of Kubernetes need no escapes. */
function labelsOf(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
