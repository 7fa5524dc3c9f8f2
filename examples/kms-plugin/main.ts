import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { yearlyKeys } from './kms-plugin.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const plugin = yearlyKeys(resolve('kms.sock'));
const running = plugin.run(stop.signal);
await writeFile('encryption.json', JSON.stringify(plugin.configuration()), { mode: 0o600 });
await running;
