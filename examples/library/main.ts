import { run } from 'keelson';
import { library } from './library.ts';

await run(library({ port: 8443, folder: 'library-certificates' }), { install: true });
