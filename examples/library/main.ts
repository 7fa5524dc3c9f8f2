import { run } from 'keelson';
import { library } from './library.ts';

const [port = '8443', folder = 'library-certificates'] = process.argv.slice(2);
await run(library({ port: Number(port), folder }), { install: true });
