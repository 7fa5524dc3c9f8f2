import { run } from 'keelson';
import { operator } from './website.ts';

await run(operator(), { install: true });
