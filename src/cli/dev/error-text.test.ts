import { expect, test } from 'vitest';
import { errorText } from './error-text.ts';

test('an error is shown with its causes, and with the frames of the app only', () => {
  const error = new Error('no site', { cause: 'no disk' });
  error.stack = `Error: no site
    at reconcile (/home/joe/shop/website.ts:18:31)
    at run (/home/joe/shop/node_modules/keelson/dist/kit.js:5:1)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`;

  expect(errorText(error)).toBe(`Error: no site
    at reconcile (/home/joe/shop/website.ts:18:31)
caused by Error: 'no disk'`);
});
