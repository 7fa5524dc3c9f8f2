import { run } from 'keelson';
import { podPresetApp } from './podpreset.ts';

await run(podPresetApp(8444), { install: true });
