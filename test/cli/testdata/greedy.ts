import { app, run } from 'keelson';
import { copies } from './honest.ts';

await run(app('greedy', [copies]));
