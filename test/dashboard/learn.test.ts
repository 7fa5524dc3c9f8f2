import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { LearnCluster } from '../../src/cli/learn/learn-cluster.ts';
import type { WalkStep } from '../../src/cli/learn/walks/learn-step.ts';
import { walks } from '../../src/cli/learn/walks/index.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';

const stop = new AbortController();
let cluster: LearnCluster;

beforeAll(async () => {
  const [clock, random] = [new RealClock(), new CryptoRandom()];
  cluster = await LearnCluster.start({ clock, random, log: discardLogger, signal: stop.signal });
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** The words of a command line of the walks: quotes keep words together. */
function wordsOf(command: string): readonly string[] {
  const [program = '', ...words] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  expect(program).toBe('kubectl');
  return words;
}

describe('the walks', requires('kubectl'), () => {
  test('there are ten, and each step has text and a place to look at or something to do', () => {
    expect(walks).toHaveLength(10);
    expect(new Set(walks.map(({ id }) => id)).size).toBe(10);
    const steps: readonly WalkStep[] = walks.flatMap((walk) => walk.steps);
    for (const { text, commands, manifest } of steps) {
      expect(text.length).toBeGreaterThan(40);
      expect(commands.length + (manifest === undefined ? 0 : 1)).toBeGreaterThan(0);
    }
  });

  test.each(walks.map((walk) => [walk.id, walk] as const))(
    'what %s says to type does what it says',
    async (_, { steps }) => {
      const kubectl = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
      for (const { title, commands, manifest, isRefused } of steps) {
        const codes: number[] = [];
        const said: string[] = [];
        const run = async (args: readonly string[], input?: string): Promise<void> => {
          const { code, stderr } = await kubectl.run(args, input);
          codes.push(code);
          said.push(stderr);
        };
        if (manifest !== undefined) await run(['apply', '-f', '-'], manifest);
        for (const command of commands) await run(wordsOf(command));
        const wanted = codes.map((_code, index) => (isRefused === true && index === codes.length - 1 ? 1 : 0));
        expect(codes, `${title}: ${said.join('\n')}`).toEqual(wanted);
      }
    },
  );

  test('paused, programs write nothing; each step lets one write pass, or a minute', async () => {
    const kubectl = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
    const { time } = cluster;
    await time.pause();
    const before = time.now();
    expect(before).toMatchObject({ isVirtual: true, isPaused: true });
    await kubectl.output('create', 'deployment', 'slow', '--image=nginx');
    expect(await kubectl.output('get', 'replicasets', '--selector=app=slow', '-o', 'name')).toBe('');
    expect(time.now().now).toBe(before.now);

    const titles: string[] = [];
    while (!titles.some((title) => title.includes('/binding'))) {
      const { ended, isPaused } = await time.step('write');
      expect(isPaused).toBe(true);
      expect(ended?.type).toBe('write');
      titles.push(ended?.title ?? '');
    }
    expect(titles).toEqual(
      expect.arrayContaining([
        'POST /apis/apps/v1/namespaces/default/replicasets by system:serviceaccount:kube-system:deployment-controller',
        'POST /api/v1/namespaces/default/pods by system:serviceaccount:kube-system:replicaset-controller',
      ]),
    );
    expect(await kubectl.output('get', 'pods', '--selector=app=slow', '-o', 'jsonpath={.items[*].status.phase}')).toBe(
      'Pending',
    );

    const later = await time.step('minute');
    expect(later.ended).toEqual({ type: 'time', title: 'a minute later' });
    expect(Date.parse(later.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(60_000);
    expect(await kubectl.output('get', 'pods', '--selector=app=slow', '-o', 'jsonpath={.items[*].status.phase}')).toBe(
      'Running',
    );

    await kubectl.output('delete', 'pods', '--selector=app=slow', '--wait=false');
    expect((await time.step('reconcile')).ended).toMatchObject({ type: 'reconcile' });
    time.resume();
    expect(time.now().isPaused).toBe(false);
  });
});
