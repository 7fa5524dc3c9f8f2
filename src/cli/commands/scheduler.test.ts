import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { programs } from '../../cluster/programs/index.ts';
import { programCommand } from './program-command.ts';

async function written(config: string | undefined, ...flags: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-scheduler-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [input, output] = [join(folder, 'in.yaml'), join(folder, 'out.yaml')];
  if (config !== undefined) await writeFile(input, config);
  const context = {
    environment: {},
    signal: new AbortController().signal,
    isTerminal: false,
    print: () => undefined,
    printError: () => undefined,
  };
  const given = config === undefined ? [] : ['--config', input];
  const schedulerCommand = await programCommand('scheduler', programs[1]);
  await schedulerCommand.run([...given, '--write-config-to', output, ...flags], context);
  return readFile(output, 'utf8');
}

const HEAD = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';

test('without a file, flags configure the connection', async () => {
  const text = await written(undefined, '--kubeconfig=here', '--kube-api-qps=7.5', '--kube-api-burst=9');
  expect(text).toContain(
    '  burst: 9\n  contentType: application/vnd.kubernetes.protobuf\n  kubeconfig: here\n  qps: 7.5\n',
  );
});

test('with a file, only the flags of leader election count beside it', async () => {
  const config = `${HEAD}clientConnection: {kubeconfig: there, qps: 3}\nleaderElection: {resourceName: mine}\n`;
  const text = await written(config, '--kubeconfig=here', '--kube-api-qps=7', '--leader-elect-lease-duration=20s');
  expect(text).toContain('kubeconfig: there\n  qps: 3\n');
  expect(text).toContain('leaseDuration: 20s\n');
  expect(text).toContain('resourceName: mine\n');
});

test('errors in a file or a flag have the messages of kube-scheduler', async () => {
  await expect(written(`${HEAD}foo: 1\n`)).rejects.toThrow('strict decoding error: unknown field "foo"');
  await expect(written(`${HEAD}parallelism: 0\n`)).rejects.toThrow(
    'parallelism: Invalid value: 0: should be an integer value greater than zero',
  );
  await expect(written(undefined, '--leader-elect-lease-duration=1s')).rejects.toThrow(
    'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
  );
  await expect(written(undefined, '--feature-gates=X=true')).rejects.toThrow('--feature-gates is refused');
});
