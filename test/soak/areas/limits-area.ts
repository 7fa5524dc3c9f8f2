import {
  AREA_PREFIX,
  type AreaParts,
  below,
  CONTAINER,
  createNamespace,
  mergePatch,
  pick,
  type SoakArea,
} from './area.ts';

const NAMESPACE = `${AREA_PREFIX}limits`;
/** Fewer than the Deployments may ask for together. */
const MAX_PODS = 14;
const MIN_AVAILABLE = 2;
const MIN = 1;
const MAX = 4;

/** A quota that is too small, a budget, and an autoscaler of pods that are busy now and idle later. */
export function limitsArea({ client, random }: AreaParts): SoakArea {
  const deployments = client.apps.v1.deployments.namespace(NAMESPACE);
  const pods = client.core.v1.pods.namespace(NAMESPACE);
  const quotas = client.core.v1.resourcequotas.namespace(NAMESPACE);
  const budgets = client.policy.v1.poddisruptionbudgets.namespace(NAMESPACE);
  const autoscalers = client.autoscaling.v2.horizontalpodautoscalers.namespace(NAMESPACE);

  async function deploy(name: string, replicas: number): Promise<void> {
    const labels = { app: name };
    const containers = [{ ...CONTAINER, resources: { requests: { cpu: '100m' } } }];
    const template = { metadata: { labels }, spec: { containers } };
    await deployments.create({
      metadata: { name },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
  }

  async function squeeze(): Promise<string> {
    const replicas = below(random, MAX_PODS);
    await deployments.patch('squeezed', mergePatch({ spec: { replicas } }));
    return `scaled what the quota is about to ${replicas}`;
  }

  async function load(): Promise<string> {
    const cpu = pick(random, ['10m', '50m', '200m']);
    const annotations = { 'sim.keelson.dev/cpu': cpu };
    await deployments.patch('breathing', mergePatch({ spec: { template: { metadata: { annotations } } } }));
    return `has pods use ${cpu}`;
  }

  return {
    namespace: NAMESPACE,
    async begin() {
      await createNamespace(client, NAMESPACE);
      await quotas.create({ metadata: { name: 'few' }, spec: { hard: { pods: `${MAX_PODS}` } } });
      const selector = { matchLabels: { app: 'squeezed' } };
      await budgets.create({ metadata: { name: 'some' }, spec: { minAvailable: MIN_AVAILABLE, selector } });
      await deploy('squeezed', 3);
      await deploy('breathing', 2);
      const target = { type: 'Utilization' as const, averageUtilization: 50 };
      await autoscalers.create({
        metadata: { name: 'breathing' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'breathing' },
          minReplicas: MIN,
          maxReplicas: MAX,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
        },
      });
    },
    act: () => pick(random, [squeeze, load])(),
    async problems() {
      const found: string[] = [];
      const all = (await pods.list()).items;
      const { status: quota } = await quotas.get('few');
      const counted = all.filter(({ status }) => !/Succeeded|Failed/.test(status?.phase ?? '')).length;
      if (counted > MAX_PODS) found.push(`there are ${counted} pods, more than the quota allows`);
      if (Number(quota?.used?.['pods']) !== counted)
        found.push(`the quota counts ${quota?.used?.['pods']}, not ${counted}`);
      const { status: budget } = await budgets.get('some');
      const { spec, status } = await deployments.get('squeezed');
      const healthy = all.filter(
        ({ metadata, status: pod }) =>
          metadata.labels?.['app'] === 'squeezed' &&
          pod?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
      ).length;
      if (budget?.currentHealthy !== healthy) found.push(`the budget counts ${budget?.currentHealthy}, not ${healthy}`);
      const allowed = budget?.expectedPods === 0 ? 0 : Math.max(0, healthy - MIN_AVAILABLE);
      if (budget?.disruptionsAllowed !== allowed)
        found.push(`the budget allows ${budget?.disruptionsAllowed} disruptions, not ${allowed}`);
      const breathing = await deployments.get('breathing');
      const replicas = breathing.spec?.replicas ?? 0;
      const squeezed = spec?.replicas ?? 0;
      const ready = status?.readyReplicas ?? 0;
      const fits = squeezed + replicas <= MAX_PODS;
      if (fits && ready !== squeezed) found.push(`what the quota is about has ${ready} ready of ${squeezed}`);
      if (!fits && counted !== MAX_PODS) found.push(`there are ${counted} pods, and the quota allows more`);
      if (replicas < MIN || replicas > MAX) found.push(`the autoscaler wants ${replicas}`);
      const { status: scaled } = await autoscalers.get('breathing');
      if (scaled?.currentReplicas !== replicas || scaled.desiredReplicas !== replicas)
        found.push(`the autoscaler reports ${scaled?.currentReplicas} and ${scaled?.desiredReplicas}, not ${replicas}`);
      if (fits && breathing.status?.readyReplicas !== replicas)
        found.push(`${breathing.status?.readyReplicas} pods breathe, not ${replicas}`);
      return found;
    },
  };
}
