import { expect, test } from 'vitest';
import { podOf } from '../testing/objects.ts';
import { PodInfo } from './pod-info.ts';

const requests = { cpu: '1', memory: '1Gi' };

test('scoring assumes requests for containers that request nothing', () => {
  const info = new PodInfo(podOf({}));
  expect([info.requests.milliCpu, info.requests.memory]).toEqual([0, 0]);
  expect([info.nonZeroMilliCpu, info.nonZeroMemory]).toEqual([100, 200 * 1024 * 1024]);
  const explicit = new PodInfo(podOf({ requests: { cpu: '0', memory: '0' } }));
  expect([explicit.nonZeroMilliCpu, explicit.nonZeroMemory]).toEqual([0, 0]);
});

test('with pod-level requests, only resources that are not requested anywhere get assumed requests', () => {
  const info = new PodInfo(podOf({ resources: { requests: { cpu: '2' } } }));
  expect([info.nonZeroMilliCpu, info.nonZeroMemory]).toEqual([2000, 200 * 1024 * 1024]);
});

test('requests are recomputed when the spec may have changed, and copied when not', () => {
  const pod = podOf({ requests });
  const info = new PodInfo(pod);
  expect(info.onNode('n1').requests).toBe(info.requests);
  expect(info.onNode('n1').pod.spec?.nodeName).toBe('n1');
  const relabelled = { ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } };
  expect(new PodInfo(relabelled, info).requests).toBe(info.requests);

  const smaller = podOf({ requests: { cpu: '500m' } });
  expect(new PodInfo(smaller, info).requests.milliCpu).toBe(500);
  const resized = { containerStatuses: [{ name: 'main', resources: { requests: { cpu: '3' } } }] } as never;
  expect(new PodInfo({ ...pod, status: resized }, info).requests.milliCpu).toBe(3000);
});
