import { run } from 'keelson';
import { mysqlApp } from './innodbcluster.ts';

await run(mysqlApp(), { install: true });
