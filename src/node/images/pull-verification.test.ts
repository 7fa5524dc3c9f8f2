import { expect, test } from 'vitest';
import { agentMetrics } from '../agent-metrics.ts';
import { discardLogger, VirtualClock } from '../../base/index.ts';
import { type PulledRecord, PullVerification, type VerificationPolicy } from './pull-verification.ts';
import type { TrackedCredential } from './tracked-credential.ts';

const IMAGE = 'quay.io/team/web:1';

const secret = (name: string, password: string): TrackedCredential => ({
  auth: { username: 'u', password },
  source: { type: 'secret', namespace: 'default', name },
});
const account = (uid: string): TrackedCredential => ({
  auth: { username: 'u', password: 'p' },
  source: { type: 'service account', namespace: 'default', name: 'robot', uid },
});
const node: TrackedCredential = { auth: { username: 'u', password: 'p' }, source: { type: 'node' } };

function verification(policy?: VerificationPolicy, allowlist: readonly string[] = []): PullVerification {
  const pulled = new Map<string, PulledRecord>();
  const intents = new Set<string>();
  const records = {
    pulled: async (imageRef: string) => pulled.get(imageRef),
    writePulled: async (record: PulledRecord) => void pulled.set(record.imageRef, record),
    hasIntent: async (image: string) => intents.has(image),
    addIntent: async (image: string) => void intents.add(image),
    removeIntent: async (image: string) => void intents.delete(image),
  };
  const options = { records, allowlist, ...(policy === undefined ? {} : { policy }) };
  return new PullVerification(options, { clock: new VirtualClock(), log: discardLogger, metrics: agentMetrics() });
}

async function pull(verified: PullVerification, used: TrackedCredential | undefined): Promise<void> {
  await verified.begin(IMAGE);
  await verified.end(IMAGE, { imageRef: 'id', used });
}

const asks = (verified: PullVerification, ...own: readonly TrackedCredential[]): Promise<boolean> =>
  verified.mustPull(IMAGE, 'id', async () => own);

test.each<[VerificationPolicy | undefined, readonly string[], preloaded: boolean, pulled: boolean]>([
  ['NeverVerify', [], false, false],
  [undefined, [], false, true],
  ['NeverVerifyPreloadedImages', [], false, true],
  ['NeverVerifyAllowlistedImages', ['quay.io/team/web'], false, false],
  ['NeverVerifyAllowlistedImages', ['quay.io/*'], false, false],
  ['NeverVerifyAllowlistedImages', ['quay.io/other', 'quay.io/te'], true, true],
  ['AlwaysVerify', [], true, true],
])(
  'with %s %j, a preloaded image has to be pulled: %s, one pulled with a secret of others: %s',
  async (policy, allowlist, preloaded, pulled) => {
    const verified = verification(policy, allowlist);
    expect(await asks(verified)).toBe(preloaded);
    await pull(verified, secret('theirs', 'x'));
    expect(await asks(verified)).toBe(pulled);
  },
);

test.each<[string, TrackedCredential | undefined, readonly TrackedCredential[], mustPull: boolean]>([
  ['without a credential, for all pods', undefined, [], false],
  ['with the credential of the node, for all pods', node, [], false],
  ['with a secret, for the same secret', secret('a', 'x'), [secret('a', 'x')], false],
  ['with a secret, for another one with the same content', secret('a', 'x'), [secret('b', 'x')], false],
  ['with a secret, not for one with other content', secret('a', 'x'), [secret('b', 'y')], true],
  ['with a secret, not without one', secret('a', 'x'), [], true],
  ['with a service account, for that one', account('1'), [account('1')], false],
  ['with a service account, not for another of its name', account('1'), [account('2')], true],
])('an image was pulled %s', async (_, used, own, mustPull) => {
  const verified = verification();
  await pull(verified, used);
  expect(await asks(verified, ...own)).toBe(mustPull);
});

test('an image of another repository has to be pulled, also when it is the same; a pull for all opens it to all', async () => {
  const verified = verification();
  await pull(verified, secret('a', 'x'));
  expect(await verified.mustPull('quay.io/copy/web:1', 'id', async () => [secret('a', 'x')])).toBe(true);
  await pull(verified, secret('b', 'y'));
  for (const own of [secret('a', 'x'), secret('b', 'y')]) expect(await asks(verified, own)).toBe(false);
  await pull(verified, undefined);
  expect(await asks(verified)).toBe(false);
});

test('an image that appears while it is being pulled counts as pulled', async () => {
  const verified = verification();
  await verified.begin(IMAGE);
  expect(await asks(verified)).toBe(true);
  await verified.end(IMAGE);
  expect(await asks(verified)).toBe(false);
});
