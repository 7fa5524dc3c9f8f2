import { writeFile } from 'node:fs/promises';
import { app, run, webhookServer } from 'keelson';
import { gpuExtender } from './gpu-extender.ts';

const gpu = gpuExtender();
const server = webhookServer({ port: 8443, handlers: gpu.routes });
const running = run(app('gpu-extender', [gpu], { webhooks: server }));
await writeFile(
  'scheduler.json',
  JSON.stringify({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig: process.env.KUBECONFIG ?? '' },
    extenders: [gpu.configuration(await server.clientConfig(''))],
  }),
);
await running;
