import { describeNodeBackend } from '../node/testing/describe-node-backend.ts';
import { simulatedBackend } from './index.ts';

/** Simulated nodes are always well, their devices are those of claims, and volumes are not kept anywhere. */
const NONE = { networkSwitch: false, deviceEdits: false, mountedVolumes: false };

describeNodeBackend('the simulated backend', NONE, () => ({
  open: simulatedBackend(),
  exit: async (cluster, name, code) => {
    const pod = await cluster.pods.get(name);
    const attempts = (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) + 1;
    // this run ends now, the next one goes on
    const annotations = {
      'sim.keelson.dev/exit-code': String(code),
      'sim.keelson.dev/exit-after': [...Array.from({ length: attempts }, () => '0s'), 'never'].join(),
    };
    await cluster.pods.update({ ...pod, metadata: { ...pod.metadata, annotations } });
    await cluster.settle();
    await cluster.advance('1s');
  },
  rest: async ({ runtime }) => [
    ...(await runtime.listPodSandbox()).map(({ id }) => id),
    ...(await runtime.listContainers()).map(({ id }) => id),
  ],
  setNetworkReady: () => undefined,
  setEdits: () => undefined,
}));
