import { writeFile } from 'node:fs/promises';
import { app, extensionServer, run } from 'keelson';
import { gpuExtender } from './gpu-extender.ts';

const gpu = gpuExtender();
const server = extensionServer({ port: 8443, handlers: gpu.routes });
const running = run(app('gpu-extender', [gpu], { server }));
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
