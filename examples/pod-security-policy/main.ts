import { run } from 'keelson';
import { podSecurityApp } from './pod-security-policy.ts';

await run(podSecurityApp(8445), { install: true });
