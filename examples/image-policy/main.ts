import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestsOnly } from './image-policy.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const server = digestsOnly(8443);
const running = server.run(stop.signal);
const kubeConfigFile = resolve('image-policy.kubeconfig');
await writeFile(kubeConfigFile, await server.kubeconfig('/images'), { mode: 0o600 });
const configuration = { imagePolicy: { kubeConfigFile, allowTTL: 50, denyTTL: 50, retryBackoff: 500 } };
const plugins = [{ name: 'ImagePolicyWebhook', configuration }];
const file = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins };
await writeFile('admission.json', JSON.stringify(file));
await running;
