import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../api/types/admissionregistration/v1.d.ts';
import { webhookConfigurationColumns } from '../columns/admission-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkWebhooks } from './webhook-rules.ts';

const GROUP = 'admissionregistration.k8s.io';

/** Which webhooks are asked about which writes. */
export const mutatingWebhookConfigurations = defineKind<MutatingWebhookConfiguration>({
  group: GROUP,
  plural: 'mutatingwebhookconfigurations',
  columns: webhookConfigurationColumns,
  requiresResourceVersion: true,
  raisesGeneration: changes('webhooks'),
  validate: ({ webhooks }) => checkWebhooks(webhooks ?? []),
  validateUpdate: ({ webhooks }, old) => checkWebhooks(webhooks ?? [], old.webhooks ?? []),
});

export const validatingWebhookConfigurations = defineKind<ValidatingWebhookConfiguration>({
  group: GROUP,
  plural: 'validatingwebhookconfigurations',
  columns: webhookConfigurationColumns,
  requiresResourceVersion: true,
  raisesGeneration: changes('webhooks'),
  validate: ({ webhooks }) => checkWebhooks(webhooks ?? []),
  validateUpdate: ({ webhooks }, old) => checkWebhooks(webhooks ?? [], old.webhooks ?? []),
});
