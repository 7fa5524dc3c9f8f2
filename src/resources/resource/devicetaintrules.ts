import { formatTime, instantOfMillis } from '../../api/index.ts';
import type { DeviceTaintRule, ResourcePoolStatusRequest } from '../../api/types/resource/v1alpha3.d.ts';
import { deviceTaintRuleColumns, resourcePoolStatusRequestColumns } from '../columns/device-columns.ts';
import { changes } from '../change.ts';
import { defineKind, type Whole } from '../kind.ts';
import { GROUP } from './versions.ts';

type Rule = Whole<DeviceTaintRule>;

/** The alpha kinds about devices: taints by rule, and questions about pools. */
export const deviceTaintRules = defineKind<DeviceTaintRule>({
  group: GROUP,
  plural: 'devicetaintrules',
  columns: deviceTaintRuleColumns,
  storedVersion: 'v1alpha3',
  deprecations: {
    v1alpha3: 'resource.k8s.io/v1alpha3 DeviceTaintRule is deprecated in v1.36+, unavailable in v1.39+',
  },
  returnsDeletedObject: true,
  statusMetadata: 'owned',
  raisesGeneration: changes('spec'),

  prepareForCreate(rule, { now }) {
    if (rule.spec.taint.timeAdded === undefined) setTime(rule, now);
  },

  /** A taint counts from when its effect was chosen. */
  prepareForUpdate(rule, old, { now }) {
    const { taint } = rule.spec;
    const was = old.spec.taint;
    const isNewEffect = taint.effect !== was.effect && taint.timeAdded === was.timeAdded;
    if (taint.timeAdded === undefined || isNewEffect) setTime(rule, now);
  },
});

function setTime(rule: Rule, now: number): void {
  rule.spec = { ...rule.spec, taint: { ...rule.spec.taint, timeAdded: formatTime(instantOfMillis(now)) } };
}

export const resourcePoolStatusRequests = defineKind<ResourcePoolStatusRequest>({
  group: GROUP,
  plural: 'resourcepoolstatusrequests',
  columns: resourcePoolStatusRequestColumns,
  storedVersion: 'v1alpha3',
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  statusMetadata: 'owned',
});
