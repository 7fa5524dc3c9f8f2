import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from 'keelson';
import { aggregatedCatalogApp, catalogApp } from './app.ts';

const { values } = parseArgs({
  options: {
    aggregated: { type: 'boolean', default: false },
    folder: { type: 'string', default: join(process.cwd(), 'service-catalog') },
  },
});
await run(values.aggregated ? await aggregatedCatalogApp(values.folder, { port: 8445 }) : catalogApp(), {
  install: true,
});
