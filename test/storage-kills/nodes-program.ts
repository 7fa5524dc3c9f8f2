// Simulated nodes that mount volumes of drivers. Arguments: KUBECONFIG FOLDER NAME…
import { connect } from '../../src/client/index.ts';
import { csiDriversIn } from '../../src/csi/index.ts';
import { app } from '../../src/kit/index.ts';
import { nodeAgents } from '../../src/node/index.ts';
import { simulatedBackend } from '../../src/simulated/index.ts';

const [kubeconfig = '', folder = '', ...names] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await using client = await connect({ kubeconfig, userAgent: 'kubelet' });
const backend = simulatedBackend({ volumeDrivers: csiDriversIn({ folder }) });
await app('kubelet', [nodeAgents({ backend, names })]).run(client, stop.signal);
