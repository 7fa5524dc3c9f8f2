import { ADDED_VERSIONS } from '../../src/api/index.ts';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';
import type { TestCluster } from '../support/test-cluster.ts';

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx}]}
`;

describe('kubectl commands', requires('kubectl'), () => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startTestCluster();
    kubectl = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
    await kubectl.create(deployment);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('api-versions lists groups and versions', async () => {
    const versions = (await kubectl.output('api-versions')).trim().split('\n');
    expect(versions).toEqual(
      expect.arrayContaining(['v1', 'apps/v1', 'autoscaling/v1', 'autoscaling/v2', 'resource.k8s.io/v1']),
    );
    expect(versions.filter((version) => /alpha|beta/.test(version))).toEqual(ADDED_VERSIONS);
  });

  test('explain walks deep paths and shows allowed values', async () => {
    const text = await kubectl.output('explain', 'deployment.spec.template.spec.containers.imagePullPolicy');
    expect(text).toContain('FIELD: imagePullPolicy <string>');
    expect(text).toMatch(/ENUM:\n\s+Always\n\s+IfNotPresent\n\s+Never/);
    const wrong = await kubectl.run(['explain', 'deployment.spec.nope']);
    expect(wrong.stderr).toContain('field "nope" does not exist');
  });

  test('get -v 6 lists in pages of 500', async () => {
    const { stderr } = await kubectl.run(['get', 'pods', '-n', 'default', '-v', '6']);
    const request = stderr.split('\n').find((line) => line.includes('/api/v1/namespaces/default/pods?limit=500'));
    expect(request).toContain('GET');
    expect(request).toContain('200 OK');
  });

  test('a Deployment is stored with its defaults', async () => {
    const stored = JSON.parse(await kubectl.output('get', 'deployment', 'web', '-o', 'json')) as unknown;
    expect(stored).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        template: {
          spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', containers: [{ imagePullPolicy: 'Always' }] },
        },
      },
    });
  });

  test('scale goes through the scale subresource and bumps the generation', async () => {
    expect(await kubectl.output('scale', 'deployment', 'web', '--replicas=4')).toContain('deployment.apps/web scaled');
    expect(
      await kubectl.output('get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas} {.metadata.generation}'),
    ).toBe('4 2');
  });

  test('get -w shows each change as it happens', async () => {
    const watching = spawn(findKubectl() ?? '', ['get', 'configmap', '-w', '--output-watch-events'], {
      env: { ...process.env, KUBECONFIG: cluster.kubeconfig, KUBECACHEDIR: `${cluster.kubeconfig}.cache` },
    });
    const seen: string[] = [];
    const reached = new Promise<void>((resolve) => {
      watching.stdout.on('data', (chunk: Buffer) => {
        seen.push(chunk.toString());
        if (seen.join('').includes('DELETED')) resolve();
      });
    });
    await kubectl.output('create', 'configmap', 'watched', '--from-literal=a=b');
    await kubectl.output('label', 'configmap', 'watched', 'x=y');
    await kubectl.output('delete', 'configmap', 'watched');
    await reached;
    watching.kill();
    expect(seen.join('')).toMatch(/ADDED\s+watched[\s\S]*MODIFIED\s+watched[\s\S]*DELETED\s+watched/);
  });

  test('wait returns when the condition holds', async () => {
    await kubectl.output('create', 'configmap', 'going');
    const waiting = kubectl.output('wait', '--for=delete', 'configmap/going', '--timeout=120s');
    await kubectl.output('delete', 'configmap', 'going');
    await waiting;
    await kubectl.output('wait', '--for=jsonpath={.status.phase}=Active', 'namespace/default', '--timeout=120s');
  });

  test('delete of an object with a finalizer marks it until the finalizer is gone', async () => {
    await kubectl.create(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","finalizers":["example.com/hold"]}}',
    );
    await kubectl.output('delete', 'configmap', 'held', '--wait=false');
    expect(await kubectl.output('get', 'configmap', 'held', '-o', 'jsonpath={.metadata.deletionTimestamp}')).not.toBe(
      '',
    );
    await kubectl.output('patch', 'configmap', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    expect((await kubectl.run(['get', 'configmap', 'held'])).stderr).toContain(
      'Error from server (NotFound): configmaps "held" not found',
    );
  });

  test('selectors, all namespaces and sorting work', async () => {
    await kubectl.output('create', 'namespace', 'other');
    await kubectl.output('create', 'configmap', 'labelled', '-n', 'other');
    await kubectl.output('label', 'configmap', 'labelled', '-n', 'other', 'tier=db');
    expect(await kubectl.output('get', 'configmap', '-A', '-l', 'tier in (db,web)', '-o', 'name')).toBe(
      'configmap/labelled\n',
    );
    expect(
      await kubectl.output('get', 'configmap', '-A', '--field-selector', 'metadata.name=labelled', '-o', 'name'),
    ).toBe('configmap/labelled\n');
    expect((await kubectl.output('get', 'ns', '--sort-by=.metadata.name', '-o', 'name')).split('\n')[0]).toBe(
      'namespace/default',
    );
  });

  test('mistakes come back in Kubernetes’ words', async () => {
    const again = await kubectl.run(['create', 'namespace', 'default']);
    expect(again.stderr).toContain('Error from server (AlreadyExists): namespaces "default" already exists');
    const nowhere = await kubectl.run(['create', 'configmap', 'x', '-n', 'nowhere']);
    expect(nowhere.stderr).toContain('namespaces "nowhere" not found');
    const forbidden = await kubectl.run(['delete', 'namespace', 'kube-system']);
    expect(forbidden.stderr).toContain('is forbidden: this namespace may not be deleted');
    const strange = await kubectl.run(
      ['create', '--validate=strict', '-f', '-'],
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"dta":{}}',
    );
    expect(strange.stderr).toContain('strict decoding error: unknown field "dta"');
    const unknown = await kubectl.run(['get', 'widgets']);
    expect(unknown.stderr).toContain('the server doesn\'t have a resource type "widgets"');
  });

  test('--raw reaches every path', async () => {
    expect(await kubectl.output('get', '--raw', '/readyz')).toBe('ok');
    expect(JSON.parse(await kubectl.output('get', '--raw', '/version'))).toMatchObject({ major: '1', minor: '36' });
    expect(await kubectl.output('get', '--raw', '/metrics')).toContain('apiserver_request_total{');
  });

  test('services get addresses, and give them back', async () => {
    await kubectl.output('create', 'service', 'clusterip', 'web', '--tcp=80');
    const address = await kubectl.output('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    expect(address).toMatch(/^10\.96\./);
    expect(await kubectl.output('get', 'ipaddress', address, '-o', 'jsonpath={.spec.parentRef.name}')).toBe('web');
    await kubectl.output('delete', 'service', 'web');
    expect((await kubectl.run(['get', 'ipaddress', address])).code).not.toBe(0);
  });
});
