import { run } from 'keelson';
import { wardleApp } from './wardle.ts';

await run(wardleApp(8443));
