import { run } from 'keelson';
import { hostname } from 'node:os';
import { globalPolicyAgent } from './global-policy.ts';

await run(globalPolicyAgent({ node: process.env['NODE_NAME'] ?? hostname().toLowerCase() }), { install: true });
