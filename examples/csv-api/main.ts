import { join } from 'node:path';
import { run } from 'keelson';
import { citiesApp } from './csv-api.ts';

await run(citiesApp(process.argv[2] ?? join(import.meta.dirname, 'cities.csv'), 8444));
