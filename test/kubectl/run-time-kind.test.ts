import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Convert } from '../../src/apiserver/index.ts';
import { cronTabs } from '../../src/apiserver/testing/cron-tabs.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const command = findKubectl() ?? '';

const manifest = (schedule: string, more = ''): string => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly}
spec: {schedule: '${schedule}'${more}}
`;

/** `spec.schedule` in v1, `spec.cron` in v2: converted asynchronously, as by a webhook. */
const convert: Convert = async (objects, apiVersion) => {
  await new Promise((resolve) => setImmediate(resolve));
  return objects.map((object) => {
    const { schedule, cron = schedule, ...spec } = object['spec'] as Record<string, unknown>;
    const name = apiVersion.endsWith('v1') ? 'schedule' : 'cron';
    return { ...object, apiVersion, spec: { ...spec, ...(cron === undefined ? {} : { [name]: cron }) } };
  });
};

const text = { type: 'string', maxLength: 8 } as const;
const replicas = { type: 'integer', minimum: 1, maximum: 10, default: 1 } as const;

test(
  'kubectl uses a kind that did not exist a second ago, in both its versions, until it is withdrawn',
  requires('kubectl'),
  async () => {
    await using cluster = await startTestCluster();
    const { registry } = cluster.plane.server;
    const kubectl = new Kubectl(command, cluster.kubeconfig);
    expect((await kubectl.run(['get', 'crontabs'])).stderr).toContain(
      'the server doesn\'t have a resource type "crontabs"',
    );

    const spec = (version: string) => ({ replicas, [version === 'v1' ? 'schedule' : 'cron']: text });
    registry.register(cronTabs({ versions: ['v1', 'v2'], spec, convert }));

    expect((await kubectl.run(['apply', '-f', '-'], manifest('@daily'))).stdout).toContain('nightly created');
    expect(await kubectl.output('get', 'crontabs.v1.stable.example.com')).toMatch(/^SCHEDULE\s*\n@daily\s*$/);
    const later = JSON.parse(await kubectl.output('get', 'crontabs.v2.stable.example.com', 'nightly', '-o', 'json'));
    expect(later).toMatchObject({ apiVersion: 'stable.example.com/v2', spec: { cron: '@daily', replicas: 1 } });
    expect(Object.keys(later)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(await kubectl.output('explain', 'crontab.spec', '--api-version', 'stable.example.com/v2')).toContain(
      'cron\t<string>',
    );

    expect(
      (await kubectl.run(['apply', '--server-side', '--force-conflicts', '-f', '-'], manifest('@hourly'))).code,
    ).toBe(0);
    expect((await kubectl.run(['diff', '-f', '-'], manifest('@hourly'))).stdout).toBe('');
    const wrong = await kubectl.run(['apply', '-f', '-'], manifest('@every 2 hours', ', replicas: 15'));
    expect(wrong.stderr).toContain(
      'spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10',
    );
    expect(wrong.stderr).toContain('spec.schedule: Too long: may not be more than 8 bytes');
    const unknown = await kubectl.run(['apply', '-f', '-'], manifest('@daily', ', colour: red'));
    expect(unknown.stderr).toContain('unknown field "spec.colour"');
    await kubectl.output('patch', 'ct', 'nightly', '--type=merge', '-p', '{"metadata":{"labels":{"a":"b"}}}');

    const arguments_ = ['get', 'ct', '--watch', '-o', 'jsonpath={.spec.cron} ', '--kubeconfig', cluster.kubeconfig];
    const watch = spawn(command, arguments_);
    const ended = once(watch, 'exit');
    const [first] = await once(watch.stdout, 'data');
    expect(String(first)).toContain('@hourly');
    expect(await kubectl.output('delete', 'ct', 'nightly')).toContain('deleted');
    registry.withdraw({ group: 'stable.example.com', plural: 'crontabs' });
    expect(await ended).toEqual([0, null]);
    expect((await kubectl.run(['get', '--raw', '/apis/stable.example.com/v1'])).code).toBe(1);
  },
);
