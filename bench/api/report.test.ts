import { expect, test, vi } from 'vitest';
import { Report } from './report.ts';

function quiet(): Report {
  vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'error').mockReturnValue();
  return new Report();
}

test('a page has a table for each part, and says of each aim whether it is met', () => {
  const report = quiet();
  const get = { name: 'get', unit: '1/s', better: 'higher', aim: { times: 4 }, part: 'Requests' } as const;
  for (const value of [900, 1100, 1000]) report.add('ours', get, value, { 'p99, ms': 2 });
  for (const value of [240, 300]) report.add('theirs', get, value, { 'p99, ms': 8 });
  report.add('ours', { name: 'start', unit: 'ms', better: 'lower', aim: { atMost: 700 }, part: 'Full' }, 699);
  report.add('ours', { name: 'memory', unit: 'MB', better: 'lower', aim: { times: 3 }, part: 'Full' }, 100);
  report.add('theirs', { name: 'memory', unit: 'MB', better: 'lower', aim: { times: 3 }, part: 'Full' }, 310);

  expect(report.markdown('ours', 'theirs').split('\n')).toEqual([
    '## Requests',
    '',
    '| what | unit | ours | theirs | ratio | p99, ms: both | aim | met |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    '| get | 1/s | 1,000 (900–1,100) | 270 (240–300) | 3.7× | 2.00 / 8.00 | ≥ 4× | no |',
    '',
    '## Full',
    '',
    '| what | unit | ours | theirs | ratio | aim | met |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    '| start | ms | 699 | – | – | ≤ 700 ms | yes |',
    '| memory | MB | 100 | 310 | 3.1× | ≥ 3× | yes |',
  ]);
});

test('a part that failed stands on the page, and in the file with every value', () => {
  const report = quiet();
  report.add('ours', { name: 'get', unit: '1/s', better: 'higher' }, 10);
  report.addFailure('theirs', 'get', new Error('no port\nmore'));

  expect(report.markdown('ours', 'theirs')).toContain('## Not measured\n\n- theirs, get: no port more');
  expect(report.hasFailed).toBe(true);
  expect(JSON.parse(report.json())).toMatchObject({
    failures: ['theirs, get: no port more'],
    measures: [{ name: 'get', samples: { ours: [10] } }],
  });
});
