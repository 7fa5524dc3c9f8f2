import { writeFile } from 'node:fs/promises';
import { badgeServer } from './token-webhook.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const server = badgeServer(8443);
const running = server.run(stop.signal);
await writeFile('token-webhook.kubeconfig', await server.kubeconfig('/authenticate'), { mode: 0o600 });
await running;
