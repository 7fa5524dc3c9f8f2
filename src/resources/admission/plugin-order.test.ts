import { expect, test } from 'vitest';
import { pluginOrder } from './plugin-order.ts';

test('there are the 41 plugins of kube-apiserver 1.36, each once, 27 of them enabled by default', () => {
  expect(new Set(pluginOrder.map(({ name }) => name)).size).toBe(41);
  expect(pluginOrder.filter(({ isOnByDefault }) => isOnByDefault)).toHaveLength(27);
});

test('webhooks, policies and quotas run after all other plugins', () => {
  expect(pluginOrder.slice(-6).map(({ name }) => name)).toEqual([
    'MutatingAdmissionPolicy',
    'MutatingAdmissionWebhook',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionWebhook',
    'ResourceQuota',
    'AlwaysDeny',
  ]);
});
