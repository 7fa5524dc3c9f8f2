import { expect, test } from 'vitest';
import { CryptoRandom, discardLogger, messageOf, RealClock } from '../../base/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { DriverRegistration } from './driver-registration.ts';
import { NodeDrivers } from './node-drivers.ts';
import { NodeInfo } from './node-info.ts';

const tools = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };
const NAME = 'dir.example.com';

test.each([
  { versions: ['1.0.0'], problem: undefined },
  { versions: ['0.3.0', 'v1.2'], problem: undefined },
  { versions: [], problem: 'Plugin returned an empty list for supported versions' },
  {
    versions: ['0.3.0'],
    problem:
      'None of the versions specified ["0.3.0"] are supported. err=highest supported version reported is 0.3.0, must be v1.x',
  },
  {
    versions: ['2.0.0', 'x'],
    problem:
      'None of the versions specified ["2.0.0" "x"] are supported. err=could not find a highest supported version from versions ([2.0.0 x]) reported: could not parse "x" as version',
  },
])('a driver with the versions $versions is taken, or refused with the reason', ({ versions, problem }) => {
  const handler = new DriverRegistration({ drivers: new NodeDrivers(tools), nodeInfo: {} as NodeInfo, ...tools });
  const plugin = { type: 'CSIPlugin', name: NAME, endpoint: '/csi.sock', versions, socket: '/reg.sock' };
  const failed = `kubernetes.io/csi: ValidatePlugin for CSI driver "${NAME}" failed.`;
  expect(problemOf(() => handler.validate(plugin))).toBe(
    problem === undefined
      ? undefined
      : `validation failed for CSI Driver ${NAME} at endpoint /csi.sock: ${failed} ${problem}`,
  );
});

test('a second driver of the same name needs a higher version', async () => {
  await using drivers = new NodeDrivers(tools);
  await drivers.add(NAME, { endpoint: '/csi.sock', version: [1, 2, 0] });
  const handler = new DriverRegistration({ drivers, nodeInfo: {} as NodeInfo, ...tools });
  const plugin = { type: 'CSIPlugin', name: NAME, endpoint: '/other.sock', socket: '/reg.sock' };
  expect(problemOf(() => handler.validate({ ...plugin, versions: ['1.2.0'] }))).toMatch(
    /already registered with a higher supported version: "1\.2\.0"$/,
  );
  expect(problemOf(() => handler.validate({ ...plugin, versions: ['1.3.0'] }))).toBeUndefined();
});

test('a driver that contradicts the labels of its node is refused, and a CSINode of an earlier node is replaced', async () => {
  await using cluster = await TestCluster.start({ clock: tools.clock });
  const client = cluster.client();
  const { signal } = new AbortController();
  await client.core.v1.nodes.create({ metadata: { name: 'n', labels: { zone: 'a' } } });
  const old = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'earlier' };
  await client.storage.v1.csinodes.create({ metadata: { name: 'n', ownerReferences: [old] }, spec: { drivers: [] } });
  const info = new NodeInfo({ client, node: 'n', ...tools });

  await info.initialize(signal);
  const { metadata } = await client.storage.v1.csinodes.get('n');
  expect(metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([(await client.core.v1.nodes.get('n')).metadata.uid]);

  const reported = { nodeId: 'id', maxVolumes: 0, topology: { zone: 'b' } };
  await expect(info.install(NAME, reported, signal)).rejects.toThrow(
    'detected topology value collision: driver reported "zone":"b" but existing label is "zone":"a"',
  );
  await expect(info.install(NAME, { ...reported, nodeId: '' }, signal)).rejects.toThrow(
    'driverNodeID must not be empty',
  );
});

function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
