import { configurationTable } from '../../settings/configuration-table.ts';
import {
  duration,
  flag,
  integer,
  OBEYED,
  pointedInteger,
  type SettingsOf,
  text,
  texts,
} from '../../settings/setting.ts';
import { nodeFields } from './node-fields.ts';
import { podFields } from './pod-fields.ts';
import { portFields } from './port-fields.ts';
import { resourceFields } from './resource-fields.ts';

/** Images: how they are pulled, who may use them, and when they are removed. */
const imageFields = {
  serializeImagePulls: flag(undefined, OBEYED, 'serialize-image-pulls'),
  maxParallelImagePulls: pointedInteger(undefined, OBEYED),
  registryPullQPS: pointedInteger(5, OBEYED, 'registry-qps'),
  registryBurst: integer(10, OBEYED, 'registry-burst'),
  imagePullCredentialsVerificationPolicy: text('NeverVerifyPreloadedImages', OBEYED),
  preloadedImagesVerificationAllowlist: texts([], OBEYED),
  imageMinimumGCAge: duration(120_000, OBEYED, 'minimum-image-ttl-duration'),
  imageMaximumGCAge: duration(0, OBEYED),
  imageGCHighThresholdPercent: pointedInteger(85, OBEYED, 'image-gc-high-threshold'),
  imageGCLowThresholdPercent: pointedInteger(80, OBEYED, 'image-gc-low-threshold'),
};

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
