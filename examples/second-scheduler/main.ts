import { run } from 'keelson';
import { thriftyScheduler } from './second-scheduler.ts';

await run(thriftyScheduler());
