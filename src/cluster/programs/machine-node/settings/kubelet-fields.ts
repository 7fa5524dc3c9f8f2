import { configurationTable } from '../../settings/configuration-table.ts';
import type { SettingsOf } from '../../settings/setting.ts';
import { imageFields } from './image-fields.ts';
import { nodeFields } from './node-fields.ts';
import { podFields } from './pod-fields.ts';
import { portFields } from './port-fields.ts';
import { resourceFields } from './resource-fields.ts';

/** Every field of KubeletConfiguration in kubelet.config.k8s.io/v1beta1 of Kubernetes 1.36. */
const kubeletFields = { ...nodeFields, ...portFields, ...resourceFields, ...podFields, ...imageFields };

/** A KubeletConfiguration with all defaults. Durations are milliseconds. */
export type KubeletSettings = Omit<SettingsOf<typeof kubeletFields>, 'serializeImagePulls'> & {
  /** True unless several images may be pulled at once. */
  readonly serializeImagePulls: boolean;
};

export const kubeletConfiguration = configurationTable({
  group: 'kubelet.config.k8s.io',
  version: 'v1beta1',
  kind: 'KubeletConfiguration',
  fields: kubeletFields,
});
