import { expect, test } from 'vitest';
import { SeededRandom } from '../../../base/index.ts';
import { startCluster } from '../../../testing/index.ts';
import { ControllerManager } from './controller-manager.ts';

const STATUS = 'validatingadmissionpolicy-status-controller';

test('a controller manager apart knows the types of built-in and of custom kinds', async () => {
  await using cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0, seed: 'apart' });
  const { client, clock } = cluster;
  const size = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
  await client.apiextensions.v1.customresourcedefinitions.create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: size } }],
    },
  });
  const resourceRules = [
    { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['*' as const], resources: ['widgets'] },
    { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*' as const], resources: ['deployments'] },
  ];
  const policies = client.admissionregistration.v1.validatingadmissionpolicies;
  await policies.create({
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules }, validations: [{ expression: "object.spec.size == 'large'" }] },
  });
  const stop = new AbortController();
  const random = new SeededRandom('apart');
  const manager = new ControllerManager(client, { clock, random, controllers: [STATUS], rootCertificate: '' });
  const running = manager.run(stop.signal);
  await clock.advance('10s');
  await cluster.settle();
  const { status } = await policies.get('p');
  stop.abort();
  await running;
  const warning = status?.typeChecking?.expressionWarnings?.[0]?.warning;
  expect(warning).toContain("apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'size'");
  expect(warning).toContain("example.com/v1, Kind=Widget: ERROR: <input>:1:18: found no matching overload for '_==_'");
});
