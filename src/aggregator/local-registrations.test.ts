import { expect, test } from 'vitest';
import { startCluster } from '../testing/index.ts';
