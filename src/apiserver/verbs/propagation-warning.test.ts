import { expect, test } from 'vitest';
import { TestApi } from '../../resources/testing/test-api.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const JOB = {
  metadata: { name: 'job' },
  spec: { template: { spec: { containers: [{ name: 'main', image: 'image' }], restartPolicy: 'Never' } } },
};

test.each([`${JOBS}/job`, JOBS])(
  'a client that deletes %s without a propagation policy gets a warning',
  async (path) => {
    await using api = await TestApi.open();
    await api.send('POST', JOBS, JOB);

    expect((await api.send('DELETE', `${path}?dryRun=All`)).warnings).toEqual([
      expect.stringContaining('child pods are preserved by default'),
    ]);
    expect((await api.send('DELETE', `${path}?propagationPolicy=Background`)).warnings).toEqual([]);
  },
);
