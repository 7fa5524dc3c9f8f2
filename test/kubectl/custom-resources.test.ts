import { expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const command = findKubectl() ?? '';

const zones = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: zones.test.com}
spec:
  group: test.com
  names: {kind: Zone, listKind: ZoneList, plural: zones, singular: zone}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              city: {type: string, nullable: true}
`;

const zone = (city: string): string => `
apiVersion: test.com/v1
kind: Zone
metadata: {name: zone1}
spec: {city: ${city}}
`;

test('a definition with no program (C1)', requires('kubectl'), async () => {
  await using cluster = await startTestCluster();
  const kubectl = new Kubectl(command, cluster.kubeconfig);
  expect((await kubectl.run(['create', '-f', '-'], zones)).stdout).toBe(
    'customresourcedefinition.apiextensions.k8s.io/zones.test.com created\n',
  );
  expect(await kubectl.output('wait', '--for=condition=Established', 'crd/zones.test.com', '--timeout=120s')).toContain(
    'met',
  );
  expect((await kubectl.run(['create', '-f', '-'], zone('beijing'))).stdout).toBe('zone.test.com/zone1 created\n');
  expect(await kubectl.output('get', 'zones')).toMatch(/^NAME +AGE\nzone1 +\d+s\n$/);
  expect((await kubectl.run(['apply', '-f', '-'], zone('null'))).code).toBe(0);
  expect((await kubectl.run(['apply', '-f', '-'], zone('5'))).stderr).toContain('spec.city: Invalid value: "integer"');
  expect(await kubectl.output('delete', 'crd', 'zones.test.com')).toContain('deleted');
  expect((await kubectl.run(['get', 'zones'])).stderr).toContain('could not find the requested resource');
  expect((await kubectl.run(['create', '-f', '-'], zones)).code).toBe(0);
  await kubectl.output('wait', '--for=condition=Established', 'crd/zones.test.com', '--timeout=120s');
  expect((await kubectl.run(['get', 'zones'])).stderr).toContain('No resources found');
});

const cronTabs = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cronSpec:
                type: string
                pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$'
                default: '5 0 * * *'
              image: {type: string}
              replicas: {type: integer, minimum: 1, maximum: 10, default: 1}
`;

test('names, defaults and validation (C2)', requires('kubectl'), async () => {
  await using cluster = await startTestCluster();
  const kubectl = new Kubectl(command, cluster.kubeconfig);
  const apply = (spec: string) =>
    kubectl.run(
      ['apply', '-f', '-'],
      `apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: my-new-cron-object}\nspec: ${spec}\n`,
    );
  expect((await kubectl.run(['apply', '-f', '-'], cronTabs)).code).toBe(0);
  await kubectl.output('wait', '--for=condition=Established', 'crd/crontabs.stable.example.com', '--timeout=120s');
  const first = await apply('{image: my-awesome-cron-image}');
  expect(first.stderr).toBe('');
  expect(first.stdout).toBe('crontab.stable.example.com/my-new-cron-object created\n');
  for (const name of ['crontab', 'ct', 'crontabs.stable.example.com']) {
    expect(await kubectl.output('get', name)).toMatch(/^NAME +AGE\nmy-new-cron-object +\d+s\n$/);
  }
  expect(JSON.parse(await kubectl.output('get', 'ct', 'my-new-cron-object', '-o', 'json')).spec).toEqual({
    cronSpec: '5 0 * * *',
    image: 'my-awesome-cron-image',
    replicas: 1,
  });
  const { stderr } = await apply('{cronSpec: "* * * * * *", replicas: 15}');
  expect(stderr).toContain('spec.cronSpec: Invalid value: "* * * * * *": spec.cronSpec in body should match');
  expect(stderr).toContain(
    'spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10',
  );
});
