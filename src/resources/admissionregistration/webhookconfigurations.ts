import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../api/types/admissionregistration/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { changes } from '../change.ts';
import { ageColumn, integer, nameColumn } from '../columns/column.ts';
import { defineKind } from '../kind.ts';
import { checkWebhooks } from './webhook-rules.ts';

/** Of mutating and validating webhooks alike. */
const webhookConfigurationColumns: readonly Column<WebhookConfiguration>[] = [
  nameColumn,
  integer('Webhooks', 'How many webhooks it has', ({ webhooks }) => (webhooks ?? []).length),
  ageColumn,
];

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

type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
