import { run } from 'keelson';
import { sampleController } from './foo.ts';

await run(sampleController(), { install: true });
