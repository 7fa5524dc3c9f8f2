import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../api/types/admissionregistration/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { changesOrEmpties } from '../change.ts';
import { ageColumn, integer, nameColumn } from '../columns/column.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind } from '../kind.ts';
import { checkWebhooks } from './webhook-rules.ts';

/** For mutating and validating webhooks. */
const webhookConfigurationColumns: readonly Column<WebhookConfiguration>[] = [
  nameColumn,
  integer('Webhooks', 'How many webhooks it has', ({ webhooks }) => (webhooks ?? []).length),
  ageColumn,
];

const GROUP = 'admissionregistration.k8s.io';

/** Which webhooks are called for which writes. */
export function webhookConfigurations({ devWebhooks }: KindEnvironment): Kind[] {
  const rules = {
    changeSteps: ['metadata', 'object'] as const,
    group: GROUP,
    allowsAnyFinalizer: true,
    columns: webhookConfigurationColumns,
    requiresResourceVersion: true,
    raisesGeneration: changesOrEmpties('webhooks'),
    validate: ({ webhooks }: WebhookConfiguration) => checkWebhooks(webhooks ?? [], { devWebhooks }),
    validateUpdate: ({ webhooks }: WebhookConfiguration, { webhooks: old = [] }: WebhookConfiguration) =>
      checkWebhooks(webhooks ?? [], { old, devWebhooks }),
  };
  return [
    defineKind<MutatingWebhookConfiguration>({ ...rules, plural: 'mutatingwebhookconfigurations' }),
    defineKind<ValidatingWebhookConfiguration>({ ...rules, plural: 'validatingwebhookconfigurations' }),
  ];
}

type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
