import { run } from 'keelson';
import { podLabelsApp } from './pod-labels-webhook.ts';

await run(podLabelsApp(8443));
