import type { TestOptions } from 'vitest';
import { skipWhen } from '../../base/testing/requires.ts';

/** Options of tests that make network namespaces. */
export const needsNamespaces: TestOptions = skipWhen(
  process.platform !== 'linux' || process.getuid?.() !== 0,
  'network namespaces need Linux and root',
);
