import { writeFile } from 'node:fs/promises';
import { teamServer } from './authorization-webhook.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const server = teamServer(8444);
const running = server.run(stop.signal);
await writeFile('authorization-webhook.kubeconfig', await server.kubeconfig('/authorize'), { mode: 0o600 });
await running;
