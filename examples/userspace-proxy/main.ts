import { run } from 'keelson';
import { userspaceProxy } from './userspace-proxy.ts';

await run(userspaceProxy({ node: process.env['NODE_NAME'] ?? 'keelson' }));
