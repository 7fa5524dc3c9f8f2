import { expect, test } from 'vitest';
import type { ApiObject } from '../../api/index.ts';
import {
  earlierPodGroups,
  earlierWorkloads,
  firstWorkloads,
  laterPodGroups,
  laterWorkloads,
} from './workload-forms.ts';

function object(spec: Readonly<Record<string, unknown>>): ApiObject {
  return { apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, spec };
}

const policy = { gang: { minCount: 2 } };

const groups = [
  [
    { podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } }, disruptionMode: 'PodGroup' },
    { workloadRef: { workloadName: 'w', templateName: 't' }, disruptionMode: { all: {} } },
  ],
  [{ disruptionMode: 'Pod' }, { disruptionMode: { single: {} } }],
  [{ priority: 3 }, { priority: 3 }],
] as const;

test.each(groups)('pod groups of 1.36 and 1.37 become each other: %j', (earlier, later) => {
  const [old, present] = [
    object({ schedulingPolicy: policy, ...earlier }),
    object({ schedulingPolicy: policy, ...later }),
  ];
  expect(earlierPodGroups.toStored(old)).toEqual(present);
  expect(earlierPodGroups.fromStored(present)).toEqual(old);
  expect(laterPodGroups.toStored(present)).toEqual(old);
  expect(laterPodGroups.fromStored(old)).toEqual(present);
});

test('templates of workloads change with them, and the first form is read by both', () => {
  const old = object({ podGroupTemplates: [{ name: 't', schedulingPolicy: policy, disruptionMode: 'PodGroup' }] });
  const present = object({ podGroupTemplates: [{ name: 't', schedulingPolicy: policy, disruptionMode: { all: {} } }] });
  expect(earlierWorkloads.toStored(old)).toEqual(present);
  expect(laterWorkloads.toStored(present)).toEqual(old);
  expect(firstWorkloads.toStored(object({ podGroups: [{ name: 't', policy }] }))).toEqual(
    object({ podGroupTemplates: [{ name: 't', schedulingPolicy: policy }] }),
  );
});
