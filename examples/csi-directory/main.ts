import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { directoryDriver } from './csi-directory.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
const [root = 'volumes', socket = 'csi.sock'] = process.argv.slice(2);
await directoryDriver(resolve(root), hostname())
  .serve({ listen: `unix://${resolve(socket)}` })
  .run(stop.signal);
