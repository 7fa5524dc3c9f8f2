// Our scheduler as a program of its own, for the comparison with kube-scheduler: `our-scheduler.ts KUBECONFIG`.
import { connect } from '../../src/client/index.ts';
import { app } from '../../src/kit/index.ts';
import { scheduler } from '../../src/scheduler/index.ts';

const [kubeconfig = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await using client = await connect({ kubeconfig });
await app('kube-scheduler', [scheduler()]).run(client, stop.signal);
