import { expect, test } from 'vitest';
import { alive, healthAnswer } from './health-checks.ts';

const broken = { name: 'device-plugin', problem: () => 'no more sockets' };
const at = (path: string, query = ''): { readonly path: string; readonly query: URLSearchParams } => ({
  path,
  query: new URLSearchParams(query),
});

test('a check that fails makes /healthz fail without the reason, which is at the path of the check', () => {
  const checks = [alive('ping'), broken];
  expect(healthAnswer(at('/healthz'), checks)).toMatchObject({
    code: 500,
    text: '[+]ping ok\n[-]device-plugin failed: reason withheld\nhealthz check failed\n',
  });
  expect(healthAnswer(at('/healthz/device-plugin'), checks)).toMatchObject({
    code: 500,
    text: 'internal server error: no more sockets\n',
  });
  expect(healthAnswer(at('/healthz/ping'), checks)).toMatchObject({ code: 200, text: 'ok' });
  expect(healthAnswer(at('/healthz', 'exclude=device-plugin'), checks)).toMatchObject({ code: 200, text: 'ok' });
  expect(healthAnswer(at('/healthz', 'exclude=device-plugin&exclude=x&verbose'), checks)).toMatchObject({
    text: '[+]ping ok\n[+]device-plugin excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nhealthz check passed\n',
  });
  expect(healthAnswer(at('/healthz/other'), checks)).toMatchObject({ code: 404 });
});
