import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { cronTabs } from '../../src/apiserver/testing/made-up-kind.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const command = findKubectl() ?? '';

const manifest = (schedule: string): string => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly}
spec: {schedule: '${schedule}'}
`;

test.skipIf(command === '')(
  'kubectl uses a kind that is registered while the server runs, until it is withdrawn',
  async () => {
    await using cluster = await startTestCluster();
    const { registry } = cluster.plane.server;
    const kubectl = new Kubectl(command, cluster.kubeconfig);
    expect((await kubectl.run(['get', 'crontabs'])).stderr).toContain(
      'the server doesn\'t have a resource type "crontabs"',
    );

    registry.register(cronTabs());

    expect((await kubectl.run(['apply', '-f', '-'], manifest('@daily'))).stdout).toContain('nightly created');
    expect(await kubectl.output('get', 'ct')).toMatch(/^SCHEDULE\s*\n@daily\s*$/);
    expect(await kubectl.output('get', 'crontabs.v1beta1.stable.example.com', '-o', 'name')).toContain('nightly');
    expect(await kubectl.output('explain', 'crontab.spec')).toContain('schedule\t<string>');
    expect(
      (await kubectl.run(['apply', '--server-side', '--force-conflicts', '-f', '-'], manifest('@hourly'))).code,
    ).toBe(0);
    expect((await kubectl.run(['diff', '-f', '-'], manifest('@hourly'))).stdout).toBe('');
    const unknown = await kubectl.run(
      ['apply', '-f', '-'],
      manifest('@daily').replace('{schedule', '{colour: red, schedule'),
    );
    expect(unknown.stderr).toContain('unknown field "spec.colour"');

    const watch = spawn(command, ['get', 'ct', '--watch', '-o', 'name', '--kubeconfig', cluster.kubeconfig]);
    const ended = once(watch, 'exit');
    await once(watch.stdout, 'data');
    expect(await kubectl.output('delete', 'ct', 'nightly')).toContain('deleted');
    registry.withdraw({ group: 'stable.example.com', plural: 'crontabs' });
    expect(await ended).toEqual([0, null]);
    expect((await kubectl.run(['get', '--raw', '/apis/stable.example.com/v1'])).code).toBe(1);
  },
  60_000,
);
