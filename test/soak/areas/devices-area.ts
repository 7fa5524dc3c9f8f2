import { AREA_PREFIX, type AreaParts, below, CONTAINER, createNamespace, mergePatch, type SoakArea } from './area.ts';

const NAMESPACE = `${AREA_PREFIX}devices`;
/** The driver whose devices the nodes have, and how many each has. */
export const DRIVER = 'gpu.example.com';
export const PER_NODE = 2;

/** Pods with claims of devices, sometimes more than there are. */
export function devicesArea({ client, random }: AreaParts): SoakArea {
  const deployments = client.apps.v1.deployments.namespace(NAMESPACE);
  const claims = client.resource.v1.resourceclaims.namespace(NAMESPACE);
  const labels = { app: 'gpu' };
  let replicas = 2;

  return {
    namespace: NAMESPACE,
    async begin() {
      await createNamespace(client, NAMESPACE);
      const requests = [{ name: 'gpu', exactly: { deviceClassName: DRIVER } }];
      await client.resource.v1.resourceclaimtemplates
        .namespace(NAMESPACE)
        .create({ metadata: { name: 'one' }, spec: { spec: { devices: { requests } } } });
      await deployments.create({
        metadata: { name: 'gpu' },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }],
              containers: [{ ...CONTAINER, resources: { claims: [{ name: 'gpu' }] } }],
            },
          },
        },
      });
    },
    async act() {
      const nodes = (await client.core.v1.nodes.list()).items.length;
      replicas = below(random, nodes * PER_NODE + 3);
      await deployments.patch('gpu', mergePatch({ spec: { replicas } }));
      return `scaled what needs devices to ${replicas}`;
    },
    async problems() {
      const found: string[] = [];
      const nodes = (await client.core.v1.nodes.list()).items.length;
      const pods = (await client.core.v1.pods.namespace(NAMESPACE).list()).items;
      const ready = (await deployments.get('gpu')).status?.readyReplicas ?? 0;
      const possible = Math.min(replicas, nodes * PER_NODE);
      if (pods.length !== replicas) found.push(`${pods.length} pods need devices, not ${replicas}`);
      if (ready !== possible) found.push(`${ready} pods have devices, not ${possible}`);
      const all = (await claims.list()).items;
      const given = all.filter(({ status }) => status?.allocation !== undefined);
      if (all.length !== replicas) found.push(`there are ${all.length} claims of devices, not ${replicas}`);
      if (given.length !== possible) found.push(`${given.length} claims have devices, not ${possible}`);
      const devices = given.flatMap(({ status }) =>
        (status?.allocation?.devices?.results ?? []).map(({ driver, pool, device }) => `${driver}/${pool}/${device}`),
      );
      if (new Set(devices).size !== devices.length) found.push(`a device is given twice: ${devices.join()}`);
      return found;
    },
  };
}
