import { expect, test } from 'vitest';
import { KUBERNETES_RELEASES, type KubernetesVersion } from '../../src/base/index.ts';
import { loadBaseObjects } from './base-objects.ts';
import { CaseMaker, describeCase } from './case.ts';
import { playAll } from './play.ts';
import { ownServer } from './server.ts';

const bases = loadBaseObjects();
const maker = new CaseMaker(bases);
const VERSIONS = Object.keys(KUBERNETES_RELEASES) as KubernetesVersion[];
const CASES = 600;
/** An exception of ours; refusals that are upstream's have other words, also where their code is 500. */
const INTERNAL_ERROR = /^Internal error occurred/;

test.each(VERSIONS)('no damaged object makes a server of Kubernetes %s fail', async (kubernetesVersion) => {
  await using server = await ownServer(bases, kubernetesVersion);
  await server.prepare();
  const cases = Array.from({ length: CASES }, (_, number) => maker.make('create', 'earlier versions', number));
  const answers = await playAll(cases, server);
  const failed = cases.flatMap((played, index) => {
    const message = String(answers[index]?.body['message'] ?? '');
    return INTERNAL_ERROR.test(message) ? [`${describeCase(played)}: ${message}`] : [];
  });
  expect(failed).toEqual([]);
  expect(answers.filter(({ code }) => code === 201).length).toBeGreaterThan(CASES / 10);
});
