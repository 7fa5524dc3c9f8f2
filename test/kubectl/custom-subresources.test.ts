import { expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const command = findKubectl() ?? '';

const boats = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.sea.example.com}
spec:
  group: sea.example.com
  scope: Namespaced
  names: {plural: boats, kind: Boat, shortNames: [bt], categories: [all, fleet]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.crew, statusReplicasPath: .status.crew, labelSelectorPath: .status.selector}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Crew, type: integer, jsonPath: .spec.crew}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Built, type: date, jsonPath: .spec.built, priority: 1}
    - {name: Sails, type: string, jsonPath: .spec.sails, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: A boat.
        properties:
          spec:
            type: object
            properties:
              color: {type: string, description: What it is painted in.}
              crew: {type: integer, default: 1}
              built: {type: string, format: date-time}
              sails:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, area: {type: integer}}}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const boat = (name: string, spec: string): string => `
apiVersion: sea.example.com/v1
kind: Boat
metadata: {name: ${name}}
spec: ${spec}
`;

test('columns, status, scale, selectors, categories and versions of a custom kind', requires('kubectl'), async () => {
  await using cluster = await startTestCluster();
  const kubectl = new Kubectl(command, cluster.kubeconfig);
  expect((await kubectl.run(['apply', '-f', '-'], boats)).code).toBe(0);
  await kubectl.output('wait', '--for=condition=Established', 'crd/boats.sea.example.com', '--timeout=120s');
  const red = boat('red', '{color: red, built: 2020-01-01T00:00:00Z, sails: [{name: main, area: 20}]}');
  expect((await kubectl.run(['apply', '--server-side', '-f', '-'], red)).code).toBe(0);
  expect((await kubectl.run(['create', '-f', '-'], boat('blue', '{color: blue, crew: 3}'))).code).toBe(0);

  await kubectl.output('patch', 'bt', 'red', '--subresource=status', '--type=merge', '-p', READY);
  expect(await kubectl.output('get', 'boats')).toMatch(
    /^NAME +COLOR +CREW +READY\nblue +blue +3 *\nred +red +1 +True\n$/,
  );
  expect(await kubectl.output('get', 'bt', 'red', '-o', 'wide')).toMatch(
    /BUILT +SAILS\nred +red +1 +True +\d+y\d+d +\[\{"area":20,"name":"main"\}\]\n$/,
  );
  expect(await kubectl.output('get', 'fleet', '-o', 'name')).toBe(
    'boat.sea.example.com/blue\nboat.sea.example.com/red\n',
  );
  expect(await kubectl.output('get', 'bt', '--field-selector', 'spec.color=blue', '-o', 'name')).toBe(
    'boat.sea.example.com/blue\n',
  );
  expect((await kubectl.run(['get', 'bt', '--field-selector', 'spec.crew=1'])).stderr).toContain(
    'field label not supported: spec.crew',
  );

  expect(await kubectl.output('scale', 'boat/blue', '--replicas=7')).toContain('scaled');
  const scale = JSON.parse(
    await kubectl.output('get', '--raw', '/apis/sea.example.com/v1/namespaces/default/boats/blue/scale'),
  );
  expect(scale).toMatchObject({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    spec: { replicas: 7 },
    status: { replicas: 0 },
  });
  expect(JSON.parse(await kubectl.output('get', 'bt', 'blue', '-o', 'json'))).toMatchObject({
    metadata: { generation: 2 },
    spec: { crew: 7 },
  });

  const more = boat('red', '{sails: [{name: jib, area: 8}]}');
  expect((await kubectl.run(['apply', '--server-side', '--field-manager=rigger', '-f', '-'], more)).code).toBe(0);
  expect(JSON.parse(await kubectl.output('get', 'bt', 'red', '-o', 'json')).spec.sails).toEqual([
    { area: 20, name: 'main' },
    { area: 8, name: 'jib' },
  ]);
  const old = await kubectl.run(['get', 'boats.v1beta1.sea.example.com']);
  expect(old.stderr).toContain('Warning: sea.example.com/v1beta1 Boat is deprecated; use sea.example.com/v1 Boat');
  expect(await kubectl.output('explain', 'boats.spec.color')).toContain('What it is painted in.');
  const patched = await kubectl.run(['patch', 'bt', 'red', '--type=strategic', '-p', '{"spec":{}}']);
  expect(patched.stderr).toContain(
    'application/strategic-merge-patch+json is not supported by sea.example.com/v1, Kind=Boat',
  );
});

const READY = '{"status":{"conditions":[{"type":"Ready","status":"True"}]},"spec":{"color":"ignored"}}';
