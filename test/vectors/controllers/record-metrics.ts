// Gives the real kube-controller-manager something of everything to do, and records which metrics it has:
//   node scripts/run.mjs test/vectors/controllers/record-metrics.ts
// It needs the peers etcd, kube-apiserver, kube-controller-manager and kube-scheduler (npm run peers).
import { writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_TOKEN, freePorts, startKube } from '../../../peers/index.ts';
import { connect } from '../../../src/client/index.ts';
import { exercise } from '../../../src/controllers/testing/metrics/exercise.ts';
import { familiesOf, queuesOf } from '../../../src/controllers/testing/metrics/families.ts';
import { app } from '../../../src/kit/index.ts';
import { nodeAgents } from '../../../src/node/index.ts';
import { simulatedBackend } from '../../../src/simulated/index.ts';

const FILE = 'src/controllers/testdata/real-metrics.json';
/** What is not about controllers: the runtime, the process, and what serves and asks. */
const ELSEWHERE =
  /^(?:go_|process_|apiserver_|authentication_|authorization_|rest_client_|cardinality_|kubernetes_|disabled_|hidden_|registered_|version_|informer_|aggregator_|apiextensions_)/;

const [port = 0] = await freePorts(1);
await using kube = await startKube({
  parts: ['kube-controller-manager', 'kube-scheduler'],
  controllerManagerFlags: [
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--authorization-always-allow-paths=/metrics',
    '--allocate-node-cidrs',
    '--cluster-cidr=10.244.0.0/16',
    '--horizontal-pod-autoscaler-sync-period=5s',
  ],
});
await using client = await connect({ kubeconfig: kube.kubeconfig, onWarning: () => undefined });
const stop = new AbortController();
const nodes = app('kubelet', [
  nodeAgents({ backend: simulatedBackend(), names: ['node-1', 'node-2'], podCidrs: () => [] }),
]).run(client, stop.signal);
await sleep(3000);
await exercise({ client, pass: (seconds) => sleep(seconds * 1000) });
const text = await scrape();
stop.abort();
await nodes;
const own = [...familiesOf(text)].filter(([name]) => !ELSEWHERE.test(name));
const lines = own.map(([name, family]) => `    ${JSON.stringify(name)}: ${JSON.stringify(family)}`);
await writeFile(
  FILE,
  `{\n  "families": {\n${lines.join(',\n')}\n  },\n  "queues": ${JSON.stringify(queuesOf(text))}\n}\n`,
);

async function scrape(): Promise<string> {
  const options = { rejectUnauthorized: false, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
  const asked = request(`https://127.0.0.1:${port}/metrics`, options);
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return body;
}
