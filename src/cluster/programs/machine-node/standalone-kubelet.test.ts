import { expect, test } from 'vitest';
import type { StandaloneTools } from '../program.ts';
import { NO_FLAGS } from '../settings/flag-texts.ts';
import { standaloneKubelet } from './standalone-kubelet.ts';

test('without --kubeconfig a kubelet says what it needs, before it touches the machine', async () => {
  const untouched = {} as StandaloneTools; // it is refused before it uses any
  const words = process.platform === 'linux' ? 'the kubelet needs --kubeconfig' : 'the kubelet needs Linux';
  await expect(standaloneKubelet(NO_FLAGS, untouched)).rejects.toThrow(words);
});
