#!/usr/bin/env node
import { restarts } from './kubectl-restarts.ts';

await restarts.main();
