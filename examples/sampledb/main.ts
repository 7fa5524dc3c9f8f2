import { run } from 'keelson';
import { sampleDbApp } from './sampledb.ts';

await run(sampleDbApp(), { install: true });
