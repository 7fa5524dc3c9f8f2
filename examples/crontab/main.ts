import { run } from 'keelson';
import { cronTabOperator } from './crontab.ts';

await run(cronTabOperator(), { install: true });
