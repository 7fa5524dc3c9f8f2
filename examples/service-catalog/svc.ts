#!/usr/bin/env node
import { svc } from './kubectl-svc.ts';

await svc.main();
