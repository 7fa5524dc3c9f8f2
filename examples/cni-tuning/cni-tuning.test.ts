import { expect, test } from 'vitest';
import { CniBench, needsNamespaces, NetworkNamespace } from '../../test/support/cni-bench.ts';

test('kernel parameters of the container are set, and held by CHECK', needsNamespaces, async () => {
  await using bench = await CniBench.create({
    'keelson-bridge': 'examples/cni-bridge/main.ts',
    'keelson-tuning': 'examples/cni-tuning/main.ts',
  });
  await using blue = await NetworkNamespace.create();
  const attachment = { containerId: 'blue', netns: blue.path };
  const bridge = { type: 'keelson-bridge', subnet: '10.9.0.0/24', stateDir: bench.state('bridge') };
  const tuning = (sysctl: object): object => ({ type: 'keelson-tuning', sysctl });
  const network = bench.network('pods', [bridge, tuning({ 'net.core.somaxconn': '77' })]);

  const result = await bench.runner.add(network, attachment);
  expect(result).toMatchObject({ ips: [{ address: '10.9.0.2/24' }] }); // that of the bridge, passed on
  expect(await blue.run('sysctl', '-n', 'net.core.somaxconn')).toBe('77\n');
  await bench.runner.check(network, attachment);
  await blue.run('sysctl', '-qw', 'net.core.somaxconn=78');
  await expect(bench.runner.check(network, attachment)).rejects.toThrow('net.core.somaxconn is 78, not 77');
  await bench.runner.del(network, attachment);

  const refused = (...plugins: object[]): Promise<unknown> =>
    bench.runner.add(bench.network('pods', plugins), attachment);
  await expect(refused(tuning({}))).rejects.toMatchObject({ code: 7 });
  await expect(refused(bridge, tuning({ 'kernel.hostname': 'x' }))).rejects.toMatchObject({
    code: 7,
    details: '"sysctl.kernel.hostname"',
  });
  await expect(refused(tuning({ 'net.core.somaxconn': 7 }))).rejects.toMatchObject({ code: 7 });
});
