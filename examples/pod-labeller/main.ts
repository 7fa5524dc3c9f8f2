import { run } from 'keelson';
import { labeller } from './pod-labeller.ts';

await run(labeller());
